package io.vdfs.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NodeTableTest {
  private static RingNode node(String host, int port) {
    return new RingNode(NodeId.random(), host, port, 2, 3, 0, "/r", 1, 1);
  }

  @Test
  void shouldCountNodesAsPeopleDo() {
    List<String> sorted =
        Stream.of(
                node("dn10", 9860),
                node("dn2.b", 9860),
                node("dn2.a", 10860),
                node("dn2.a", 9860),
                node("127.0.0.11", 1),
                node("127.0.0.2", 1))
            .sorted(NodeTable.ORDER)
            .map(NodeTable::address)
            .toList();
    assertEquals(
        List.of(
            "127.0.0.2:1", "127.0.0.11:1", "dn2.a:9860", "dn2.a:10860", "dn2.b:9860", "dn10:9860"),
        sorted);
  }
}
