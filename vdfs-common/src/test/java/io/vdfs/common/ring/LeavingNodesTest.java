package io.vdfs.common.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.model.NodeId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Checks how the ring map does without nodes that are to leave. */
class LeavingNodesTest {
  private static final int ARCS = 120;
  private static final int REPLICATION = 3;

  private static NodeId id(int number) {
    return new NodeId(new UUID(0, number));
  }

  private static RingNode node(int number) {
    return RingNodes.node(id(number).uuid(), "n" + number, "/r", 1);
  }

  private static List<RingNode> nodes(int count) {
    return IntStream.range(0, count).mapToObj(LeavingNodesTest::node).toList();
  }

  private static RingMap fresh(List<RingNode> nodes) {
    return RingPlanner.plan(Optional.empty(), nodes, REPLICATION, ARCS).map();
  }

  /** One arc, of nodes 0 to {@code count}. */
  private static RingMap oneArc(int count, List<Integer> joining, Integer... serving) {
    Map<NodeId, RingNode> table = new TreeMap<>();
    nodes(count).forEach(node -> table.put(node.id(), node));
    ArcReplicas arc = new ArcReplicas(ids(List.of(serving)), ids(joining));
    return new RingMap(1, REPLICATION, Placement.TURN, List.of(arc), table);
  }

  private static List<NodeId> ids(List<Integer> numbers) {
    return numbers.stream().map(LeavingNodesTest::id).toList();
  }

  private static RingTerms terms(Set<NodeId> leaving, Set<NodeId> confirmed) {
    return new RingTerms(leaving, confirmed, Map.of(), false);
  }

  private static RingMap plan(RingMap map, List<RingNode> present, RingTerms terms) {
    return RingPlanner.plan(map, present, REPLICATION, terms).map();
  }

  private static RingMap promoteAll(RingMap map, Set<NodeId> leaving) {
    Map<NodeId, List<Integer>> joining = new TreeMap<>();
    for (int arc = 0; arc < map.arcCount(); arc++) {
      for (NodeId node : map.arcs().get(arc).joining()) {
        joining.computeIfAbsent(node, key -> new ArrayList<>()).add(arc);
      }
    }
    RingMap result = map;
    for (Map.Entry<NodeId, List<Integer>> entry : joining.entrySet()) {
      result = RingPlanner.promote(result, entry.getValue(), entry.getKey(), leaving);
    }
    return result;
  }

  private static long places(RingMap map, Set<NodeId> nodes) {
    return map.arcs().stream().flatMap(ArcReplicas::members).filter(nodes::contains).count();
  }

  @Test
  void shouldKeepALeavingNodeUntilAllOthersOfTheArcHoldEverything() {
    Set<NodeId> leaving = Set.of(id(0));
    RingMap map = oneArc(4, List.of(), 0, 1, 2);
    RingMap joined = plan(map, nodes(4), terms(leaving, Set.of()));
    assertEquals(new ArcReplicas(ids(List.of(0, 1, 2)), ids(List.of(3))), joined.arcs().get(0));

    RingMap promoted = promoteAll(joined, leaving);
    assertEquals(ids(List.of(1, 2, 3, 0)), promoted.arcs().get(0).serving());
    assertEquals(promoted, plan(promoted, nodes(4), terms(leaving, Set.of(id(1), id(2), id(0)))));
    RingTerms needed =
        new RingTerms(leaving, Set.of(id(1), id(2), id(3)), Map.of(0, Set.of(id(0))), false);
    assertEquals(promoted, plan(promoted, nodes(4), needed));

    RingMap left = plan(promoted, nodes(4), terms(leaving, Set.of(id(1), id(2), id(3))));
    assertEquals(ids(List.of(1, 2, 3)), left.arcs().get(0).serving());
  }

  @Test
  void shouldNotTakeAPlaceInTheStepThatMovesItToTheEnd() {
    Set<NodeId> leaving = Set.of(id(0));
    RingMap map = oneArc(4, List.of(), 0, 1, 2, 3);
    RingTerms all = terms(leaving, Set.of(id(1), id(2), id(3)));
    RingMap moved = plan(map, nodes(4), all);
    assertEquals(ids(List.of(1, 2, 3, 0)), moved.arcs().get(0).serving());
    assertEquals(ids(List.of(1, 2, 3)), plan(moved, nodes(4), all).arcs().get(0).serving());
  }

  @Test
  void shouldNotJoinALeavingNode() {
    Set<NodeId> leaving = Set.of(id(3));
    RingMap map = oneArc(5, List.of(3), 0, 1);
    RingMap next = plan(map, nodes(5), terms(leaving, Set.of()));
    assertEquals(ids(List.of(4)), next.arcs().get(0).joining());
  }

  @Test
  void shouldLetNoNodeLeaveWhileTooFewOthersAreThere() {
    Set<NodeId> leaving = Set.of(id(0));
    RingMap map = promoteAll(plan(fresh(nodes(4)), nodes(4), terms(leaving, Set.of())), leaving);
    List<RingNode> three = nodes(3);
    RingMap next = map;
    for (int round = 0; round < 10; round++) {
      Set<NodeId> everybody = next.nodes().keySet();
      next = promoteAll(plan(next, three, terms(leaving, everybody)), leaving);
    }
    for (ArcReplicas arc : next.arcs()) {
      assertEquals(Set.of(id(0), id(1), id(2)), Set.copyOf(arc.serving()));
    }
  }

  @Test
  void shouldGiveANodePlacesAgainThatStaysAfterAll() {
    Set<NodeId> leaving = Set.of(id(0));
    List<RingNode> five = nodes(5);
    RingMap map = fresh(five);
    for (int round = 0; round < 10; round++) {
      map = promoteAll(plan(map, five, terms(leaving, map.nodes().keySet())), leaving);
    }
    assertEquals(0, places(map, leaving));
    assertTrue(map.node(id(0)).isPresent(), "as long as it is there");
    for (int round = 0; round < 10; round++) {
      map = promoteAll(plan(map, five, terms(Set.of(), map.nodes().keySet())), Set.of());
    }
    assertEquals(ARCS * REPLICATION / 5.0, (double) places(map, leaving), 3);
  }

  @Test
  void shouldMoveLittleAndNeverBelowTheCopiesThatWereThere() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      List<RingNode> all = RingNodes.dealt(random, 4 + random.nextInt(8), 1 + random.nextInt(3));
      RingMap map = fresh(all);
      Set<NodeId> leaving = new HashSet<>();
      int leavers = 1 + random.nextInt(all.size() - REPLICATION);
      for (int i = 0; i < leavers; i++) {
        leaving.add(all.get(random.nextInt(all.size())).id());
      }
      long toGive = places(map, leaving);
      int moved = 0;
      for (int round = 0; round < 12; round++) {
        Set<NodeId> confirmed = new HashSet<>();
        for (NodeId node : map.nodes().keySet()) {
          if (round > 8 || random.nextBoolean()) {
            confirmed.add(node);
          }
        }
        RingPlan plan = RingPlanner.plan(map, all, REPLICATION, terms(leaving, confirmed));
        moved += plan.movedReplicas();
        checkTaken(map, plan.map(), confirmed, "seed " + seed);
        map = promoteAll(plan.map(), leaving);
      }
      assertEquals(0, places(map, leaving), "seed " + seed);
      assertTrue(moved <= toGive + ARCS * REPLICATION / 10, seed + ": " + moved + " of " + toGive);
      for (ArcReplicas arc : map.arcs()) {
        assertEquals(REPLICATION, arc.serving().size(), "seed " + seed);
      }
    }
  }

  private static void checkTaken(
      RingMap before, RingMap after, Set<NodeId> confirmed, String message) {
    for (int arc = 0; arc < ARCS; arc++) {
      List<NodeId> then = before.arcs().get(arc).serving();
      List<NodeId> now = after.arcs().get(arc).serving();
      for (NodeId node : then) {
        if (!now.contains(node)) {
          assertTrue(now.size() >= REPLICATION, message);
          assertTrue(confirmed.containsAll(now), message);
          assertFalse(before.arcs().get(arc).counted(REPLICATION).contains(node), message);
        }
      }
    }
  }
}
