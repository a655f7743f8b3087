package io.vdfs.datanode.host;

import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.model.NodeId;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Decides which metadata member has been missing for so long that another node shall take its
 * place, and which one. Where none can, a group of more than three that grows by itself does
 * without the member: with two of five dead, no further one may die; of three living members, one
 * may. A member is missing while it is neither registered in ZooKeeper nor heard by the group's
 * leader; how long counts from when this object first saw it so. A missing one that an operator
 * declared gone, or that the ring has given up, is not waited for. Not thread-safe.
 */
final class MissingMembers {
  private final long patienceNanos;
  private final Map<NodeId, Long> since = new HashMap<>();
  private final NextMember next;
  private final boolean shrinks;

  /** A missing member and the node that takes its place, if any. */
  record Replacement(NodeId missing, Optional<NodeId> successor) {}

  /**
   * @param patience how long a member may be missing; zero for ever
   * @param shrinks whether the group may have fewer members for a time
   */
  MissingMembers(Duration patience, NextMember next, boolean shrinks) {
    this.patienceNanos = patience.toNanos();
    this.next = next;
    this.shrinks = shrinks;
  }

  /** To be called when this node no longer leads: what was seen says nothing about later. */
  void forget() {
    since.clear();
  }

  /** A decision about a node is forgotten with the node, when others have all its places. */
  private static boolean isGivenUp(NodeId node, ClusterSnapshot cluster) {
    return cluster.ringMap().filter(ring -> !ring.nodes().containsKey(node)).isPresent();
  }

  private boolean canShrink(List<MetadataMember> members) {
    return shrinks && members.size() > ClusterProperties.LEAST_MEMBERS;
  }

  /**
   * The change to make now; empty while no member has been missing for long enough or no node can
   * step in.
   *
   * @param members as the group's leader has them
   * @param gone nodes that operators declared gone
   * @param heard whether the leader heard of a member lately
   * @param cluster as ZooKeeper shows it
   * @param nanoTime now, as by {@link System#nanoTime}
   */
  Optional<Replacement> overdue(
      List<MetadataMember> members,
      Set<NodeId> gone,
      Predicate<NodeId> heard,
      ClusterSnapshot cluster,
      long nanoTime) {
    Set<NodeId> missing =
        members.stream()
            .map(MetadataMember::id)
            .filter(id -> !cluster.liveNodes().containsKey(id) && !heard.test(id))
            .collect(Collectors.toSet());
    since.keySet().retainAll(missing);
    missing.forEach(id -> since.putIfAbsent(id, nanoTime));
    if (patienceNanos == 0) {
      return Optional.empty();
    }
    return since.entrySet().stream()
        .filter(
            entry ->
                gone.contains(entry.getKey())
                    || isGivenUp(entry.getKey(), cluster)
                    || nanoTime - entry.getValue() >= patienceNanos)
        .max(Comparator.comparingLong(entry -> nanoTime - entry.getValue()))
        .map(Map.Entry::getKey)
        .map(id -> new Replacement(id, next.choose(members, cluster)))
        .filter(found -> found.successor().isPresent() || canShrink(members));
  }
}
