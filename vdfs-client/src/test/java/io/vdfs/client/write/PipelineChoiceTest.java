package io.vdfs.client.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.client.write.PipelineChoice.Tried;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.ring.GroupReplicas;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class PipelineChoiceTest {
  private static final ReplicaNode A = node(1, true);
  private static final ReplicaNode B = node(2, true);
  private static final ReplicaNode C = node(3, true);
  private static final Tried NOTHING = new Tried(node -> false, node -> false);

  private static ReplicaNode node(int number, boolean live) {
    return new ReplicaNode(
        new NodeId(new UUID(0, number)), new DataAddress("n" + number, 1 + number), live, false);
  }

  private static ReplicaNode dead(ReplicaNode node) {
    return new ReplicaNode(node.id(), node.address(), false, false);
  }

  private static Tried failed(ReplicaNode... nodes) {
    return new Tried(List.of(nodes)::contains, node -> false);
  }

  private static Tried counted(ReplicaNode... nodes) {
    return new Tried(node -> false, List.of(nodes)::contains);
  }

  private static void assertChoice(
      PipelineChoice choice, List<ReplicaNode> nodes, List<ReplicaNode> leftOut) {
    assertEquals(nodes, choice.nodes());
    assertEquals(leftOut, choice.leftOut());
  }

  @Test
  void shouldTakeTheFirstOfTheList() {
    assertChoice(PipelineChoice.fresh(List.of(A, B, C), 2, 2, NOTHING), List.of(A, B), List.of());
  }

  @Test
  void shouldTryANodeCalledDeadWhereNoSpareTakesItsCopy() {
    List<ReplicaNode> list = List.of(A, dead(B), C);
    assertChoice(PipelineChoice.fresh(list, 3, 2, NOTHING), list, List.of());
  }

  @Test
  void shouldPassOverANodeCalledDeadWhereASpareTakesItsCopy() {
    List<ReplicaNode> list = List.of(dead(A), B, C);
    assertChoice(PipelineChoice.fresh(list, 2, 2, NOTHING), List.of(B, C), List.of(dead(A)));
  }

  @Test
  void shouldNotPassOverForASpareThatIsCalledDeadToo() {
    List<ReplicaNode> list = List.of(dead(A), B, dead(C));
    assertChoice(PipelineChoice.fresh(list, 2, 2, NOTHING), List.of(dead(A), B), List.of());
  }

  @Test
  void shouldLeaveOutANodeAfterAFailedTry() {
    List<ReplicaNode> list = List.of(A, B, C);
    assertChoice(PipelineChoice.fresh(list, 3, 2, failed(B)), List.of(A, C), List.of(B));
    assertChoice(PipelineChoice.fresh(list, 3, 2, counted(B)), List.of(A, C), List.of(B));
    assertChoice(PipelineChoice.fresh(list, 1, 1, failed(A)), List.of(B), List.of(A));
  }

  @Test
  void shouldKeepANodeThatCannotBeSpared() {
    List<ReplicaNode> list = List.of(A, B, C);
    assertChoice(PipelineChoice.fresh(list, 3, 2, failed(A, B)), List.of(A, C), List.of(B));
    // a node that failed for another group is tried before one that failed for this one
    assertChoice(
        PipelineChoice.fresh(list, 3, 2, new Tried(A::equals, B::equals)),
        List.of(B, C),
        List.of(A));
  }

  @Test
  void shouldGoOnWithABegunGroupOnlyWhereItsBytesAre() {
    List<ReplicaNode> list = List.of(A, B, C);
    Set<ReplicaNode> keepers = Set.of(A, B);
    assertChoice(
        PipelineChoice.begun(list, keepers::contains, 2, 1, NOTHING), List.of(A, B), List.of());
    // C would count as a keeper without A, but has nothing
    assertChoice(
        PipelineChoice.begun(list, keepers::contains, 2, 1, failed(A)), List.of(B), List.of(A, C));
    assertChoice(
        PipelineChoice.begun(list, keepers::contains, 2, 2, failed(A)), List.of(A, B), List.of());
  }

  @Test
  void shouldChooseTheNodesThatListFactorAndRecordName() {
    Random random = new Random(5);
    for (int run = 0; run < 20_000; run++) {
      List<ReplicaNode> list = new ArrayList<>();
      int size = 1 + random.nextInt(5);
      for (int i = 0; i < size; i++) {
        list.add(node(i, random.nextInt(3) > 0));
      }
      Set<ReplicaNode> here = subset(list, random);
      Set<ReplicaNode> elsewhere = subset(list, random);
      int factor = 1 + random.nextInt(6);
      int wanted = GroupReplicas.effectiveFactor(factor, size);
      int needed = GroupReplicas.requiredCopies(factor, size);
      PipelineChoice choice =
          PipelineChoice.fresh(
              list, wanted, needed, new Tried(here::contains, elsewhere::contains));

      assertTrue(choice.nodes().size() >= needed);
      assertTrue(choice.nodes().size() <= wanted);
      Set<NodeId> leftOut = new HashSet<>();
      choice.leftOut().forEach(node -> leftOut.add(node.id()));
      List<NodeId> ids = list.stream().map(ReplicaNode::id).toList();
      assertEquals(
          choice.nodes().stream().map(ReplicaNode::id).toList(),
          GroupReplicas.of(ids, factor, leftOut).keepers());
      for (ReplicaNode out : choice.leftOut()) {
        boolean tried = here.contains(out) || elsewhere.contains(out);
        // being called dead alone costs no copy
        assertTrue(tried || choice.nodes().size() == wanted);
        assertFalse(choice.nodes().contains(out));
      }
    }
  }

  private static Set<ReplicaNode> subset(List<ReplicaNode> list, Random random) {
    Set<ReplicaNode> subset = new HashSet<>(list);
    subset.removeIf(node -> random.nextInt(3) > 0);
    return subset;
  }
}
