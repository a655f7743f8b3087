package io.vdfs.datanode.meta.op.cluster;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.EmptyResult;
import io.vdfs.common.wire.proto.MarkNodesOp;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Checks;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;
import io.vdfs.datanode.meta.state.nodes.NodeMarks;
import java.util.Set;
import java.util.TreeSet;

/**
 * Records that nodes are to leave, are gone for good, or are to stay. The ring map follows by later
 * changes. Refused where fewer nodes would stay than an arc has copies, or where the last copies of
 * groups would be given up and the request does not accept that.
 */
final class MarkNodesOperation implements Operation {
  private static final int MOST_NODES = 1000;

  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    context.access().requireSuperuser("decision about a node");
    MarkNodesOp op = request.getMarkNodes();
    RingMap ring = RecordedRing.require(context);
    NodeMarks marks = NodeMarks.of(context.cluster());
    Set<NodeId> nodes = nodes(op);
    requireKnown(nodes, ring, marks);
    NodeMarks after =
        switch (op.getMark()) {
          case MARK_STAYING -> marks.without(nodes);
          case MARK_LEAVING -> leaving(nodes, ring, marks);
          case MARK_GONE -> gone(nodes, ring, marks, op.getAcceptLoss(), context);
          case UNRECOGNIZED -> throw Refusals.invalid("no such mark: mark=" + op.getMarkValue());
        };
    if (!after.equals(marks)) {
      changes.recordCluster(after.in(context.cluster()));
    }
    return MetaResponse.newBuilder().setEmpty(EmptyResult.getDefaultInstance()).build();
  }

  private static Set<NodeId> nodes(MarkNodesOp op) throws VdfsException {
    if (op.getNodesCount() < 1 || op.getNodesCount() > MOST_NODES) {
      throw Refusals.invalid(
          "name 1 to " + MOST_NODES + " nodes at once: nodes=" + op.getNodesCount());
    }
    Set<NodeId> nodes = new TreeSet<>();
    for (ByteString node : op.getNodesList()) {
      nodes.add(WireIds.nodeId(Checks.id(node, "node")));
    }
    return nodes;
  }

  private static void requireKnown(Set<NodeId> nodes, RingMap ring, NodeMarks marks)
      throws VdfsException {
    for (NodeId node : nodes) {
      if (!ring.nodes().containsKey(node)
          && !marks.leaving().contains(node)
          && !marks.gone().contains(node)) {
        throw new VdfsException(
            ErrorCode.NOT_FOUND,
            "the ring map has no such node: node=%s, nodes=%s; see 'vdfs node status'"
                .formatted(node, ring.nodes().keySet()));
      }
    }
  }

  private static NodeMarks leaving(Set<NodeId> nodes, RingMap ring, NodeMarks marks)
      throws VdfsException {
    for (NodeId node : nodes) {
      if (marks.gone().contains(node)) {
        throw Refusals.invalid("a node that is gone cannot leave: node=" + node);
      }
    }
    NodeMarks after = marks.withLeaving(nodes);
    Set<NodeId> staying = new TreeSet<>(ring.nodes().keySet());
    staying.removeAll(after.leaving());
    staying.removeAll(after.gone());
    if (staying.size() < ring.replication()) {
      throw Refusals.invalid(
          "fewer nodes would stay than each arc has copies: staying=%d, copies=%d, leaving=%s, gone=%s; add nodes first"
              .formatted(staying.size(), ring.replication(), after.leaving(), after.gone()));
    }
    return after;
  }

  private static NodeMarks gone(
      Set<NodeId> nodes, RingMap ring, NodeMarks marks, boolean acceptLoss, MetaContext context)
      throws VdfsException {
    NodeMarks after = marks.withGone(nodes);
    if (after.gone().containsAll(ring.nodes().keySet())) {
      throw Refusals.invalid(
          "no node would be left: gone=%s; start one of them".formatted(after.gone()));
    }
    if (!acceptLoss) {
      requireOtherCopies(new LastCopies(after.gone(), ring, context), after);
    }
    return after;
  }

  private static void requireOtherCopies(LastCopies copies, NodeMarks after) throws VdfsException {
    if (copies.groups() > 0) {
      throw Refusals.invalid(
          "these nodes alone have the last copies on record: gone=%s, groups=%d, one of them of=%s; bring one back, or accept the loss with --accept-loss"
              .formatted(after.gone(), copies.groups(), copies.example()));
    }
  }
}
