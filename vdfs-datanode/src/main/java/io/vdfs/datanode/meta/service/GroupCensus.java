package io.vdfs.datanode.meta.service;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.GroupReplicas;
import io.vdfs.common.store.VerifiedGroup;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The bytes that the keepers of one group of a file in recovery were found to hold. Pure and
 * immutable.
 *
 * <p>The rules, in order:
 *
 * <ul>
 *   <li>Bytes count as far as they verify. Damage or a lack of bytes on one node does not shorten
 *       the group: its length is the longest that verifies anywhere.
 *   <li>Where the bytes of two keepers differ, the one with the higher write epoch in the first
 *       block that differs is right, and the other one's copy is stale. If the epochs are the same,
 *       it cannot be told which is right.
 *   <li>Bytes that were acknowledged are on every keeper that is neither damaged nor emptied, so a
 *       keeper all of whose bytes verify is a witness that there are no more. A damaged one that
 *       had more than what verifies anywhere is a witness of the contrary, until all keepers have
 *       been asked and another one is a witness that there are no more.
 * </ul>
 *
 * @param replicas the nodes that should hold the group
 * @param found by those keepers that answered and could be read back
 * @param elsewhere bytes that another node has, as far as the keepers know the same ones
 */
record GroupCensus(GroupReplicas replicas, Map<NodeId, VerifiedGroup> found, long elsewhere) {
  GroupCensus {
    found = Map.copyOf(found);
  }

  /**
   * The outcome of a census.
   *
   * @param length of the group
   * @param holders keepers with that many verified bytes, in the order of the list
   * @param lacking keepers whose copies are short, damaged or stale, those with most bytes first
   * @param doubt why the file must not be closed at this length unless the caller accepts it
   */
  record Verdict(long length, List<NodeId> holders, List<NodeId> lacking, Optional<String> doubt) {
    Verdict {
      holders = List.copyOf(holders);
      lacking = List.copyOf(lacking);
    }
  }

  Verdict judge() {
    List<NodeId> answered = replicas.keepers().stream().filter(found::containsKey).toList();
    List<NodeId> current = answered.stream().filter(node -> !isStale(node)).toList();
    Optional<String> conflict = conflict(current);
    List<NodeId> agreed = conflict.isPresent() ? largestThatAgree(current) : current;
    long length = Math.max(elsewhere, agreed.stream().mapToLong(this::verified).max().orElse(0));
    List<NodeId> holders = agreed.stream().filter(node -> verified(node) == length).toList();
    List<NodeId> lacking =
        answered.stream()
            .filter(node -> !holders.contains(node))
            .sorted(Comparator.comparingLong(this::verified).reversed())
            .toList();
    return new Verdict(length, holders, lacking, conflict.or(() -> loss(agreed, length)));
  }

  private long verified(NodeId node) {
    return found.get(node).verified();
  }

  private boolean isStale(NodeId node) {
    return found.keySet().stream().anyMatch(other -> epochLead(other, node) > 0);
  }

  /** Two of the same epoch whose bytes differ. */
  private Optional<String> conflict(List<NodeId> nodes) {
    for (NodeId one : nodes) {
      for (NodeId other : nodes) {
        OptionalInt block = found.get(one).firstDifference(found.get(other));
        if (block.isPresent()) {
          return Optional.of(
              ("two copies differ in a block of the same write epoch: block of the group=%s,"
                      + " nodes=%s")
                  .formatted(block.getAsInt(), List.of(one, other)));
        }
      }
    }
    return Optional.empty();
  }

  /** How much higher the epoch of {@code leader} is where both differ; 0 where they do not. */
  private long epochLead(NodeId leader, NodeId behind) {
    OptionalInt block = found.get(leader).firstDifference(found.get(behind));
    return block.isEmpty() ? 0 : epoch(leader, block.getAsInt()) - epoch(behind, block.getAsInt());
  }

  private long epoch(NodeId node, int block) {
    return found.get(node).blocks().get(block).writeEpoch();
  }

  /** The nodes that agree with the node which most agree with; of equals, with the longest copy. */
  private List<NodeId> largestThatAgree(List<NodeId> nodes) {
    Comparator<NodeId> better =
        Comparator.comparingInt((NodeId node) -> agreeing(nodes, node).size())
            .thenComparingLong(this::verified);
    NodeId best = nodes.stream().reduce((a, b) -> better.compare(b, a) > 0 ? b : a).orElseThrow();
    return agreeing(nodes, best);
  }

  private List<NodeId> agreeing(List<NodeId> nodes, NodeId with) {
    return nodes.stream()
        .filter(node -> found.get(node).firstDifference(found.get(with)).isEmpty())
        .toList();
  }

  /** Whether a damaged copy tells of bytes that may have been acknowledged and are nowhere else. */
  private Optional<String> loss(List<NodeId> nodes, long length) {
    boolean allAsked = found.keySet().containsAll(replicas.keepers());
    boolean witnessed =
        nodes.stream().map(found::get).anyMatch(copy -> !copy.isDamaged() && copy.verified() > 0);
    return allAsked && witnessed
        ? Optional.empty()
        : nodes.stream()
            .filter(node -> found.get(node).isDamaged() && found.get(node).claimed() > length)
            .findFirst()
            .map(
                node ->
                    "a damaged copy had more than what can be read anywhere: node=%s, had=%s, readable=%s"
                        .formatted(node, found.get(node).claimed(), length));
  }
}
