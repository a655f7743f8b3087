package io.vdfs.datanode.host;

import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.cluster.record.LiveNode;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Numbered nodes of which the first three are members and the last is not in the ring map. */
final class MemberCandidates {
  private static final int MEMBERS = 3;

  private final List<RingNode> nodes = new ArrayList<>();

  /**
   * @param racks a letter for each node
   */
  MemberCandidates(String racks) {
    for (int i = 0; i < racks.length(); i++) {
      String rack = "/" + racks.charAt(i);
      nodes.add(new RingNode(new NodeId(new UUID(0, i)), "n" + i, 1, 2, 3 + i, 0, rack, 1, 1.0));
    }
  }

  NodeId id(int number) {
    return nodes.get(number).id();
  }

  int number(NodeId id) {
    return nodes.stream().map(RingNode::id).toList().indexOf(id);
  }

  List<MetadataMember> members() {
    return members(MEMBERS);
  }

  /** The first of the nodes. */
  List<MetadataMember> members(int count) {
    return nodes.subList(0, count).stream().map(MetadataMember::of).toList();
  }

  /** What ZooKeeper shows while some are dead. */
  ClusterSnapshot without(Set<Integer> dead) {
    Map<NodeId, RingNode> listed = new HashMap<>();
    Map<NodeId, LiveNode> live = new HashMap<>();
    for (int i = 0; i < nodes.size(); i++) {
      RingNode node = nodes.get(i);
      if (i < nodes.size() - 1) {
        listed.put(node.id(), node);
      }
      if (!dead.contains(i)) {
        live.put(
            node.id(),
            new LiveNode(node, UUID.randomUUID(), Instant.EPOCH, Duration.ofSeconds(10), false));
      }
    }
    RingMap ring =
        new RingMap(
            1,
            2,
            Placement.TURN,
            List.of(new ArcReplicas(List.of(id(0), id(1)), List.of())),
            listed);
    return new ClusterSnapshot(Optional.of(ring), live, Optional.empty(), true);
  }
}
