package io.vdfs.common.ring;

import io.vdfs.common.model.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The circle of nodes in which replicas are neighbours: racks are interleaved, so that neighbours
 * lie in different racks wherever the racks' sizes allow it. Node {@code j} of a rack with {@code
 * s} nodes stands at {@code (j + 1/2) / s} of the circle; ties go by rack name. Within a rack nodes
 * go by id. With racks a = {1, 2, 3, 4} and b = {5, 6} the order is 1 5 2 3 6 4. Immutable.
 */
public final class NodeOrder {
  private final List<RingNode> nodes;
  private final Map<NodeId, Integer> positions = new HashMap<>();

  private NodeOrder(List<RingNode> nodes) {
    this.nodes = List.copyOf(nodes);
    for (int i = 0; i < nodes.size(); i++) {
      positions.put(nodes.get(i).id(), i);
    }
  }

  /** The order of {@code nodes}, whatever order they come in. */
  public static NodeOrder of(Collection<RingNode> nodes) {
    Map<String, List<RingNode>> racks = new TreeMap<>();
    nodes.stream()
        .sorted(Comparator.comparing(RingNode::id))
        .forEach(node -> racks.computeIfAbsent(node.rack(), r -> new ArrayList<>()).add(node));
    List<Place> places = new ArrayList<>();
    for (List<RingNode> rack : racks.values()) {
      for (int i = 0; i < rack.size(); i++) {
        places.add(new Place(rack.get(i), 2L * i + 1, rack.size()));
      }
    }
    places.sort(Comparator.naturalOrder());
    return new NodeOrder(places.stream().map(Place::node).toList());
  }

  public List<RingNode> nodes() {
    return nodes;
  }

  int size() {
    return nodes.size();
  }

  boolean contains(NodeId node) {
    return positions.containsKey(node);
  }

  RingNode node(NodeId id) {
    return nodes.get(positions.get(id));
  }

  boolean spansRacks() {
    return nodes.stream().map(RingNode::rack).distinct().count() > 1;
  }

  /**
   * The others as seen from the node at {@code position}: successor, predecessor, second successor,
   * second predecessor and so on.
   */
  List<RingNode> neighbours(int position) {
    List<RingNode> result = new ArrayList<>(nodes.size() - 1);
    for (int step = 1; result.size() < nodes.size() - 1; step++) {
      result.add(nodes.get(Math.floorMod(position + step, nodes.size())));
      if (result.size() < nodes.size() - 1) {
        result.add(nodes.get(Math.floorMod(position - step, nodes.size())));
      }
    }
    return result;
  }

  /**
   * Others as in {@link #neighbours(int)}; all nodes in order if {@code node} is not one of them.
   */
  List<RingNode> neighbours(NodeId node) {
    Integer position = positions.get(node);
    return position == null ? nodes : neighbours(position);
  }

  /** A node at {@code numerator / (2 * rackSize)} of the circle; exact, without rounding. */
  private record Place(RingNode node, long numerator, int rackSize) implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      int byPlace = Long.compare(numerator * other.rackSize, other.numerator * rackSize);
      return byPlace != 0 ? byPlace : node.rack().compareTo(other.node.rack());
    }
  }
}
