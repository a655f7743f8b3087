package io.vdfs.datanode.membership;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.NodeOrder;
import io.vdfs.common.ring.RingNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides which nodes become metadata members: spread over racks first, then apart in ring order,
 * so that no rack, and no two neighbours that hold the same bytes, take more of the names with them
 * than need be. Nodes are chosen one by one: of the racks with the fewest members the node farthest
 * from its nearest member on the circle, of these the first in ring order. Pure.
 *
 * <p>With eight nodes of one rack, in order a to h, the members are a, e, c, g, b.
 */
public final class MemberSpread {
  private MemberSpread() {}

  /** {@code count} of the nodes, the first choice first. */
  public static List<RingNode> choose(Collection<RingNode> nodes, int count) {
    List<RingNode> rest = new ArrayList<>(NodeOrder.of(nodes).nodes());
    List<RingNode> chosen = new ArrayList<>();
    while (chosen.size() < count && !rest.isEmpty()) {
      RingNode next = rest.stream().min(preference(nodes, chosen)).orElseThrow();
      chosen.add(next);
      rest.remove(next);
    }
    return chosen;
  }

  /**
   * The best choice first, for one more member.
   *
   * @param nodes all that stand on the circle, those to be compared among them
   * @param members that are there already
   */
  public static Comparator<RingNode> preference(
      Collection<RingNode> nodes, Collection<RingNode> members) {
    List<RingNode> order = NodeOrder.of(nodes).nodes();
    Map<NodeId, Integer> places = new HashMap<>();
    for (RingNode node : order) {
      places.put(node.id(), places.size());
    }
    Map<String, Integer> racks = new HashMap<>();
    members.forEach(member -> racks.merge(member.rack(), 1, Integer::sum));
    List<Integer> taken =
        members.stream().map(RingNode::id).filter(places::containsKey).map(places::get).toList();
    return Comparator.<RingNode>comparingInt(node -> racks.getOrDefault(node.rack(), 0))
        .thenComparingInt(node -> -distance(places.get(node.id()), taken, order.size()))
        .thenComparingInt(node -> places.get(node.id()));
  }

  /** Steps to the nearest taken place, whichever way round. */
  private static int distance(int place, List<Integer> taken, int places) {
    return taken.stream()
        .mapToInt(other -> Math.abs(place - other))
        .map(steps -> Math.min(steps, places - steps))
        .min()
        .orElse(places);
  }
}
