package io.vdfs.datanode.meta.op.writing;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.ChangePipelineOp;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.LeftOutProto;
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
 * Leaves nodes out of the groups that are being written, separately for each group, under a new
 * write epoch, and records the length that every node of the old pipeline has. The recorded length
 * never falls. A writer that reopens the same nodes leaves no node out.
 */
final class ChangePipelineOperation implements Operation {
  private static final int MAX_NODES = 64;

  /** A writer has at most two groups open, the first of which holds the end of what is recorded. */
  private static final int GROUPS_AHEAD = 1;

  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    ChangePipelineOp op = request.getChangePipeline();
    changes.countOnly();
    InodeRecord old =
        Leases.requireWriter(op.getFile(), op.getHolder(), op.getWriteEpoch(), context);
    FileRecord content = old.getFile();
    long length = Math.max(content.getLength(), Checks.fileLength(op.getLength(), context));
    int epoch = Leases.nextEpoch(content);
    Exclusions exclusions =
        new Exclusions(content.getExclusionsList())
            .with(leftOut(op, epoch, lastOpenGroup(length, context)), context);
    InodeRecord file =
        old.toBuilder()
            .setFile(
                content.toBuilder()
                    .setLength(length)
                    .setWriteEpoch(epoch)
                    .clearExclusions()
                    .addAllExclusions(exclusions.ranges()))
            .build();
    changes.put(file);
    return Leases.openedForWriting(withoutExclusions(file), context);
  }

  /** The writer knows the exclusions, which may be many, and answers are kept for retries. */
  private static InodeRecord withoutExclusions(InodeRecord file) {
    return file.toBuilder().setFile(file.getFile().toBuilder().clearExclusions()).build();
  }

  private static int lastOpenGroup(long length, MetaContext context) {
    return context.settings().geometry().groupAt(length) + GROUPS_AHEAD;
  }

  private static List<ExclusionProto> leftOut(ChangePipelineOp op, int epoch, int lastGroup)
      throws VdfsException {
    List<ExclusionProto> ranges = new ArrayList<>();
    for (LeftOutProto leftOut : op.getLeftOutList()) {
      int group = leftOut.getGroup();
      if (group < 0 || group > lastGroup) {
        throw Refusals.invalid(
            "nodes are left out of groups being written or before: group=%s, last=%s"
                .formatted(Integer.toUnsignedString(group), lastGroup));
      }
      for (ByteString node : leftOut.getNodesList()) {
        ranges.add(
            ExclusionProto.newBuilder()
                .setNode(Checks.id(node, "nodes"))
                .setFirstGroup(group)
                .setEndGroup(group + 1)
                .setEpoch(epoch)
                .build());
      }
      if (ranges.size() > MAX_NODES) {
        throw Refusals.invalid(
            "at most " + MAX_NODES + " nodes can be left out at once: nodes=" + ranges.size());
      }
    }
    return ranges;
  }
}
