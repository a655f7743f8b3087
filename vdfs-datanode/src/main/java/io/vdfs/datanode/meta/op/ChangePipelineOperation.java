package io.vdfs.datanode.meta.op;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.ChangePipelineOp;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;
import java.util.ArrayList;
import java.util.List;

/**
 * Leaves nodes out of the pipeline from a group on, under a new write epoch, and records the length
 * that every node of the old pipeline has. The recorded length never falls. A writer that reopens
 * the same nodes leaves nobody out.
 */
final class ChangePipelineOperation implements Operation {
  private static final int MAX_NODES = 64;

  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    ChangePipelineOp op = request.getChangePipeline();
    changes.countOnly();
    InodeRecord old =
        Leases.requireWriter(op.getFile(), op.getHolder(), op.getWriteEpoch(), context);
    FileRecord content = old.getFile();
    long length = Math.max(content.getLength(), Checks.fileLength(op.getLength(), context));
    requireNotBeyond(op.getFirstGroup(), length, context);

    int epoch = Leases.nextEpoch(content);
    Exclusions exclusions =
        new Exclusions(content.getExclusionsList()).with(excluded(op, epoch), context);
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
    return Leases.opened(file, context);
  }

  /** A later group would leave the nodes in the list of the group that is being written. */
  private static void requireNotBeyond(int firstGroup, long length, MetaContext context)
      throws VdfsException {
    int current = context.settings().geometry().groupAt(length);
    if (Integer.compareUnsigned(firstGroup, current) > 0) {
      throw Refusals.invalid(
          "exclusions must begin with the group of the next byte or before: firstGroup="
              + Integer.toUnsignedString(firstGroup)
              + ", length="
              + length
              + ", group="
              + current);
    }
  }

  private static List<ExclusionProto> excluded(ChangePipelineOp op, int epoch)
      throws VdfsException {
    if (op.getExcludedCount() > MAX_NODES) {
      throw Refusals.invalid(
          "at most "
              + MAX_NODES
              + " nodes can be excluded at once: excluded="
              + op.getExcludedCount());
    }
    List<ExclusionProto> excluded = new ArrayList<>();
    for (ByteString node : op.getExcludedList()) {
      excluded.add(
          ExclusionProto.newBuilder()
              .setNode(Checks.id(node, "excluded"))
              .setFirstGroup(op.getFirstGroup())
              .setEndGroup(Exclusions.OPEN_END)
              .setEpoch(epoch)
              .build());
    }
    return excluded;
  }
}
