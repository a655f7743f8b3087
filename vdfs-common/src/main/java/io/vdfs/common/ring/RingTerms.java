package io.vdfs.common.ring;

import io.vdfs.common.model.NodeId;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * On which terms a ring map may take a place from a node that is present, and whether it may follow
 * a mass loss. A place is taken from a present node only where all others that serve the arc are
 * known to hold everything that they should, and where no group has it as a keeper because one of
 * the others is left out: a node that left may then be forgotten. Immutable.
 *
 * @param leaving nodes that are to give all their places up; those present go on serving until
 *     others have taken their places
 * @param confirmed nodes that hold all they are listed for by the map that is to change
 * @param needed by arc, nodes behind the first that are keepers of one of its groups, in the place
 *     of one that is left out
 * @param massLossAccepted whether more than a third of the map's nodes may vanish at once
 */
public record RingTerms(
    Set<NodeId> leaving,
    Set<NodeId> confirmed,
    Map<Integer, Set<NodeId>> needed,
    boolean massLossAccepted) {
  public RingTerms {
    leaving = Set.copyOf(leaving);
    confirmed = Set.copyOf(confirmed);
    Map<Integer, Set<NodeId>> copy = new HashMap<>();
    needed.forEach((arc, nodes) -> copy.put(arc, Set.copyOf(nodes)));
    needed = Map.copyOf(copy);
  }

  /** The terms for a ring all of whose nodes hold what they should. */
  static RingTerms allConfirmed(Collection<NodeId> nodes) {
    return new RingTerms(Set.of(), new HashSet<>(nodes), Map.of(), false);
  }

  /**
   * Whether {@code leaver} may lose its place on an arc.
   *
   * @param serving nodes that serve the arc before it leaves
   */
  boolean mayLeave(int arc, NodeId leaver, Collection<NodeId> serving) {
    return serving.size() > 1
        && !needed.getOrDefault(arc, Set.of()).contains(leaver)
        && serving.stream().allMatch(node -> node.equals(leaver) || confirmed.contains(node));
  }
}
