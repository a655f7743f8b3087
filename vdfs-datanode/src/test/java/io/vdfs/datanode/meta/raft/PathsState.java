package io.vdfs.datanode.meta.raft;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.proto.CallIdProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.MkdirsResult;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.datanode.meta.ReplicatedState;
import io.vdfs.datanode.meta.level.FeatureLevels;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A toy state: the list of paths made, in order, each call at most once. Confined to the metadata
 * loop but for the copies that tests ask for.
 */
final class PathsState implements ReplicatedState {
  static final String POISON = "/poison";

  private final List<MetaRequest> applied = new ArrayList<>();
  private final Set<CallIdProto> calls = new HashSet<>();
  private volatile List<String> paths = List.of();
  private final AtomicInteger loads = new AtomicInteger();

  /** Runs whenever an image is about to be written. */
  volatile Runnable beforeSaving = () -> {};

  @Override
  public MetaResponse apply(MetaRequest request) {
    if (!request.hasMkdirs()) {
      return MetaResponse.getDefaultInstance();
    }
    String path = request.getMkdirs().getPath();
    if (path.equals(POISON)) {
      throw new IllegalStateException("planted");
    }
    boolean created = calls.add(request.getCallId());
    if (created) {
      applied.add(request);
      publish();
    }
    return made(created);
  }

  private static MetaResponse made(boolean created) {
    return MetaResponse.newBuilder()
        .setMkdirs(MkdirsResult.newBuilder().setCreated(created))
        .build();
  }

  @Override
  public Optional<MetaResponse> recall(MetaRequest request, long ageMillis) {
    return calls.contains(request.getCallId()) ? Optional.of(made(false)) : Optional.empty();
  }

  @Override
  public MetaResponse query(MetaRequest request) {
    int index = paths.indexOf(request.getGetStatus().getPath());
    if (index < 0) {
      return Errors.response(ErrorCode.NOT_FOUND, "not there");
    }
    return MetaResponse.newBuilder()
        .setStatus(StatusProto.newBuilder().setInodeId(index + 1L))
        .build();
  }

  @Override
  public FeatureLevels levels() {
    return FeatureLevels.ofThisRelease();
  }

  @Override
  public int level() {
    return FeatureLevels.FIRST;
  }

  @Override
  public Image image() {
    List<MetaRequest> requests = List.copyOf(applied);
    return out -> {
      beforeSaving.run();
      for (MetaRequest request : requests) {
        request.writeDelimitedTo(out);
      }
    };
  }

  @Override
  public void load(InputStream in) throws IOException {
    applied.clear();
    calls.clear();
    MetaRequest request = MetaRequest.parseDelimitedFrom(in);
    while (request != null) {
      if (!request.hasMkdirs()) {
        throw new VdfsException(ErrorCode.CORRUPT, "no mkdirs in it");
      }
      applied.add(request);
      calls.add(request.getCallId());
      request = MetaRequest.parseDelimitedFrom(in);
    }
    publish();
    loads.incrementAndGet();
  }

  private void publish() {
    paths = applied.stream().map(request -> request.getMkdirs().getPath()).toList();
  }

  /** Safe on any thread. */
  List<String> paths() {
    return paths;
  }

  /** Safe on any thread. */
  int loads() {
    return loads.get();
  }
}
