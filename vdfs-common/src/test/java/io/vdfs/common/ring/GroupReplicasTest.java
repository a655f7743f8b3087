package io.vdfs.common.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.model.NodeId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class GroupReplicasTest {
  private static final NodeId A = new NodeId(new UUID(0, 1));
  private static final NodeId B = new NodeId(new UUID(0, 2));
  private static final NodeId C = new NodeId(new UUID(0, 3));
  private static final NodeId STRANGER = new NodeId(new UUID(0, 9));

  @Test
  void shouldKeepAGroupOnTheFirstNodesOfTheList() {
    GroupReplicas replicas = GroupReplicas.of(List.of(C, A, B), 2, Set.of());
    assertEquals(List.of(C, A), replicas.keepers());
    assertEquals(List.of(B), replicas.spares());
    assertEquals(List.of(C, A, B), replicas.readOrder());
  }

  @Test
  void shouldLetASpareStepInForALeftOutNode() {
    GroupReplicas replicas = GroupReplicas.of(List.of(A, B, C), 1, Set.of(A, STRANGER));
    assertEquals(List.of(B), replicas.keepers());
    assertEquals(List.of(C), replicas.spares());
  }

  @Test
  void shouldCountAFactorAboveTheListAsTheListsLength() {
    GroupReplicas replicas = GroupReplicas.of(List.of(A, B, C), 10, Set.of(B));
    assertEquals(3, replicas.factor());
    assertEquals(List.of(A, C), replicas.keepers());
    assertEquals(List.of(), replicas.spares());
    assertEquals(2, replicas.requiredCopies());
  }

  @Test
  void shouldRequireTwoCopiesWhereFactorAndNodesAllowThem() {
    assertEquals(1, GroupReplicas.requiredCopies(1, 3));
    assertEquals(1, GroupReplicas.requiredCopies(3, 1));
    assertEquals(2, GroupReplicas.requiredCopies(2, 2));
    assertEquals(2, GroupReplicas.requiredCopies(3, 5));
  }

  @Test
  void shouldRefuseNoCopyAndNoNode() {
    assertThrows(IllegalArgumentException.class, () -> GroupReplicas.of(List.of(A), 0, Set.of()));
    assertThrows(IllegalArgumentException.class, () -> GroupReplicas.of(List.of(), 1, Set.of()));
    assertThrows(IllegalArgumentException.class, () -> GroupReplicas.requiredCopies(0, 3));
  }

  @Test
  void shouldHoldItsRulesForAnyListFactorAndRecord() {
    Random random = new Random(22);
    for (int run = 0; run < 20_000; run++) {
      List<NodeId> list = randomList(random);
      int factor = 1 + random.nextInt(RingMap.MAX_REPLICATION + 4);
      Set<NodeId> leftOut = randomSubset(list, random);
      GroupReplicas replicas = GroupReplicas.of(list, factor, leftOut);

      List<NodeId> remaining = new ArrayList<>(list);
      remaining.removeAll(leftOut);
      // readers ask each node that is not left out exactly once, in the order of the list
      assertEquals(remaining, replicas.readOrder());
      int wanted = Math.min(factor, list.size());
      assertEquals(wanted, replicas.factor());
      assertEquals(Math.min(wanted, remaining.size()), replicas.keepers().size());
      // a spare is idle only while the factor is met
      assertTrue(replicas.spares().isEmpty() || replicas.keepers().size() == wanted);
      assertEquals(GroupReplicas.requiredCopies(factor, list.size()), replicas.requiredCopies());
    }
  }

  @Test
  void shouldAnswerTheSameWhetherNodesAreLeftOutAtOnceOrOneByOne() {
    Random random = new Random(23);
    for (int run = 0; run < 20_000; run++) {
      List<NodeId> list = randomList(random);
      int factor = 1 + random.nextInt(5);
      GroupReplicas oneByOne = GroupReplicas.of(list, factor, Set.of());
      Set<NodeId> leftOut = new HashSet<>();
      for (NodeId node : randomSubset(list, random)) {
        List<NodeId> before = oneByOne.keepers();
        oneByOne = oneByOne.without(Set.of(node));
        leftOut.add(node);
        assertEquals(GroupReplicas.of(list, factor, leftOut), oneByOne);
        // keepers of the group go on keeping it: nothing moves except to a spare
        List<NodeId> stay = new ArrayList<>(before);
        stay.remove(node);
        assertTrue(oneByOne.keepers().containsAll(stay));
      }
    }
  }

  private static List<NodeId> randomList(Random random) {
    List<NodeId> list = new ArrayList<>();
    int size = 1 + random.nextInt(RingMap.MAX_REPLICATION);
    for (int i = 0; i < size; i++) {
      list.add(new NodeId(new UUID(random.nextLong(), i)));
    }
    return list;
  }

  private static Set<NodeId> randomSubset(List<NodeId> list, Random random) {
    Set<NodeId> subset = new HashSet<>();
    for (NodeId node : list) {
      if (random.nextInt(3) == 0) {
        subset.add(node);
      }
    }
    return subset;
  }
}
