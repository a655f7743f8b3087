package io.vdfs.common.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingPlan.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class RingTermsTest {
  private static final int SEEDS = 100;
  private static final int ARCS = 120;
  private static final int REPLICATION = 3;

  /** No place is taken from a node that is present. */
  private static final RingTerms STRICT = new RingTerms(Set.of(), Set.of(), Map.of(), false);

  @Test
  void shouldTakeNoPlaceFromAPresentNodeUnlessAllOthersHoldWhatTheyShould() {
    int taken = 0;
    long kept = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      List<RingNode> nodes = nodes(random, 4 + random.nextInt(5));
      RingMap map = fresh(nodes);
      for (int step = 0; step < 20; step++) {
        if (nodes.size() > 4 && random.nextInt(5) == 0) {
          nodes.remove(random.nextInt(nodes.size()));
        } else if (nodes.size() < 12 && random.nextInt(3) == 0) {
          nodes.add(RingNodes.random(random, "/rack-" + random.nextInt(3), 1));
        }
        RingTerms terms = terms(random, map);
        RingMap next = RingPlanner.plan(map, nodes, REPLICATION, terms).map();
        taken += checkTaken(map, next, nodes, terms, "seed=" + seed + ", step=" + step);
        kept += next.arcs().stream().filter(arc -> arc.serving().size() > REPLICATION).count();
        map = promoteSome(next, random);
      }
    }
    assertTrue(taken > 1000 && kept > 1000, "taken=" + taken + ", kept=" + kept);
  }

  @Test
  void shouldNeverTakeAPlaceFromAPresentNodeWhereNoNodeIsConfirmed() {
    for (int seed = 0; seed < SEEDS / 10; seed++) {
      Random random = new Random(seed);
      List<RingNode> nodes = nodes(random, 5);
      RingMap map = fresh(nodes);
      nodes.add(RingNodes.random(random, "/rack-0", 1));
      for (int step = 0; step < 6; step++) {
        RingMap before = map;
        map = RingPlanner.plan(map, nodes, REPLICATION, STRICT).map();
        for (int arc = 0; arc < ARCS; arc++) {
          assertEquals(
              Set.copyOf(before.arcs().get(arc).serving()),
              Set.copyOf(map.arcs().get(arc).serving()),
              "seed=" + seed);
        }
        map = promoteAll(map);
      }
      assertSame(map, RingPlanner.plan(map, nodes, REPLICATION, STRICT).map(), "at rest");
    }
  }

  @Test
  void shouldKeepTheFirstNodesWhenOneBehindThemLeaves() {
    for (int seed = 0; seed < SEEDS / 10; seed++) {
      Random random = new Random(seed);
      List<RingNode> nodes = nodes(random, 5);
      RingMap map = fresh(nodes);
      nodes.add(RingNodes.random(random, "/rack-1", 1));
      map = promoteAll(plan(map, nodes));
      RingMap after = RingPlanner.plan(map, nodes, REPLICATION, confirmed(map)).map();
      int left = 0;
      for (int arc = 0; arc < ARCS; arc++) {
        ArcReplicas old = map.arcs().get(arc);
        ArcReplicas now = after.arcs().get(arc);
        if (now.serving().size() < old.serving().size()) {
          left++;
          assertEquals(Set.copyOf(old.counted(REPLICATION)), Set.copyOf(now.serving()));
        }
      }
      assertTrue(left > 0, "seed=" + seed);
    }
  }

  @Test
  void shouldGiveANodeThatBeginsToServeOneOfTheFirstPlaces() {
    Random random = new Random(7);
    List<RingNode> nodes = nodes(random, 5);
    RingMap map = fresh(nodes);
    RingNode newcomer = RingNodes.random(random, "/rack-0", 1);
    nodes.add(newcomer);
    RingMap planned = plan(map, nodes);
    RingMap promoted = promoteAll(planned);
    int served = 0;
    for (int arc = 0; arc < ARCS; arc++) {
      ArcReplicas before = planned.arcs().get(arc);
      ArcReplicas after = promoted.arcs().get(arc);
      if (before.joining().contains(newcomer.id())) {
        served++;
        assertEquals(newcomer.id(), after.serving().get(REPLICATION - 1));
        assertEquals(4, after.serving().size());
      } else {
        assertEquals(before, after);
      }
    }
    assertTrue(served > 0);
  }

  @Test
  void shouldStandLastInAShortListWhenPromoted() {
    ArcReplicas arc = new ArcReplicas(List.of(id(1)), List.of(id(2), id(3)));
    Map<NodeId, RingNode> nodes = new TreeMap<>();
    for (int number = 1; number <= 3; number++) {
      nodes.put(id(number), new RingNode(id(number), "host", 1, 2, 3, 0, "/r", 1, 1));
    }
    RingMap promoted =
        RingPlanner.promote(new RingMap(1, 3, Placement.TURN, List.of(arc), nodes), 0, id(2));
    assertEquals(List.of(id(1), id(2)), promoted.arcs().get(0).serving());
  }

  @Test
  void shouldComeToRestBalancedOnceAllAreConfirmed() {
    for (int seed = 0; seed < SEEDS / 3; seed++) {
      Random random = new Random(seed);
      List<RingNode> nodes = nodes(random, 3 + random.nextInt(6));
      RingMap map = fresh(nodes);
      nodes.add(RingNodes.random(random, "/rack-" + random.nextInt(3), 1));
      boolean rests = false;
      for (int round = 0; round < 20 && !rests; round++) {
        RingMap next = RingPlanner.plan(map, nodes, REPLICATION, confirmed(map)).map();
        rests = next.equals(map);
        map = promoteAll(next);
      }
      assertTrue(rests, "seed=" + seed);
      map.arcs().forEach(arc -> assertEquals(REPLICATION, arc.serving().size()));
      assertTrue(map.members().contains(nodes.get(nodes.size() - 1).id()), "seed=" + seed);
    }
  }

  @Test
  void shouldFollowAMassLossOnlyWhereItIsAccepted() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      List<RingNode> nodes = nodes(random, 6 + random.nextInt(5));
      RingMap map = fresh(nodes);
      int lost = nodes.size() / 3 + 1;
      List<RingNode> present = nodes.subList(lost, nodes.size());
      assertEquals(Outcome.FROZEN, RingPlanner.plan(map, present, REPLICATION, STRICT).outcome());
      RingTerms accepted = new RingTerms(Set.of(), Set.of(), Map.of(), true);
      RingPlan plan = RingPlanner.plan(map, present, REPLICATION, accepted);
      assertEquals(Outcome.CHANGED, plan.outcome());
      Set<NodeId> alive = ids(present);
      for (int arc = 0; arc < ARCS; arc++) {
        List<NodeId> left = map.arcs().get(arc).serving().stream().filter(alive::contains).toList();
        List<NodeId> before = map.arcs().get(arc).serving();
        assertEquals(
            Set.copyOf(left.isEmpty() ? before : left),
            Set.copyOf(plan.map().arcs().get(arc).serving()),
            "seed=" + seed);
      }
    }
  }

  @Test
  void shouldNotGoBelowTheReplicationEvenWhereALossIsAccepted() {
    List<RingNode> nodes = nodes(new Random(1), 5);
    RingMap map = fresh(nodes);
    RingTerms accepted = new RingTerms(Set.of(), Set.of(), Map.of(), true);
    RingPlan plan = RingPlanner.plan(map, nodes.subList(0, 2), REPLICATION, accepted);
    assertEquals(Outcome.TOO_FEW_NODES, plan.outcome());
    assertSame(map, plan.map());
  }

  @Test
  void shouldFollowNewAddressesAlsoWhereNoPlaceMoves() {
    List<RingNode> nodes = nodes(new Random(1), 5);
    RingMap map = fresh(nodes);
    RingNode moved =
        new RingNode(nodes.get(4).id(), "elsewhere", 1, 2, 3, 0, nodes.get(4).rack(), 4, 1);
    List<RingNode> three = List.of(nodes.get(2), nodes.get(3), moved);
    RingPlan frozen = RingPlanner.plan(map, three, REPLICATION, STRICT);
    assertEquals(Outcome.FROZEN, frozen.outcome());
    assertEquals(map.withAddresses(List.of(moved)), frozen.map());
    RingTerms accepted = new RingTerms(Set.of(), Set.of(), Map.of(), true);
    RingPlan few = RingPlanner.plan(map, List.of(nodes.get(3), moved), REPLICATION, accepted);
    assertEquals(Outcome.TOO_FEW_NODES, few.outcome());
    assertEquals(2, few.map().epoch());
    assertEquals(Optional.of(moved), few.map().node(moved.id()));
  }

  /** Places taken from nodes that are present. */
  private static int checkTaken(
      RingMap before, RingMap after, List<RingNode> nodes, RingTerms terms, String message) {
    Set<NodeId> present = ids(nodes);
    int taken = 0;
    for (int arc = 0; arc < ARCS; arc++) {
      List<NodeId> now = after.arcs().get(arc).serving();
      assertFalse(now.isEmpty(), message);
      for (NodeId node : before.arcs().get(arc).serving()) {
        if (present.contains(node) && !now.contains(node)) {
          taken++;
          assertTrue(now.size() >= REPLICATION, message);
          assertTrue(terms.confirmed().containsAll(now), message);
          assertFalse(terms.needed().getOrDefault(arc, Set.of()).contains(node), message);
        }
      }
    }
    return taken;
  }

  private static RingTerms terms(Random random, RingMap map) {
    Set<NodeId> confirmed = new HashSet<>();
    boolean most = random.nextBoolean();
    for (NodeId node : map.nodes().keySet()) {
      if (random.nextInt(10) < (most ? 9 : 5)) {
        confirmed.add(node);
      }
    }
    Map<Integer, Set<NodeId>> needed = new HashMap<>();
    for (int arc = 0; arc < ARCS; arc++) {
      List<NodeId> serving = map.arcs().get(arc).serving();
      if (random.nextInt(4) == 0) {
        needed.put(arc, Set.of(serving.get(serving.size() - 1)));
      }
    }
    return new RingTerms(Set.of(), confirmed, needed, random.nextInt(5) == 0);
  }

  private static RingTerms confirmed(RingMap map) {
    return new RingTerms(Set.of(), map.nodes().keySet(), Map.of(), false);
  }

  private static RingMap plan(RingMap map, List<RingNode> nodes) {
    return RingPlanner.plan(map, nodes, REPLICATION, STRICT).map();
  }

  private static RingMap promoteAll(RingMap map) {
    return promoteIf(map, () -> true);
  }

  private static RingMap promoteSome(RingMap map, Random random) {
    return promoteIf(map, () -> random.nextInt(4) > 0);
  }

  private static RingMap promoteIf(RingMap map, BooleanSupplier chosen) {
    Map<NodeId, List<Integer>> joining = new TreeMap<>();
    for (int arc = 0; arc < ARCS; arc++) {
      for (NodeId node : map.arcs().get(arc).joining()) {
        joining.computeIfAbsent(node, id -> new ArrayList<>()).add(arc);
      }
    }
    RingMap result = map;
    for (Map.Entry<NodeId, List<Integer>> entry : joining.entrySet()) {
      if (chosen.getAsBoolean()) {
        result = RingPlanner.promote(result, entry.getValue(), entry.getKey(), Set.of());
      }
    }
    return result;
  }

  private static NodeId id(int number) {
    return new NodeId(new UUID(0, number));
  }

  private static Set<NodeId> ids(Collection<RingNode> nodes) {
    return nodes.stream().map(RingNode::id).collect(Collectors.toSet());
  }

  private static List<RingNode> nodes(Random random, int count) {
    return new ArrayList<>(RingNodes.dealt(random, count, 1 + random.nextInt(3)));
  }

  private static RingMap fresh(List<RingNode> nodes) {
    return RingPlanner.plan(Optional.empty(), nodes, REPLICATION, ARCS).map();
  }
}
