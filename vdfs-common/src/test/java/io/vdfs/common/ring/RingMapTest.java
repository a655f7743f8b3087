package io.vdfs.common.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RingMapTest {
  private final List<RingNode> nodes = RingNodes.dealt(new Random(1), 3, 1);
  private final RingMap map = RingPlanner.plan(Optional.empty(), nodes, 3, 2520).map();

  @Test
  void shouldKeepTheHashThatFormattedClustersRelyOn() {
    assertEquals(0xb456bcfc34c2cb2cL, RingHash.mix(1));
    assertEquals(0x64b5720b4b825f21L, RingHash.mix(-1));
    assertEquals(0, RingHash.mix(0));
  }

  @Test
  void shouldPlaceConsecutiveGroupsOnConsecutiveArcs() {
    for (long fileId = 1; fileId < 2000; fileId++) {
      for (int group = 0; group < 3; group++) {
        assertEquals((map.arcOf(fileId, group) + 1) % 2520, map.arcOf(fileId, group + 1));
      }
      assertEquals(map.arcOf(fileId, 0), map.arcOf(fileId, 2520));
    }
    int last = map.arcOf(5, Integer.MAX_VALUE);
    assertEquals((map.arcOf(5, 0) + Integer.MAX_VALUE % 2520) % 2520, last);
    assertThrows(IllegalArgumentException.class, () -> map.arcOf(5, -1));
  }

  @Test
  void shouldPlaceAFileByItsIdAlone() {
    assertEquals(map.replicas(9, 4), map.replicas(new FileKey(9, 3), 4));
    assertEquals(map.owner(9, 4), map.replicas(new FileKey(9, 1), 4).serving().get(0));
  }

  @Test
  void shouldTakeOverNewAddressesOfKnownNodes() {
    RingNode old = nodes.get(1);
    RingNode moved =
        new RingNode(old.id(), "elsewhere", 1, 2, 3, 0, old.rack(), old.cores(), old.weight());
    RingMap refreshed = map.withAddresses(List.of(moved));
    assertEquals(2, refreshed.epoch());
    assertEquals(moved, refreshed.node(old.id()).orElseThrow());
    assertEquals(map.arcs(), refreshed.arcs());
    assertSame(refreshed, refreshed.withAddresses(List.of(moved)));
  }

  @Test
  void shouldKeepTheWeightThatItHasWhateverANodePublishes() {
    RingNode heavier = nodes.get(1).withWeight(7);
    assertSame(map, map.withAddresses(List.of(heavier)));
    RingMap weighed = map.withWeights(Map.of(heavier.id(), 7.0));
    assertEquals(2, weighed.epoch());
    assertEquals(heavier, weighed.node(heavier.id()).orElseThrow());
    assertEquals(map.arcs(), weighed.arcs());
    assertSame(weighed, weighed.withAddresses(nodes));
    assertSame(weighed, weighed.withWeights(Map.of(heavier.id(), 7.0)));
    Map<NodeId, Double> ofStranger = Map.of(NodeId.random(), 1.0);
    assertThrows(IllegalArgumentException.class, () -> map.withWeights(ofStranger));
    Map<NodeId, Double> tooLight = Map.of(heavier.id(), 0.0001);
    assertThrows(IllegalArgumentException.class, () -> map.withWeights(tooLight));
  }

  @Test
  void shouldIgnoreAddressesOfStrangers() {
    RingNode stranger = RingNodes.node(new UUID(1, 2), "stranger", "/r", 1);
    assertSame(map, map.withAddresses(List.of(stranger)));
  }

  @Test
  void shouldRefuseArcsOfUnknownNodes() {
    Map<NodeId, RingNode> one = Map.of(nodes.get(0).id(), nodes.get(0));
    assertThrows(
        IllegalArgumentException.class, () -> new RingMap(1, 3, Placement.TURN, map.arcs(), one));
  }
}
