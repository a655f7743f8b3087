package io.vdfs.client.place;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RingPlacementTest {
  private static final NodeId A = NodeId.random();
  private static final NodeId B = NodeId.random();
  private static final NodeId C = NodeId.random();

  @Test
  void shouldGiveTheServingNodesInTheirOrderWithHints() {
    RingMap map =
        new RingMap(
            9,
            2,
            Placement.TURN,
            List.of(new ArcReplicas(List.of(B, A), List.of(C))),
            Map.of(A, node(A, "a", 1), B, node(B, "b", 2), C, node(C, "c", 3)));
    RingPlacement placement = new RingPlacement(() -> map, A::equals, "b"::equals);

    assertEquals(
        List.of(
            new ReplicaNode(B, new DataAddress("b", 2), false, true),
            new ReplicaNode(A, new DataAddress("a", 1), true, false)),
        placement.replicas(new FileKey(77, 1), 5));
    assertEquals(9, placement.ringEpoch());
  }

  private static RingNode node(NodeId id, String host, int dataPort) {
    return new RingNode(id, host, 9860, dataPort, 9862, 0, "/rack", 4, 1);
  }
}
