package io.vdfs.datanode;

import io.vdfs.common.cluster.ClusterSnapshot;
import io.vdfs.common.cluster.MetadataMember;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.NodeOrder;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
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
 * place, and which one. A member is missing while it is neither registered in ZooKeeper nor heard
 * by the group's leader; how long counts from when this object first saw it so. Not thread-safe.
 */
final class MissingMembers {
  private final long patienceNanos;
  private final Map<NodeId, Long> since = new HashMap<>();
  private final Map<NodeId, Integer> failures = new HashMap<>();

  /** One node in the place of another. */
  record Replacement(NodeId missing, NodeId successor) {}

  /**
   * @param patience how long a member may be missing
   */
  MissingMembers(Duration patience) {
    this.patienceNanos = patience.toNanos();
  }

  /** For who leads no longer: what was seen says nothing later. */
  void forget() {
    since.clear();
    failures.clear();
  }

  /** The successor could not take the place: others are tried before it is tried again. */
  void onFailure(NodeId successor) {
    failures.merge(successor, 1, Integer::sum);
  }

  /**
   * What to do now; empty while nobody is missing for long enough or no node can step in.
   *
   * @param members as the group's leader has them
   * @param heard whether the leader heard of a member lately
   * @param cluster as ZooKeeper shows it
   * @param nanoTime now, as by {@link System#nanoTime}
   */
  Optional<Replacement> overdue(
      List<MetadataMember> members,
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
    return since.entrySet().stream()
        .filter(entry -> nanoTime - entry.getValue() >= patienceNanos)
        .max(Comparator.comparingLong(entry -> nanoTime - entry.getValue()))
        .map(Map.Entry::getKey)
        .flatMap(id -> successor(members, cluster).map(node -> new Replacement(id, node)));
  }

  /** Of another rack than the members that live, where there is one. */
  private Optional<NodeId> successor(List<MetadataMember> members, ClusterSnapshot cluster) {
    Set<NodeId> ids = members.stream().map(MetadataMember::id).collect(Collectors.toSet());
    Map<String, Long> racks =
        cluster.liveRingNodes().stream()
            .filter(node -> ids.contains(node.id()))
            .collect(Collectors.groupingBy(RingNode::rack, Collectors.counting()));
    Map<NodeId, RingNode> ring = cluster.ringMap().map(RingMap::nodes).orElse(Map.of());
    List<RingNode> candidates =
        cluster.liveRingNodes().stream()
            .filter(node -> ring.containsKey(node.id()) && !ids.contains(node.id()))
            .toList();
    return NodeOrder.of(candidates).nodes().stream()
        .min(
            Comparator.<RingNode>comparingInt(node -> failures.getOrDefault(node.id(), 0))
                .thenComparing(node -> racks.getOrDefault(node.rack(), 0L)))
        .map(RingNode::id);
  }
}
