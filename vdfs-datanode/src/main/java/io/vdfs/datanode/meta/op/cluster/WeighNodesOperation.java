package io.vdfs.datanode.meta.op.cluster;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.EmptyResult;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.NodeWeightProto;
import io.vdfs.common.wire.proto.WeighNodesOp;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Checks;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;
import java.util.Map;
import java.util.TreeMap;

/**
 * Gives nodes other weights in the recorded ring map, whose places follow by later changes. Refused
 * while anything is to be copied, as the moves would come before that.
 */
final class WeighNodesOperation implements Operation {
  private static final int MOST_NODES = 1000;

  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    context.access().requireSuperuser("decision about the shares of nodes");
    RingMap ring = RecordedRing.require(context);
    RingMap weighed = weighed(ring, weights(request.getWeighNodes(), ring));
    requireSettled(ring, context);
    if (!weighed.equals(ring)) {
      changes.recordCluster(RecordedRing.with(weighed, context));
    }
    return MetaResponse.newBuilder().setEmpty(EmptyResult.getDefaultInstance()).build();
  }

  private static Map<NodeId, Double> weights(WeighNodesOp op, RingMap ring) throws VdfsException {
    if (op.getWeightsCount() < 1 || op.getWeightsCount() > MOST_NODES) {
      throw Refusals.invalid(
          "name 1 to " + MOST_NODES + " nodes at once: nodes=" + op.getWeightsCount());
    }
    Map<NodeId, Double> weights = new TreeMap<>();
    for (NodeWeightProto weight : op.getWeightsList()) {
      NodeId node = WireIds.nodeId(Checks.id(weight.getNode(), "node"));
      if (weights.put(node, weight.getWeight()) != null) {
        throw Refusals.invalid("a node is named twice: node=" + node);
      }
      if (!ring.nodes().containsKey(node)) {
        throw new VdfsException(
            ErrorCode.NOT_FOUND,
            "the ring map has no such node: node=%s, nodes=%s; see 'vdfs node status'"
                .formatted(node, ring.nodes().keySet()));
      }
    }
    return weights;
  }

  private static RingMap weighed(RingMap ring, Map<NodeId, Double> weights) throws VdfsException {
    try {
      return ring.withWeights(weights);
    } catch (IllegalArgumentException e) {
      throw Refusals.invalid(e.getMessage());
    }
  }

  private static void requireSettled(RingMap ring, MetaContext context) throws VdfsException {
    long joining = ring.arcs().stream().filter(arc -> !arc.joining().isEmpty()).count();
    if (joining > 0) {
      throw Refusals.invalid(
          "nodes are copying for places that they are to take: arcs=%d; wait until 'vdfs report' shows none"
              .formatted(joining));
    }
    for (long id : context.namespace().lacking()) {
      InodeRecord file = context.namespace().inode(id);
      if (context.namespace().isAttached(file) && !Inodes.isOpen(file)) {
        throw Refusals.invalid(
            "copies are missing, one of them of=%s; wait until 'vdfs report' shows none"
                .formatted(context.namespace().path(file)));
      }
    }
  }
}
