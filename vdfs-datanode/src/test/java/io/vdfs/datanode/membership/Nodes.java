package io.vdfs.datanode.membership;

import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.cluster.record.LiveNode;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingNode;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/** Nodes and clusters for tests. */
final class Nodes {
  static final int ARCS = 60;

  private Nodes() {}

  static RingNode node(int number) {
    return node(number, 1000);
  }

  static RingNode node(int number, int port) {
    return new RingNode(
        new NodeId(new UUID(0, number)),
        "host-" + number,
        port,
        port + 1,
        port + 2,
        port + 3,
        "/rack-" + number % 2,
        2,
        1);
  }

  static LiveNode live(RingNode node, UUID incarnation, Duration sessionTimeout) {
    return new LiveNode(node, incarnation, Instant.ofEpochMilli(7), sessionTimeout, false);
  }

  static ClusterProperties properties(int expectedNodes) {
    ClusterGeometry geometry = new ClusterGeometry(1 << 16, 4, 1 << 12, ARCS);
    return new ClusterProperties(
        UUID.randomUUID(),
        geometry,
        3,
        expectedNodes,
        0,
        "vdfs",
        "supergroup",
        1 << 20,
        Placement.TURN);
  }

  static ClusterSnapshot snapshot(int liveNodes) {
    Map<NodeId, LiveNode> live = new TreeMap<>();
    for (int i = 1; i <= liveNodes; i++) {
      live.put(node(i).id(), live(node(i), new UUID(1, i), Duration.ofSeconds(1)));
    }
    return new ClusterSnapshot(Optional.empty(), live, Optional.empty(), false);
  }
}
