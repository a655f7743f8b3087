package io.vdfs.datanode.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

  @Test
  void shouldFollowANewAddressAndLeaveTheArcs() {
    RingMap map = policy.first(three).orElseThrow();
    RingNode moved = Nodes.node(2, 5000);
    RingMap next = policy.successor(map, List.of(moved)).orElseThrow();
    assertEquals(2, next.epoch());
    assertEquals(map.arcs(), next.arcs());
    assertEquals(moved, next.node(moved.id()).orElseThrow());
  }

  @Test
  void shouldKeepTheMapWhenNodesComeOrGo() {
    RingMap map = policy.first(three).orElseThrow();
    assertTrue(policy.successor(map, three).isEmpty());
    assertTrue(policy.successor(map, three.subList(0, 1)).isEmpty());
    assertTrue(policy.successor(map, List.of()).isEmpty());
    assertTrue(policy.successor(map, List.of(Nodes.node(4))).isEmpty());
  }
}
