package io.vdfs.datanode.meta.op.names;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.AckDeletionsOp;
import io.vdfs.common.wire.proto.EmptyResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Checks;
import io.vdfs.datanode.meta.op.change.DeletionProgress;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.DeletionQueue;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;
import java.util.Set;
import java.util.TreeSet;

/**
 * Records how far a node has deleted, drops what all nodes of the ring deleted that are not too far
 * behind, and forgets nodes that left the ring.
 */
final class AckDeletionsOperation implements Operation {
  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    context.access().requireSuperuser("deletion acknowledgement");
    AckDeletionsOp op = request.getAckDeletions();
    ByteString node = Checks.id(op.getNode(), "node");
    DeletionQueue queue = context.deletions();
    requireAsked(queue, op.getSequence());
    requireAsked(queue, op.getLookedThrough());
    DeletionProgress progress =
        new DeletionProgress(queue, context.settings().limits(), context.now());
    progress.acknowledge(node, op.getSequence());
    if (op.getLookedThrough() > 0) {
      progress.lookedThrough(node, op.getLookedThrough());
    }
    if (op.getNodesCount() > 0) {
      Set<ByteString> ring = new TreeSet<>(DeletionQueue.NODE_ORDER);
      for (ByteString member : op.getNodesList()) {
        ring.add(Checks.id(member, "nodes"));
      }
      progress.follow(ring, node);
      progress.advance(ring, 0);
    }
    changes.putDeletionProgress(progress);
    return MetaResponse.newBuilder().setEmpty(EmptyResult.getDefaultInstance()).build();
  }

  private static void requireAsked(DeletionQueue queue, long sequence) throws VdfsException {
    if (sequence < 0 || sequence > queue.lastSequence()) {
      throw Refusals.invalid(
          "deletion was never asked for: sequence=%s, last=%s"
              .formatted(Long.toUnsignedString(sequence), queue.lastSequence()));
    }
  }
}
