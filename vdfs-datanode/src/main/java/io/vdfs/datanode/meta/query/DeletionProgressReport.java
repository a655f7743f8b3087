package io.vdfs.datanode.meta.query;

import io.vdfs.common.wire.proto.DeletionAckRecord;
import io.vdfs.common.wire.proto.DeletionProgressResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.NodeDeletionsProto;
import io.vdfs.datanode.meta.state.DeletionQueue;
import io.vdfs.datanode.meta.state.MetaContext;

/** How far the nodes have deleted; for any caller. */
final class DeletionProgressReport implements Query {
  @Override
  public MetaResponse answer(MetaRequest request, MetaContext context) {
    DeletionQueue queue = context.deletions();
    DeletionProgressResult.Builder result =
        DeletionProgressResult.newBuilder().setQueued(queue.size()).setDropped(queue.dropped());
    for (DeletionAckRecord node : queue.nodes().values()) {
      result.addNodes(
          NodeDeletionsProto.newBuilder()
              .setNode(node.getNode())
              .setSequence(node.getSequence())
              .setBehind(queue.isBehind(node))
              .setMissed(node.getMissed()));
    }
    return MetaResponse.newBuilder().setDeletionProgress(result).build();
  }
}
