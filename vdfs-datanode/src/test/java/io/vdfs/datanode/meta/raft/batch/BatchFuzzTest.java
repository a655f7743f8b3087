package io.vdfs.datanode.meta.raft.batch;

import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MkdirsOp;
import io.vdfs.datanode.fuzz.FuzzContract;
import io.vdfs.datanode.meta.level.FeatureLevels;
import java.nio.ByteBuffer;
import java.util.List;

/** Entries of the log, as a member gets them from another one. */
class BatchFuzzTest extends FuzzContract {
  private final FeatureLevels levels = FeatureLevels.ofThisRelease();

  @Override
  protected List<byte[]> seeds() {
    MetaRequest request =
        MetaRequest.newBuilder().setMkdirs(MkdirsOp.newBuilder().setPath("/a")).build();
    return List.of(
        BatchCodec.encode(FeatureLevels.FIRST, List.of()),
        BatchCodec.encode(FeatureLevels.FIRST, List.of(request, request)));
  }

  @Override
  protected void accept(byte[] input) throws Exception {
    BatchCodec.decode(ByteBuffer.wrap(input), levels);
  }
}
