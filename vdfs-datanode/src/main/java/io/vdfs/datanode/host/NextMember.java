package io.vdfs.datanode.host;

import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.datanode.membership.MemberSpread;
import io.vdfs.datanode.rpc.MemberChange;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Decides which node becomes a metadata member next, and whether one more is wanted. Not
 * thread-safe.
 */
final class NextMember {
  private final Map<NodeId, Integer> failures = new HashMap<>();
  private Set<NodeId> excluded = Set.of();

  /** To be called when this node no longer leads: what was seen says nothing about later. */
  void forget() {
    failures.clear();
  }

  /** These nodes leave the cluster, or are gone. */
  void exclude(Set<NodeId> nodes) {
    excluded = nodes;
  }

  /** The node could not become a member: others are tried before it is tried again. */
  void onFailure(NodeId node) {
    failures.merge(node, 1, Integer::sum);
  }

  /**
   * A node of the ring map that lives, stays and is no member, as {@link MemberSpread} prefers it
   * beside the members that live.
   */
  Optional<NodeId> choose(List<MetadataMember> members, ClusterSnapshot cluster) {
    Set<NodeId> ids = members.stream().map(MetadataMember::id).collect(Collectors.toSet());
    Map<NodeId, RingNode> ring = cluster.ringMap().map(RingMap::nodes).orElse(Map.of());
    List<RingNode> living =
        cluster.liveRingNodes().stream().filter(node -> ids.contains(node.id())).toList();
    return cluster.liveRingNodes().stream()
        .filter(node -> ring.containsKey(node.id()) && !ids.contains(node.id()))
        .filter(node -> !excluded.contains(node.id()))
        .min(
            Comparator.<RingNode>comparingInt(node -> failures.getOrDefault(node.id(), 0))
                .thenComparing(MemberSpread.preference(ring.values(), living)))
        .map(RingNode::id);
  }

  /**
   * The node by which the group grows: where no number of members was asked for, a group of three
   * or four beside a ring of five nodes or more grows to five; the size of a smaller group is up to
   * operators. Empty where the last change that this node led took a member away: an operator wants
   * that.
   *
   * @param last change that this node led
   */
  Optional<NodeId> addition(
      ClusterProperties properties,
      List<MetadataMember> members,
      ClusterSnapshot cluster,
      Optional<MemberChange> last) {
    Set<NodeId> staying =
        new HashSet<>(cluster.ringMap().map(map -> map.nodes().keySet()).orElse(Set.of()));
    staying.removeAll(excluded);
    int ringNodes = staying.size();
    boolean reduced =
        last.filter(change -> change.removed().isPresent() && change.added().isEmpty()).isPresent();
    boolean wanted =
        properties.metadataMembers() == 0
            && members.size() >= ClusterProperties.LEAST_MEMBERS
            && members.size() < properties.membersFor(ringNodes);
    return wanted && !reduced ? choose(members, cluster) : Optional.empty();
  }
}
