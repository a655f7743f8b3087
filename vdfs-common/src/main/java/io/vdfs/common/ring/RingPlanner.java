package io.vdfs.common.ring;

import io.vdfs.common.model.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Plans ring maps: a pure function of the old map, the nodes present and the terms of the change.
 * The same input gives the same plan, and planning a plan again with the same nodes changes
 * nothing.
 *
 * <p>Goals in order of priority:
 *
 * <ol>
 *   <li>The replicas of an arc lie on distinct nodes, and an arc never loses its last serving
 *       member; a node that is present leaves only on {@link RingTerms}. Hard.
 *   <li>They lie in two racks where there are two; arcs that cannot are reported. A rack of few
 *       nodes then holds a replica of nearly everything.
 *   <li>Little moves: a node that leaves costs its own replicas, one that joins about 1/N of all.
 *   <li>Nodes hold and own arcs in proportion to their weight, which is the one in the old map for
 *       nodes that it knows. A fresh ring deals consecutive arcs over the nodes in turn; later
 *       imbalances below 2 % are left alone.
 *   <li>Replicas are neighbours in a rack-interleaved order of the nodes, see {@link NodeOrder}.
 * </ol>
 *
 * <p>Example: five nodes in the order a b c d e, replication 3. Fresh, arc 1 is served by b
 * (owner), c (successor), a (predecessor). When b leaves, arc 1 becomes c a, with the node that
 * holds least joining; d, say. Once d has a verified copy, {@code promote} makes it c a d. When f
 * joins, it joins half of the arcs; as it begins to serve one, the node there that holds most moves
 * to the end, and leaves by a later plan, which also hands f the ownership of a sixth of the ring.
 *
 * <p>A node that is to leave stays on its arcs until others have joined in its place and begun to
 * serve: in the example above d stands where b was, b stands last, and goes when a, c and d hold
 * everything. As long as fewer others are present than an arc has copies, no node leaves.
 *
 * <p>Two situations stop planning, because the copies are most likely still there: more than a
 * third of the map's nodes missing at once, unless the terms accept that, and fewer nodes alive
 * than replicas. Even then the map follows what nodes publish anew.
 */
public final class RingPlanner {
  private RingPlanner() {}

  /**
   * As below, for a ring whose nodes all hold what they should.
   *
   * @param old the map in force; empty to deal a fresh ring, of epoch 1
   * @param live the nodes alive; must not be empty for a fresh ring
   * @param replication copies asked for; a map's replication is the least of it and the number of
   *     nodes, and does not shrink when nodes die
   * @param arcs number of arcs, fixed when the cluster is formatted
   * @throws IllegalArgumentException if the arguments contradict one another
   */
  public static RingPlan plan(
      Optional<RingMap> old, Collection<RingNode> live, int replication, int arcs) {
    RingMap.checkReplication(replication);
    RingMap.checkArcs(arcs);
    if (old.isEmpty()) {
      return fresh(byId(live), replication, arcs);
    }
    RingMap map = old.get();
    if (map.arcCount() != arcs) {
      throw new IllegalArgumentException(
          "the number of arcs is fixed: map=" + map.arcCount() + ", asked=" + arcs);
    }
    Set<NodeId> all = new HashSet<>(map.nodes().keySet());
    live.forEach(node -> all.add(node.id()));
    return plan(map, live, replication, RingTerms.allConfirmed(all));
  }

  /**
   * The plan that follows from a map.
   *
   * @param present nodes to plan with: those alive, and those missing that are waited for. Others
   *     lose their places
   * @param replication as above
   * @throws IllegalArgumentException if the arguments contradict one another
   */
  public static RingPlan plan(
      RingMap old, Collection<RingNode> present, int replication, RingTerms terms) {
    RingMap.checkReplication(replication);
    return change(old, byId(present.stream().map(old::weighed).toList()), replication, terms);
  }

  /** {@link #promote(RingMap, Collection, NodeId, Set)} for one arc, where no node leaves. */
  public static RingMap promote(RingMap map, int arc, NodeId node) {
    return promote(map, Set.of(arc), node, Set.of());
  }

  /**
   * Makes a joining node of some arcs a serving one, last in order of as many as the map has
   * replicas; a node that stood there goes to the end, see {@link Promotion}. Call it only once the
   * node has a verified copy of all that these arcs should hold, or what it may lack is recorded.
   *
   * @param leaving nodes that are to give their places up: one of them goes to the end rather than
   *     another one
   * @return a map of the next epoch
   * @throws IllegalArgumentException if the node is not joining on one of the arcs
   */
  public static RingMap promote(
      RingMap map, Collection<Integer> arcs, NodeId node, Set<NodeId> leaving) {
    List<ArcReplicas> changed = new ArrayList<>(map.arcs());
    Promotion promotion = new Promotion(map, leaving);
    for (int arc : arcs) {
      if (arc < 0 || arc >= changed.size()) {
        throw new IllegalArgumentException("no such arc: arc=" + arc + ", arcs=" + map.arcCount());
      }
      ArcReplicas replicas = changed.get(arc);
      if (!replicas.joining().contains(node)) {
        throw new IllegalArgumentException(
            "node is not joining: node=" + node + ", arc=" + arc + ", replicas=" + replicas);
      }
      changed.set(arc, promotion.promote(replicas, node));
    }
    return map.next(map.replication(), changed, map.nodes());
  }

  private static Map<NodeId, RingNode> byId(Collection<RingNode> live) {
    Map<NodeId, RingNode> nodes = new TreeMap<>();
    for (RingNode node : live) {
      RingNode twin = nodes.put(node.id(), node);
      if (twin != null) {
        throw new IllegalArgumentException("a node is listed twice: " + twin + " and " + node);
      }
    }
    return nodes;
  }

  private static RingPlan fresh(Map<NodeId, RingNode> nodes, int replication, int arcs) {
    if (nodes.isEmpty()) {
      throw new IllegalArgumentException("a fresh ring needs a node: arcs=" + arcs);
    }
    NodeOrder order = NodeOrder.of(nodes.values());
    List<ArcReplicas> dealt = new FreshRing(order, replication, arcs).deal();
    RingMap map = new RingMap(1, Math.min(replication, nodes.size()), Placement.TURN, dealt, nodes);
    return new RingPlan(RingPlan.Outcome.FRESH, map, 0, map.rackViolations());
  }

  private static RingPlan change(
      RingMap old, Map<NodeId, RingNode> live, int requested, RingTerms terms) {
    if (!terms.massLossAccepted()
        && vanished(old, live.keySet()).size() * 3 > old.members().size()) {
      return RingPlan.keep(RingPlan.Outcome.FROZEN, old.withAddresses(live.values()));
    }
    Map<NodeId, RingNode> staying = new TreeMap<>(live);
    staying.keySet().removeAll(terms.leaving());
    int replication = Math.min(requested, Math.max(old.replication(), staying.size()));
    if (live.size() < replication) {
      return RingPlan.keep(RingPlan.Outcome.TOO_FEW_NODES, old.withAddresses(live.values()));
    }
    NodeOrder order = NodeOrder.of(staying.size() < replication ? live.values() : staying.values());
    List<ArcReplicas> changed =
        new RingChange(old.arcs(), live.keySet(), order, replication, terms).arcs();
    RingMap map = old.next(replication, changed, known(old, changed, live));
    RingPlan.Outcome outcome =
        map.equals(old) ? RingPlan.Outcome.UNCHANGED : RingPlan.Outcome.CHANGED;
    int moved = RingChange.movedReplicas(old.arcs(), changed);
    return new RingPlan(outcome, map, moved, map.rackViolations());
  }

  /**
   * Missing nodes that no plan has dealt with yet. A serving node of an arc that no live node
   * serves, and for which others joined, vanished before they were chosen.
   */
  private static Set<NodeId> vanished(RingMap map, Set<NodeId> live) {
    Set<NodeId> vanished = new HashSet<>();
    for (ArcReplicas arc : map.arcs()) {
      boolean waits = Collections.disjoint(arc.serving(), live) && !arc.joining().isEmpty();
      vanished.addAll(waits ? arc.joining() : arc.members().toList());
    }
    vanished.removeAll(live);
    return vanished;
  }

  private static Map<NodeId, RingNode> known(
      RingMap old, List<ArcReplicas> arcs, Map<NodeId, RingNode> live) {
    Map<NodeId, RingNode> known = new TreeMap<>(live);
    arcs.stream()
        .flatMap(ArcReplicas::members)
        .distinct()
        .forEach(node -> known.putIfAbsent(node, old.nodes().get(node)));
    return known;
  }
}
