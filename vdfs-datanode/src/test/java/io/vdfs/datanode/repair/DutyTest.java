package io.vdfs.datanode.repair;

import static io.vdfs.datanode.repair.RepairRings.node;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DutyTest {
  private static Set<NodeId> out(int... nodes) {
    return Arrays.stream(nodes).mapToObj(RepairRings::node).collect(Collectors.toSet());
  }

  private static Duty serving(int nodes, int self, int factor, int... leftOut) {
    List<NodeId> list = IntStream.rangeClosed(1, nodes).mapToObj(RepairRings::node).toList();
    return Duty.of(new ArcReplicas(list, List.of()), 3, node(self), factor, out(leftOut));
  }

  private static Duty joining(int nodes, int factor, int... leftOut) {
    List<NodeId> list = IntStream.rangeClosed(1, nodes).mapToObj(RepairRings::node).toList();
    return Duty.of(new ArcReplicas(list, List.of(node(9))), 3, node(9), factor, out(leftOut));
  }

  @Test
  void shouldHaveKeepersKeep() {
    assertEquals(Duty.KEEP, serving(3, 1, 3));
    assertEquals(Duty.KEEP, serving(3, 3, 5));
    assertEquals(Duty.KEEP, serving(3, 2, 1, 1));
    assertEquals(Duty.NONE, serving(3, 2, 1));
    assertEquals(Duty.NONE, serving(3, 1, 3, 1));
  }

  @Test
  void shouldHaveAJoiningNodePrepareEverything() {
    assertEquals(Duty.PREPARE, joining(2, 3));
    assertEquals(Duty.PREPARE, joining(2, 2));
    assertEquals(Duty.PREPARE, joining(3, 1));
    assertEquals(Duty.PREPARE, joining(2, 3, 9));
    assertEquals(Duty.PREPARE, joining(1, 2));
  }

  @Test
  void shouldPrepareForTheLossOfTheNodesAboveTheReplication() {
    assertEquals(Duty.PREPARE, serving(4, 4, 3));
    assertEquals(Duty.PREPARE, serving(4, 2, 1));
    assertEquals(Duty.NONE, serving(4, 3, 1));
    assertEquals(Duty.PREPARE, serving(4, 3, 1, 1));
    assertEquals(Duty.KEEP, serving(4, 1, 1));
  }
}
