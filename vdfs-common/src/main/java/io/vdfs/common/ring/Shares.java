package io.vdfs.common.ring;

import io.vdfs.common.model.NodeId;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How many arcs each node should own and how many replicas it should hold, by weight. A node holds
 * an arc at most once, so what a heavy node cannot hold goes to the others. Immutable.
 */
final class Shares {
  private final Map<NodeId, Double> owned = new HashMap<>();
  private final Map<NodeId, Double> held = new HashMap<>();

  Shares(NodeOrder order, int arcs, int replication) {
    double weight = order.nodes().stream().mapToDouble(RingNode::weight).sum();
    for (RingNode node : order.nodes()) {
      owned.put(node.id(), arcs * node.weight() / weight);
    }
    double slots = (double) arcs * Math.min(replication, order.size());
    List<RingNode> heaviestFirst =
        order.nodes().stream()
            .sorted(Comparator.comparingDouble(RingNode::weight).reversed())
            .toList();
    for (RingNode node : heaviestFirst) {
      double share = Math.min(arcs, slots * node.weight() / weight);
      held.put(node.id(), share);
      slots -= share;
      weight -= node.weight();
    }
  }

  double owned(NodeId node) {
    return owned.get(node);
  }

  double held(NodeId node) {
    return held.get(node);
  }
}
