package io.vdfs.datanode.meta.op.writing;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.common.wire.proto.FinishRecoveryOp;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Checks;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.op.copies.Exclusions;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;
import java.util.ArrayList;
import java.util.List;

/**
 * Closes a file at the length that lease recovery found, without the nodes that lack it. Nodes to
 * which it copied, as too few others had the bytes, are left out no longer.
 */
final class FinishRecoveryOperation implements Operation {
  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    context.access().requireSuperuser("lease recovery");
    changes.countOnly();
    FinishRecoveryOp op = request.getFinishRecovery();
    InodeRecord file = context.namespace().file(op.getFile());
    if (!file.getFile().getLease().getRecovering()) {
      throw Leases.fenced("file is not in recovery", file, op.getWriteEpoch());
    }
    Leases.requireEpoch(file, op.getWriteEpoch());
    requireRing(op.getRingEpoch(), context);
    if (op.getGivenUp()) {
      requireLength(op.getLength(), file.getFile(), context);
    } else {
      CompleteOperation.requireLength(op.getLength(), file.getFile(), context);
    }
    Exclusions exclusions = new Exclusions(file.getFile().getExclusionsList());
    for (ExclusionProto range : inFile(op.getRestoredList(), op, context)) {
      for (int group = range.getFirstGroup(); group < range.getEndGroup(); group++) {
        exclusions = exclusions.without(range.getNode(), group);
      }
    }
    exclusions = exclusions.with(inFile(op.getExclusionsList(), op, context), context);
    List<Integer> checksums =
        new ToldChecksums(file.getFile(), context.settings().geometry()).recovered(op.getLength());
    return CompleteOperation.close(file, op.getLength(), exclusions, checksums, context, changes);
  }

  /** Only bytes of the lease may be given up: those before it were closed or synced. */
  private static void requireLength(long length, FileRecord content, MetaContext context)
      throws VdfsException {
    long least = content.getLease().getStartLength();
    if (Checks.fileLength(length, context) < least) {
      throw Refusals.invalid(
          "bytes from before the lease are not given up: length=%s, lease from=%s"
              .formatted(length, least));
    }
  }

  private static void requireRing(long epoch, MetaContext context) throws VdfsException {
    long recorded = context.ring().map(RingMap::epoch).orElse(0L);
    if (epoch != 0 && recorded != 0 && epoch != recorded) {
      throw new VdfsException(
          ErrorCode.STALE_RING,
          "nodes were asked by another ring map than the recorded one: epoch=%d, recorded=%d"
              .formatted(epoch, recorded));
    }
  }

  private static List<ExclusionProto> inFile(
      List<ExclusionProto> ranges, FinishRecoveryOp op, MetaContext context) throws VdfsException {
    int groups = context.settings().geometry().groupCount(op.getLength());
    List<ExclusionProto> found = new ArrayList<>();
    for (ExclusionProto range : ranges) {
      Checks.id(range.getNode(), "exclusions.node");
      int end = range.getEndGroup();
      if (range.getFirstGroup() < 0 || end < 0 || end > groups || range.getFirstGroup() > end) {
        throw Refusals.invalid(
            "an exclusion must lie in the file: firstGroup=%s, endGroup=%s, groups=%s"
                .formatted(
                    Integer.toUnsignedString(range.getFirstGroup()),
                    Integer.toUnsignedString(range.getEndGroup()),
                    groups));
      }
      found.add(range.toBuilder().setEpoch(op.getWriteEpoch()).build());
    }
    return found;
  }
}
