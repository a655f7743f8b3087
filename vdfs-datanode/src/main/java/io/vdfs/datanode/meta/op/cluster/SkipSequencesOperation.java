package io.vdfs.datanode.meta.op.cluster;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.EmptyResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.SkipSequencesOp;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.MetaContext;

/** Skips inode ids and deletion sequences that lost members may have given away. */
final class SkipSequencesOperation implements Operation {
  private static final long MOST = 1L << 40;

  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    context.access().requireSuperuser("skip sequences");
    SkipSequencesOp op = request.getSkipSequences();
    changes.skipSequences(
        checked("inodes", op.getInodes()), checked("deletions", op.getDeletions()));
    return MetaResponse.newBuilder().setEmpty(EmptyResult.getDefaultInstance()).build();
  }

  private static long checked(String what, long skipped) throws VdfsException {
    if (skipped < 0 || skipped > MOST) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "not so many can be skipped: %s=%d, most=%d".formatted(what, skipped, MOST));
    }
    return skipped;
  }
}
