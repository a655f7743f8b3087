package io.vdfs.common.ring;

import io.vdfs.common.model.NodeId;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Works out the arcs that follow from a map and the nodes alive now. Steps, each keeping what the
 * earlier ones reached:
 *
 * <ol>
 *   <li>Drop missing nodes, except from an arc that no live node serves: it waits for them.
 *   <li>Move leaving nodes behind the others, where an arc has more than it needs; else drop
 *       serving nodes that stand behind the replication, where the terms allow it.
 *   <li>Let nodes join arcs that have too few replicas, those of leaving nodes not counted, or all
 *       of them in one rack.
 *   <li>With no copy under way: let nodes clearly below their share join arcs of those above it.
 *       The node replaced is moved behind the others when the new one begins to serve, and goes in
 *       step 2 of a later plan.
 *   <li>Pass the ownership of arcs from nodes that own more than their share to serving ones that
 *       own less.
 * </ol>
 *
 * Confined to one call of the planner.
 */
final class RingChange {
  private static final int TOLERATED_DEFICIT = 3;
  private static final double TOLERATED_FRACTION = 0.02;
  private static final double GOLDEN_SECTION = 0.618034;

  private final Set<NodeId> present;

  /** The nodes that stay. */
  private final NodeOrder order;

  private final int replication;
  private final RingTerms terms;
  private final Shares shares;
  private final ReplicaLoads loads;
  private final List<Draft> drafts = new ArrayList<>();

  /**
   * @param present nodes that keep what they serve for now
   * @param order those of them that places are given to; the others are to leave
   */
  RingChange(
      List<ArcReplicas> arcs,
      Set<NodeId> present,
      NodeOrder order,
      int replication,
      RingTerms terms) {
    this.present = present;
    this.order = order;
    this.replication = replication;
    this.terms = terms;
    this.shares = new Shares(order, arcs.size(), replication);
    this.loads = new ReplicaLoads(order, shares);
    arcs.forEach(arc -> drafts.add(new Draft(drafts.size(), arc)));
  }

  List<ArcReplicas> arcs() {
    drafts.forEach(this::dropMissing);
    drafts.forEach(this::count);
    drafts.forEach(this::dropExtra);
    drafts.forEach(this::fill);
    if (drafts.stream().allMatch(draft -> draft.joining.isEmpty())) {
      balance();
    }
    spread().forEach(this::reorder);
    return drafts.stream().map(Draft::finish).toList();
  }

  /**
   * The arcs in an order that goes over the whole ring again and again: a node that passes arcs on
   * until it owns its share does so everywhere, not on one stretch that a run of files would then
   * fill.
   */
  private List<Draft> spread() {
    int count = drafts.size();
    BigInteger arcs = BigInteger.valueOf(count);
    int step = Math.max(1, (int) (count * GOLDEN_SECTION));
    while (arcs.gcd(BigInteger.valueOf(step)).intValue() != 1) {
      step++;
    }
    List<Draft> spread = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      spread.add(drafts.get((int) ((long) i * step % count)));
    }
    return spread;
  }

  private void dropMissing(Draft draft) {
    draft.joining.removeIf(node -> !order.contains(node));
    draft.serving.retainAll(draft.before.serving(present));
  }

  /** A node that is to leave does not count as holding: its place is another node's. */
  private void count(Draft draft) {
    draft.counted(replication).forEach(node -> loads.hold(node, 1));
    draft.joining.forEach(node -> loads.hold(node, 1));
    loads.own(draft.serving.get(0), 1);
  }

  private void dropExtra(Draft draft) {
    if (retreat(draft)) {
      return;
    }
    while (draft.serving.size() > replication) {
      NodeId last = draft.serving.get(draft.serving.size() - 1);
      if (loads.losesRack(last, draft.serving)) {
        exchange(draft, last);
        return;
      }
      if (!terms.mayLeave(draft.arc, last, draft.serving)) {
        return;
      }
      draft.serving.remove(last);
    }
  }

  /**
   * Moves leaving nodes to the end. They do not go at once, as a node that gets a better place may
   * lack what was written while it stood behind.
   */
  private boolean retreat(Draft draft) {
    List<NodeId> staying = draft.serving.stream().filter(node -> !isLeaving(node)).toList();
    if (draft.serving.size() <= replication
        || draft.serving.subList(0, staying.size()).equals(staying)) {
      return false;
    }
    List<NodeId> leaving = draft.serving.stream().filter(this::isLeaving).toList();
    draft.counted(replication).forEach(node -> loads.hold(node, -1));
    loads.own(draft.serving.get(0), -1);
    draft.serving.clear();
    draft.serving.addAll(staying);
    draft.serving.addAll(leaving);
    draft.counted(replication).forEach(node -> loads.hold(node, 1));
    loads.own(draft.serving.get(0), 1);
    return true;
  }

  /**
   * A node other than {@code last} has to leave, but not at once: {@code last} gets its place
   * first, and may lack what was written while it stood behind.
   */
  private void exchange(Draft draft, NodeId last) {
    loads
        .mostLoaded(draft.counted(replication), draft.serving)
        .ifPresent(
            leaver -> {
              loads.own(draft.serving.get(0), -1);
              draft.serving.remove(leaver);
              draft.serving.remove(last);
              draft.serving.add(replication - 1, last);
              draft.serving.add(leaver);
              loads.own(draft.serving.get(0), 1);
              loads.hold(leaver, -1);
              loads.hold(last, 1);
            });
  }

  private void fill(Draft draft) {
    while (staying(draft) < replication
        || (replication > 1 && loads.breaksRacks(draft.members()))) {
      Optional<NodeId> chosen = loads.choose(draft.members(), draft.serving.get(0));
      if (chosen.isEmpty()) {
        return;
      }
      join(draft, chosen.get());
    }
  }

  private long staying(Draft draft) {
    return draft.members().stream().filter(node -> !isLeaving(node)).count();
  }

  private boolean isLeaving(NodeId node) {
    return present.contains(node) && !order.contains(node);
  }

  private void join(Draft draft, NodeId node) {
    draft.joining.add(node);
    loads.hold(node, 1);
  }

  private void balance() {
    for (RingNode node : order.nodes()) {
      double share = Math.floor(shares.held(node.id()));
      int deficit = (int) share - loads.held(node.id());
      if (deficit > Math.max(TOLERATED_DEFICIT, share * TOLERATED_FRACTION)) {
        attract(node.id(), deficit);
      }
    }
  }

  /** Lets {@code node} join up to {@code deficit} arcs, spread evenly over the ring. */
  private void attract(NodeId node, int deficit) {
    for (int i = 0; i < deficit; i++) {
      int start = (int) ((long) i * drafts.size() / deficit);
      if (!attractOne(node, start)) {
        return;
      }
    }
  }

  /** Takes a place from the most loaded node possible, on the first arc from {@code start} on. */
  private boolean attractOne(NodeId node, int start) {
    for (NodeId donor : donors()) {
      for (int i = 0; i < drafts.size(); i++) {
        Draft draft = drafts.get((start + i) % drafts.size());
        if (canReplace(draft, donor, node)) {
          join(draft, node);
          loads.hold(donor, -1);
          return true;
        }
      }
    }
    return false;
  }

  /** Nodes that can give a replica away, the one most above its share first. */
  private List<NodeId> donors() {
    return order.nodes().stream()
        .map(RingNode::id)
        .filter(node -> loads.held(node) > Math.floor(shares.held(node)))
        .sorted(Comparator.comparingDouble(loads::surplus).reversed())
        .toList();
  }

  private boolean canReplace(Draft draft, NodeId donor, NodeId newcomer) {
    if (draft.size() != replication
        || !draft.serving.contains(donor)
        || draft.serving.contains(newcomer)
        || draft.joining.contains(newcomer)) {
      return false;
    }
    List<NodeId> members = draft.members();
    members.add(newcomer);
    return !loads.losesRack(donor, members);
  }

  private void reorder(Draft draft) {
    NodeId owner = loads.chooseOwner(draft.counted(replication));
    if (!owner.equals(draft.serving.get(0))) {
      loads.own(draft.serving.get(0), -1);
      loads.own(owner, 1);
      draft.serving.remove(owner);
      draft.serving.add(0, owner);
    }
  }

  /** Replicas that {@code after} lists and {@code before} does not. */
  static int movedReplicas(List<ArcReplicas> before, List<ArcReplicas> after) {
    int moved = 0;
    for (int arc = 0; arc < after.size(); arc++) {
      ArcReplicas old = before.get(arc);
      moved += (int) after.get(arc).members().filter(node -> !old.contains(node)).count();
    }
    return moved;
  }

  /** One arc being changed. */
  private static final class Draft {
    final int arc;
    final ArcReplicas before;
    final List<NodeId> serving;
    final List<NodeId> joining;

    Draft(int number, ArcReplicas before) {
      this.arc = number;
      this.before = before;
      serving = new ArrayList<>(before.serving());
      joining = new ArrayList<>(before.joining());
    }

    List<NodeId> counted(int replication) {
      return List.copyOf(serving.subList(0, Math.min(replication, serving.size())));
    }

    int size() {
      return serving.size() + joining.size();
    }

    /** A new list that the caller may change. */
    List<NodeId> members() {
      List<NodeId> members = new ArrayList<>(serving);
      members.addAll(joining);
      return members;
    }

    ArcReplicas finish() {
      return new ArcReplicas(serving, joining);
    }
  }
}
