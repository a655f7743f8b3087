package io.vdfs.common.ring;

import io.vdfs.common.model.NodeId;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The load of every node, held and owned, under the plan being made, compared with its share, and
 * the choice of nodes that follows from it. Confined to one call of the planner.
 */
final class ReplicaLoads {
  private final NodeOrder order;
  private final Shares shares;
  private final boolean racks;
  private final Map<NodeId, Integer> held = new HashMap<>();
  private final Map<NodeId, Integer> owned = new HashMap<>();

  ReplicaLoads(NodeOrder order, Shares shares) {
    this.order = order;
    this.shares = shares;
    this.racks = order.spansRacks();
  }

  void hold(NodeId node, int change) {
    held.merge(node, change, Integer::sum);
  }

  void own(NodeId node, int change) {
    owned.merge(node, change, Integer::sum);
  }

  int held(NodeId node) {
    return held.getOrDefault(node, 0);
  }

  int owned(NodeId node) {
    return owned.getOrDefault(node, 0);
  }

  /** Replicas above the node's share; negative below it; a node without a share has none. */
  double surplus(NodeId node) {
    return order.contains(node) ? held(node) - shares.held(node) : held(node);
  }

  /**
   * The node that an arc with {@code members} should get next: one in a second rack as long as the
   * members lie in one, then the one furthest below its share, then the nearest neighbour of {@code
   * owner}. Empty if every node is a member.
   */
  Optional<NodeId> choose(Collection<NodeId> members, NodeId owner) {
    Set<String> taken = racksOf(members);
    boolean elsewhere = racks && taken.size() == 1;
    NodeId best = null;
    double bestFill = 0;
    for (RingNode candidate : order.neighbours(owner)) {
      boolean allowed = !elsewhere || !taken.contains(candidate.rack());
      double fill = held(candidate.id()) / shares.held(candidate.id());
      if (allowed && !members.contains(candidate.id()) && (best == null || fill < bestFill)) {
        best = candidate.id();
        bestFill = fill;
      }
    }
    return Optional.ofNullable(best);
  }

  /** Whether the members lie in one rack although the nodes are in several. */
  boolean breaksRacks(Collection<NodeId> members) {
    return racks && racksOf(members).size() < 2;
  }

  /**
   * The member among {@code candidates} that is most above its share and that {@code members} can
   * lose without falling into one rack; the later one of equals. Empty if none can go.
   */
  Optional<NodeId> mostLoaded(List<NodeId> candidates, Collection<NodeId> members) {
    NodeId worst = null;
    for (NodeId candidate : candidates) {
      if ((worst == null || surplus(candidate) >= surplus(worst))
          && !losesRack(candidate, members)) {
        worst = candidate;
      }
    }
    return Optional.ofNullable(worst);
  }

  /** Whether {@code members} would fall into one rack without {@code leaver}. */
  boolean losesRack(NodeId leaver, Collection<NodeId> members) {
    return !breaksRacks(members)
        && breaksRacks(members.stream().filter(node -> !node.equals(leaver)).toList());
  }

  private Set<String> racksOf(Collection<NodeId> members) {
    return members.stream()
        .filter(order::contains)
        .map(node -> order.node(node).rack())
        .collect(Collectors.toSet());
  }

  /**
   * The node that should own an arc served by {@code serving}: the first, unless it owns more than
   * its share and another one less than its own.
   */
  NodeId chooseOwner(List<NodeId> serving) {
    NodeId owner = serving.get(0);
    if (!order.contains(owner) || owned(owner) <= Math.ceil(shares.owned(owner))) {
      return owner;
    }
    NodeId best = owner;
    double bestLack = 0;
    for (NodeId candidate : serving.subList(1, serving.size())) {
      double lack =
          order.contains(candidate) ? Math.floor(shares.owned(candidate)) - owned(candidate) : 0;
      if (lack > bestLack) {
        best = candidate;
        bestLack = lack;
      }
    }
    return best;
  }
}
