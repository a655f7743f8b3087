package io.vdfs.mapreduce.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.meta.cluster.ClusterSnapshot;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.StreamHeader;
import io.vdfs.common.wire.proto.StreamNode;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StreamChunksTest {
  private static final int NODES = 4;
  private static final List<NodeId> IDS =
      IntStream.range(0, NODES).mapToObj(node -> new NodeId(new UUID(7, node))).toList();

  /** Each node keeps replicas of the one before it. */
  private static final RingMap RING = new RingMap(1, 2, Placement.TURN, arcs(), nodes());

  @Test
  void shouldSayWhoseReplicasEachNodeHolds() throws IOException {
    ClusterProperties properties =
        new ClusterProperties(
            new UUID(1, 1),
            ClusterGeometry.DEFAULT,
            2,
            NODES,
            3,
            "u",
            "g",
            128L << 20,
            Placement.TURN);
    ClusterSnapshot cluster =
        new ClusterSnapshot("c", properties, RING, IDS, IDS.subList(0, 3), Optional.empty(), 0);
    PinnedInput nothing = PinnedInput.of(null, cluster, List.of(), path -> path);
    StreamHeader header =
        new StreamChunks(
                cluster,
                nothing,
                StreamHeader.newBuilder().setTasks(1).setAudited(true).setNoStealing(true),
                new byte[16])
            .requests()
            .get(0)
            .getHeader();
    assertTrue(header.getNoStealing(), "as asked for");
    assertEquals(NODES, header.getNodesCount());
    for (StreamNode node : header.getNodesList()) {
      int self = ordinal(node);
      Set<Integer> neighbours =
          node.getNeighboursList().stream()
              .map(index -> ordinal(header.getNodes(index)))
              .collect(Collectors.toSet());
      assertEquals(Set.of((self + NODES - 1) % NODES), neighbours);
    }
  }

  private static int ordinal(StreamNode node) {
    return IntStream.range(0, NODES)
        .filter(index -> WireIds.encode(IDS.get(index)).equals(node.getNode()))
        .findFirst()
        .orElseThrow();
  }

  private static List<ArcReplicas> arcs() {
    return IntStream.range(0, NODES)
        .mapToObj(
            node ->
                new ArcReplicas(
                    List.of(IDS.get(node), IDS.get((node + 1) % NODES)),
                    List.of(IDS.get((node + 2) % NODES))))
        .toList();
  }

  private static Map<NodeId, RingNode> nodes() {
    Map<NodeId, RingNode> nodes = new TreeMap<>();
    for (NodeId id : IDS) {
      nodes.put(id, new RingNode(id, "h" + nodes.size(), 1, 2, 3, 0, "/r", 1, 1));
    }
    return nodes;
  }
}
