package io.vdfs.mapreduce.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.client.ledger.StreamPlan;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StreamNodesTest {
  private static final int NODES = 4;
  private static final List<NodeId> IDS =
      IntStream.range(0, NODES).mapToObj(node -> new NodeId(new UUID(7, node))).toList();

  /** Each node keeps replicas of the one before it. */
  private static final RingMap RING = new RingMap(1, 2, Placement.TURN, arcs(), nodes());

  @Test
  void shouldSayWhoseReplicasEachNodeHolds() {
    List<StreamPlan.Node> stream = StreamNodes.of(RING);
    assertEquals(NODES, stream.size());
    for (StreamPlan.Node node : stream) {
      int self = IDS.indexOf(node.id());
      assertEquals(Set.of(IDS.get((self + NODES - 1) % NODES)), node.neighbours());
    }
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
