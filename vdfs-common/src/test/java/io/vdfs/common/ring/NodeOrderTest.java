package io.vdfs.common.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class NodeOrderTest {
  @Test
  void shouldInterleaveRacks() {
    List<RingNode> nodes = new ArrayList<>();
    for (int i = 6; i > 0; i--) {
      nodes.add(RingNodes.node(new UUID(0, i), "n" + i, i <= 4 ? "/a" : "/b", 1));
    }
    assertEquals(List.of("n1", "n5", "n2", "n3", "n6", "n4"), hosts(NodeOrder.of(nodes).nodes()));
  }

  @Test
  void shouldNameSuccessorThenPredecessorThenTheNext() {
    List<RingNode> nodes = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      nodes.add(RingNodes.node(new UUID(0, i), "n" + i, "/a", 1));
    }
    NodeOrder order = NodeOrder.of(nodes);
    assertEquals(List.of("n1", "n5", "n2", "n4", "n3"), hosts(order.neighbours(0)));
    assertEquals(List.of("n0", "n4", "n1", "n3", "n2"), hosts(order.neighbours(5)));
  }

  private static List<String> hosts(List<RingNode> nodes) {
    return nodes.stream().map(RingNode::host).toList();
  }
}
