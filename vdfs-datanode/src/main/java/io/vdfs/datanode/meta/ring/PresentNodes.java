package io.vdfs.datanode.meta.ring;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Decides which nodes count as present when the ring map is planned. Goals in order of priority:
 *
 * <ol>
 *   <li>While no node can be seen, none counts as missing: the wait for a missing node begins anew
 *       afterwards, and so it does with a new leader.
 *   <li>Where more than a third of the nodes with places are missing it is most likely the network,
 *       or ZooKeeper, and they come back: the map stays as it is for {@link RingPatience#massLoss},
 *       new nodes wait too. The count is the planner's, which would otherwise refuse what is
 *       accepted here.
 *   <li>A node whose absence leaves some arc with one live node or none is waited for briefly, any
 *       other one longer.
 *   <li>A node that an operator told not to wait for is not waited for, and does not count in that
 *       third.
 *   <li>A new node is present at once, and so is one that returns.
 * </ol>
 *
 * <p>Time counts only while this process looks: a pause between two looks counts as {@link
 * #LONGEST_STEP} at most, so that a process that stood still does not count all others as missing
 * for that time. Deterministic; not thread-safe.
 */
public final class PresentNodes {
  static final Duration LONGEST_STEP = Duration.ofSeconds(5);

  private final RingPatience patience;
  private final Map<NodeId, Duration> missingFor = new HashMap<>();
  private Optional<Long> lastLook = Optional.empty();

  public PresentNodes(RingPatience patience) {
    this.patience = patience;
  }

  /** Nothing can be seen of the nodes now. */
  public void onBlindness() {
    missingFor.clear();
    lastLook = Optional.empty();
  }

  /**
   * @param map the recorded one
   * @param live what the nodes alive publish
   * @param notAwaited nodes that are not waited for if they are missing
   * @param nanoTime now, as by {@link System#nanoTime}
   */
  public Presence look(
      RingMap map, Collection<RingNode> live, Set<NodeId> notAwaited, long nanoTime) {
    Map<NodeId, RingNode> alive = new TreeMap<>();
    live.forEach(node -> alive.put(node.id(), node));
    count(map, alive.keySet(), nanoTime);
    Map<NodeId, Presence.Missing> missing = missing(map, alive.keySet(), notAwaited);
    boolean overdue = missing.values().stream().anyMatch(Presence.Missing::isOverdue);
    Set<NodeId> members = map.members();
    long lost = missing.keySet().stream().filter(members::contains).count();
    boolean massLoss = lost * 3 > members.size();
    boolean holds = massLoss && !overdue;
    Map<NodeId, RingNode> present = new TreeMap<>(alive);
    if (holds) {
      present.keySet().retainAll(map.nodes().keySet());
    }
    missing.forEach(
        (node, state) -> {
          if (!state.isOverdue()) {
            present.put(node, map.nodes().get(node));
          }
        });
    return new Presence(
        present.values().stream().toList(),
        alive.keySet(),
        missing,
        massLoss && overdue,
        holds
            ? Optional.of(
                "more than a third of the ring's nodes are missing: missing=%d, nodes=%d"
                    .formatted(lost, members.size()))
            : Optional.empty());
  }

  private void count(RingMap map, Set<NodeId> alive, long nanoTime) {
    Duration step = lastLook.map(last -> step(nanoTime - last)).orElse(Duration.ZERO);
    lastLook = Optional.of(nanoTime);
    Set<NodeId> missing = new HashSet<>(map.nodes().keySet());
    missing.removeAll(alive);
    missingFor.keySet().retainAll(missing);
    missingFor.replaceAll((node, time) -> time.plus(step));
    missing.forEach(node -> missingFor.putIfAbsent(node, Duration.ZERO));
  }

  private static Duration step(long nanos) {
    return Duration.ofNanos(Math.max(0, Math.min(nanos, LONGEST_STEP.toNanos())));
  }

  private Map<NodeId, Presence.Missing> missing(
      RingMap map, Set<NodeId> alive, Set<NodeId> notAwaited) {
    Set<NodeId> members = map.members();
    long awaited =
        missingFor.keySet().stream()
            .filter(node -> members.contains(node) && !notAwaited.contains(node))
            .count();
    boolean massLoss = awaited * 3 > members.size();
    Set<NodeId> scarce = new HashSet<>();
    for (ArcReplicas arc : map.arcs()) {
      if (arc.serving().size() > 1 && arc.serving().stream().filter(alive::contains).count() <= 1) {
        scarce.addAll(arc.serving());
      }
    }
    Map<NodeId, Presence.Missing> missing = new TreeMap<>();
    missingFor.forEach(
        (node, time) ->
            missing.put(
                node,
                new Presence.Missing(
                    time,
                    notAwaited.contains(node)
                        ? Optional.of(Duration.ZERO)
                        : limit(scarce.contains(node), massLoss))));
    return missing;
  }

  private Optional<Duration> limit(boolean scarce, boolean massLoss) {
    Duration limit = scarce ? patience.scarce() : patience.usual();
    if (limit.isZero() || (massLoss && patience.massLoss().isZero())) {
      return Optional.empty();
    }
    boolean longer = massLoss && patience.massLoss().compareTo(limit) > 0;
    return Optional.of(longer ? patience.massLoss() : limit);
  }
}
