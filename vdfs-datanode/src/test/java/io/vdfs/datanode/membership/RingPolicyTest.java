package io.vdfs.datanode.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RingPolicyTest {
  private final RingPolicy policy = new RingPolicy(Nodes.properties(3));
  private final List<RingNode> three = List.of(Nodes.node(1), Nodes.node(2), Nodes.node(3));

  @Test
  void shouldWaitForTheExpectedNodes() {
    assertEquals(Optional.empty(), policy.first(three.subList(0, 2)));
  }

  @Test
  void shouldDealTheFirstMapOverAllThatLive() {
    RingMap map = policy.first(three).orElseThrow();
    assertEquals(1, map.epoch());
    assertEquals(3, map.replication());
    assertEquals(3, map.members().size());
    assertEquals(Nodes.ARCS, map.arcCount());
  }
}
