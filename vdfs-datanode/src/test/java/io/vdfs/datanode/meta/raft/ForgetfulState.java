package io.vdfs.datanode.meta.raft;

import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.ReplicatedState;
import io.vdfs.datanode.meta.level.FeatureLevels;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/** A planted bug: forgets which calls it has answered. Confined to the metadata loop. */
final class ForgetfulState implements ReplicatedState {
  private final ReplicatedState state;

  ForgetfulState(ReplicatedState state) {
    this.state = state;
  }

  @Override
  public MetaResponse apply(MetaRequest request) {
    return state.apply(request.toBuilder().clearCallId().build());
  }

  @Override
  public Optional<MetaResponse> recall(MetaRequest request, long ageMillis) {
    return Optional.empty();
  }

  @Override
  public MetaResponse query(MetaRequest request) {
    return state.query(request);
  }

  @Override
  public FeatureLevels levels() {
    return state.levels();
  }

  @Override
  public int level() {
    return state.level();
  }

  @Override
  public Image image() {
    return state.image();
  }

  @Override
  public void load(InputStream in) throws IOException {
    state.load(in);
  }
}
