package io.vdfs.datanode.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.NodeOrder;
import io.vdfs.common.ring.RingNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class MemberSpreadTest {
  /** One node for each letter, which names its rack; the hosts number them. */
  private static List<RingNode> nodes(String racks) {
    List<RingNode> nodes = new ArrayList<>();
    for (int i = 0; i < racks.length(); i++) {
      nodes.add(
          new RingNode(
              new NodeId(new UUID(0, i)), "" + i, 1, 2, 3, 0, "/" + racks.charAt(i), 1, 1));
    }
    return nodes;
  }

  private static String choose(String racks, int count) {
    return MemberSpread.choose(nodes(racks), count).stream()
        .map(RingNode::host)
        .collect(Collectors.joining(" "));
  }

  @Test
  void shouldLieApartInRingOrder() {
    assertEquals("0 4 2", choose("aaaaaaaa", 3));
    assertEquals("0 4 2 6 1", choose("aaaaaaaa", 5));
    assertEquals("0 3 1", choose("aaaaaa", 3));
  }

  @Test
  void shouldTakeAllWhereThereAreNoMore() {
    assertEquals("0 1 2", choose("aaa", 5));
    assertEquals("", choose("", 3));
  }

  @Test
  void shouldSpreadOverRacksFirst() {
    for (String racks : List.of("aaaabbbbcccc", "aaaaaaaabc", "aabbccddee", "aaaaaaaaab")) {
      List<RingNode> nodes = nodes(racks);
      long all = nodes.stream().map(RingNode::rack).distinct().count();
      for (int count = 1; count <= 5; count++) {
        long used =
            MemberSpread.choose(nodes, count).stream().map(RingNode::rack).distinct().count();
        assertEquals(Math.min(count, all), used, racks + " " + count);
      }
    }
  }

  @Test
  void shouldKeepNeighboursApartWhereRacksAllow() {
    List<RingNode> nodes = nodes("aaaaaabbbbbb");
    List<RingNode> order = NodeOrder.of(nodes).nodes();
    List<RingNode> chosen = MemberSpread.choose(nodes, 3);
    for (int i = 0; i < order.size(); i++) {
      List<RingNode> pair = List.of(order.get(i), order.get((i + 1) % order.size()));
      assertFalse(chosen.containsAll(pair), () -> "neighbours " + chosen);
    }
  }

  @Test
  void shouldNotDependOnTheOrderInWhichNodesCome() {
    List<RingNode> nodes = nodes("abacbbcabd");
    List<RingNode> chosen = MemberSpread.choose(nodes, 5);
    Random random = new Random(3);
    for (int round = 0; round < 50; round++) {
      List<RingNode> shuffled = new ArrayList<>(nodes);
      Collections.shuffle(shuffled, random);
      assertEquals(chosen, MemberSpread.choose(shuffled, 5));
    }
  }
}
