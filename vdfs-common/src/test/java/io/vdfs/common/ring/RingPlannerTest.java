package io.vdfs.common.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.model.InodeIds;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingPlan.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RingPlannerTest {
  private static final int SEEDS = 2000;
  private static final int ARCS = 420;

  @Test
  void shouldDealDistinctReplicasAndEvenOwnersWhenFresh() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      int count = 1 + random.nextInt(40);
      RingMap map = fresh(RingNodes.dealt(random, count, 1 + random.nextInt(4)), 3);
      assertEquals(1, map.epoch());
      assertEquals(Math.min(3, count), map.replication());
      map.arcs().forEach(arc -> assertEquals(map.replication(), arc.serving().size()));
      assertTrue(spread(owners(map), count) <= 1, "seed=" + seed);
    }
  }

  @Test
  void shouldDealGroupsOfOneFileEvenlyWhenFresh() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      int count = List.of(1, 2, 3, 4, 5, 6, 7, 10, 12, 14, 15, 20, 21).get(random.nextInt(13));
      RingMap map = fresh(RingNodes.dealt(random, count, 2), 3);
      long fileId = 1L + random.nextInt(1_000_000);
      int groups = 1 + random.nextInt(3 * ARCS);
      Map<NodeId, Integer> owned = new HashMap<>();
      for (int group = 0; group < groups; group++) {
        owned.merge(map.owner(fileId, group), 1, Integer::sum);
      }
      assertTrue(spread(owned, count) <= 1, "seed=" + seed + ", owned=" + owned);
    }
  }

  @Test
  void shouldPutReplicasOnSuccessorAndPredecessorWhenFresh() {
    List<RingNode> nodes = RingNodes.dealt(new Random(5), 5, 1);
    List<NodeId> order = NodeOrder.of(nodes).nodes().stream().map(RingNode::id).toList();
    ArcReplicas arc = fresh(nodes, 3).arcs().get(6);
    assertEquals(List.of(order.get(1), order.get(2), order.get(0)), arc.serving());
  }

  @Test
  void shouldPlanTheSameWhateverTheOrderOfNodes() {
    for (int seed = 0; seed < SEEDS / 10; seed++) {
      Random random = new Random(seed);
      List<RingNode> nodes = mixed(random, 3 + random.nextInt(12));
      RingMap map = fresh(nodes, 3);
      List<RingNode> changed = new ArrayList<>(nodes.subList(0, nodes.size() - 1));
      changed.add(RingNodes.random(random, "/rack-0", 1));
      Collections.shuffle(nodes, random);
      assertEquals(map, fresh(nodes, 3), "seed=" + seed);
      RingPlan plan = plan(map, changed, 3);
      Collections.shuffle(changed, random);
      assertEquals(plan, plan(map, changed, 3), "seed=" + seed);
    }
  }

  @Test
  void shouldChangeNothingWhenPlannedAgain() {
    for (int seed = 0; seed < SEEDS / 10; seed++) {
      Random random = new Random(seed);
      List<RingNode> nodes = RingNodes.dealt(random, 4 + random.nextInt(12), 1 + seed % 3);
      RingMap map = fresh(nodes, 3);
      assertSame(map, plan(map, nodes, 3).map(), "seed=" + seed);
      nodes.remove(random.nextInt(nodes.size()));
      nodes.add(RingNodes.random(random, "/rack-0", 1));
      RingMap changed = plan(map, nodes, 3).map();
      assertEquals(2, changed.epoch());
      RingPlan again = plan(changed, nodes, 3);
      assertEquals(Outcome.UNCHANGED, again.outcome());
      assertSame(changed, again.map(), "seed=" + seed);
    }
  }

  @Test
  void shouldMoveOneShareWhenANodeJoins() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      int count = 3 + random.nextInt(20);
      List<RingNode> nodes = RingNodes.dealt(random, count, 1);
      RingMap map = fresh(nodes, 3);
      RingNode newcomer = RingNodes.random(random, "/rack-0", 1);
      nodes.add(newcomer);
      RingPlan plan = plan(map, nodes, 3);
      assertEquals(3.0 * ARCS / (count + 1), plan.movedReplicas(), 1, "seed=" + seed);
      for (int arc = 0; arc < ARCS; arc++) {
        assertEquals(map.arcs().get(arc).serving(), plan.map().arcs().get(arc).serving());
        assertTrue(List.of(newcomer.id()).containsAll(plan.map().arcs().get(arc).joining()));
      }
    }
  }

  @Test
  void shouldReplaceOnlyTheLostReplicasWhenANodeLeaves() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      int count = 4 + random.nextInt(20);
      List<RingNode> nodes = RingNodes.dealt(random, count, 1);
      RingMap map = fresh(nodes, 3);
      NodeId leaver = nodes.remove(random.nextInt(count)).id();
      RingPlan plan = plan(map, nodes, 3);
      assertEquals(held(map).get(leaver), plan.movedReplicas(), "seed=" + seed);
      assertTrue(plan.map().node(leaver).isEmpty());
      assertTrue(spread(held(plan.map()), count - 1) <= 2 + ARCS * 3 / 50, "seed=" + seed);
      for (int arc = 0; arc < ARCS; arc++) {
        Set<NodeId> stayed = new HashSet<>(map.arcs().get(arc).serving());
        stayed.remove(leaver);
        assertEquals(stayed, Set.copyOf(plan.map().arcs().get(arc).serving()));
        assertEquals(3, plan.map().arcs().get(arc).members().count());
      }
    }
  }

  @Test
  void shouldKeepEveryPromiseThroughAHistoryOfChanges() {
    for (int seed = 0; seed < SEEDS / 10; seed++) {
      Random random = new Random(seed);
      List<RingNode> nodes = mixed(random, 4 + random.nextInt(6));
      RingMap map = fresh(nodes, 3);
      for (int step = 0; step < 12; step++) {
        if (nodes.size() > 4 && random.nextInt(3) == 0) {
          nodes.remove(random.nextInt(nodes.size()));
        } else if (nodes.size() < 12 && random.nextInt(3) == 0) {
          nodes.add(RingNodes.random(random, "/rack-" + random.nextInt(3), 1));
        }
        RingMap before = map;
        map = plan(map, nodes, 3).map();
        checkChange(before, map, nodes, "seed=" + seed + ", step=" + step);
        map = promoteIf(map, nodes, random::nextBoolean);
      }
      map = settle(map, nodes, "seed=" + seed);
      Set<NodeId> live = nodes.stream().map(RingNode::id).collect(Collectors.toSet());
      for (ArcReplicas arc : map.arcs()) {
        boolean waits = Collections.disjoint(live, arc.serving());
        assertTrue(waits || live.containsAll(arc.serving()), "seed=" + seed);
        assertTrue(arc.members().count() >= 3, "seed=" + seed);
      }
    }
  }

  @Test
  void shouldReachBalanceWhenJoiningNodesServe() {
    for (int seed = 0; seed < 100; seed++) {
      Random random = new Random(seed);
      List<RingNode> nodes = RingNodes.dealt(random, 3 + random.nextInt(8), 1);
      RingMap map = fresh(nodes, 3);
      nodes.add(RingNodes.random(random, "/rack-0", 1));
      map = settle(map, nodes, "seed=" + seed);
      double share = 3.0 * ARCS / nodes.size();
      Map<NodeId, Integer> held = held(map);
      for (RingNode node : nodes) {
        assertEquals(share, held.get(node.id()), 5 + share * 0.04, "seed=" + seed);
      }
      assertTrue(spread(owners(map), nodes.size()) <= 2 + ARCS / 50, "seed=" + seed);
    }
  }

  @Test
  void shouldFollowWeightsWhenFresh() {
    Random random = new Random(1);
    List<RingNode> nodes = new ArrayList<>(RingNodes.dealt(random, 5, 1));
    RingNode heavy = RingNodes.random(random, "/rack-0", 2);
    nodes.add(heavy);
    RingMap map = fresh(nodes, 3);
    assertEquals(2 * ARCS / 7, owners(map).get(heavy.id()));
    assertEquals(2 * 3 * ARCS / 7, held(map).get(heavy.id()), 2);
  }

  @Test
  void shouldUseTwoRacksWhereThereAreTwo() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      List<RingNode> nodes = mixed(random, 2 + random.nextInt(12));
      RingPlan plan = RingPlanner.plan(Optional.empty(), nodes, 2 + seed % 2, ARCS);
      assertEquals(List.of(), plan.rackViolations(), "seed=" + seed);
    }
  }

  @Test
  void shouldReportAndRepairRackViolationsWhenASecondRackAppears() {
    Random random = new Random(1);
    List<RingNode> nodes = new ArrayList<>(RingNodes.dealt(random, 4, 1));
    RingMap map = fresh(nodes, 2);
    nodes.add(RingNodes.random(random, "/rack-9", 1));
    List<ArcReplicas> arcs = map.arcs();
    RingMap widened = new RingMap(2, 2, Placement.TURN, arcs, byId(nodes));
    assertEquals(ARCS, widened.rackViolations().size());
    RingPlan plan = plan(widened, nodes, 2);
    assertEquals(List.of(), plan.rackViolations());
    assertEquals(ARCS, plan.movedReplicas());
  }

  @Test
  void shouldKeepTheMapWhenFewerNodesLiveThanReplicas() {
    List<RingNode> nodes = RingNodes.dealt(new Random(1), 3, 1);
    RingMap map = fresh(nodes, 3);
    RingPlan plan = plan(map, nodes.subList(0, 2), 3);
    assertEquals(Outcome.TOO_FEW_NODES, plan.outcome());
    assertSame(map, plan.map());
  }

  @Test
  void shouldFreezeWhenMoreThanAThirdVanishesAtOnce() {
    for (int count = 2; count < 30; count++) {
      List<RingNode> nodes = RingNodes.dealt(new Random(count), count, 1);
      RingMap map = fresh(nodes, 2);
      for (int missing = 0; missing <= count; missing++) {
        RingPlan plan = plan(map, nodes.subList(missing, count), 2);
        assertEquals(missing * 3 > count, plan.outcome() == Outcome.FROZEN, plan.toString());
        if (plan.outcome() == Outcome.FROZEN) {
          assertSame(map, plan.map());
        }
      }
    }
  }

  @Test
  void shouldFreezeWithASingleCopyToo() {
    List<RingNode> nodes = RingNodes.dealt(new Random(1), 4, 1);
    RingMap map = fresh(nodes, 1);
    assertEquals(Outcome.FROZEN, plan(map, nodes.subList(0, 2), 1).outcome());
  }

  @Test
  void shouldGoOnPlanningWhileArcsWaitForNodesLostEarlier() {
    List<RingNode> nodes = NodeOrder.of(RingNodes.dealt(new Random(1), 6, 1)).nodes();
    RingMap first = plan(fresh(nodes, 2), nodes.subList(1, 6), 2).map();
    RingMap second = plan(first, nodes.subList(2, 6), 2).map();
    assertEquals(5, second.members().size());
    RingPlan third = plan(second, nodes.subList(3, 6), 2);
    assertEquals(Outcome.CHANGED, third.outcome());
  }

  @Test
  void shouldKeepTheLastServingNodeWhenItIsMissing() {
    List<RingNode> nodes = RingNodes.dealt(new Random(1), 4, 1);
    RingMap map = fresh(nodes, 1);
    RingPlan plan = plan(map, nodes.subList(1, 4), 1);
    for (int arc = 0; arc < ARCS; arc++) {
      assertEquals(map.arcs().get(arc), plan.map().arcs().get(arc));
    }
  }

  @Test
  void shouldGrowReplicationWithTheNodesUpToWhatIsAskedFor() {
    List<RingNode> nodes = RingNodes.dealt(new Random(1), 4, 1);
    RingMap map = fresh(nodes.subList(0, 2), 3);
    assertEquals(2, map.replication());
    RingMap grown = plan(map, nodes, 3).map();
    assertEquals(3, grown.replication());
    grown.arcs().forEach(arc -> assertTrue(arc.members().count() >= 3));
  }

  @Test
  void shouldPassOwnershipToANodeThatServes() {
    List<RingNode> nodes = RingNodes.dealt(new Random(3), 4, 1);
    RingMap map = fresh(nodes.subList(0, 3), 3);
    RingMap settled = settle(map, nodes, "four nodes");
    assertEquals(ARCS / 4, owners(settled).get(nodes.get(3).id()), 3);
  }

  @Test
  void shouldRefuseToPromoteANodeThatIsNotJoining() {
    List<RingNode> nodes = RingNodes.dealt(new Random(1), 4, 1);
    RingMap map = fresh(nodes, 3);
    NodeId owner = map.arcs().get(0).owner();
    assertThrows(IllegalArgumentException.class, () -> RingPlanner.promote(map, 0, owner));
    assertThrows(IllegalArgumentException.class, () -> RingPlanner.promote(map, ARCS, owner));
  }

  @Test
  void shouldFollowWeightsOfTheMapAndNoOthers() {
    for (int seed = 0; seed < SEEDS / 10; seed++) {
      Random random = new Random(seed);
      int count = 5 + random.nextInt(12);
      List<RingNode> nodes = RingNodes.dealt(random, count, 1);
      RingMap map = fresh(nodes, 3);
      RingNode grown = nodes.get(random.nextInt(count));
      String message = "seed=" + seed;
      nodes.replaceAll(node -> node.equals(grown) ? node.withWeight(2) : node);
      assertSame(map, plan(map, nodes, 3).map(), message);

      RingMap weighed = map.withWeights(Map.of(grown.id(), 2.0));
      RingMap settled = settle(weighed, nodes, message);
      double share = 3.0 * ARCS * 2 / (count + 1);
      assertTrue(
          Math.abs(held(settled).get(grown.id()) - share) <= 3 + share / 50,
          () -> message + ", share=" + share + ", held=" + held(settled));
      double owned = 1.0 * ARCS * 2 / (count + 1);
      // each other node may keep an arc that is more than its share
      assertTrue(
          Math.abs(owners(settled).get(grown.id()) - owned) <= count,
          () -> message + ", share=" + owned + ", owned=" + owners(settled));
      long joined =
          IntStream.range(0, ARCS)
              .mapToLong(
                  arc ->
                      settled.arcs().get(arc).serving().stream()
                          .filter(node -> !map.arcs().get(arc).contains(node))
                          .count())
              .sum();
      assertTrue(
          joined <= share - held(map).get(grown.id()) + 3,
          () -> message + ", places that moved: " + joined);
    }
  }

  @Test
  void shouldRefuseAnotherNumberOfArcs() {
    List<RingNode> nodes = RingNodes.dealt(new Random(1), 3, 1);
    RingMap map = fresh(nodes, 3);
    assertThrows(
        IllegalArgumentException.class,
        () -> RingPlanner.plan(Optional.of(map), nodes, 3, ARCS + 1));
    assertThrows(
        IllegalArgumentException.class,
        () -> RingPlanner.plan(Optional.empty(), List.of(), 3, ARCS));
    assertThrows(
        IllegalArgumentException.class,
        () -> RingPlanner.plan(Optional.empty(), List.of(nodes.get(0), nodes.get(0)), 3, ARCS));
  }

  @Test
  void shouldSpreadFilesOverTheWholeRing() {
    for (Placement placement : Placement.values()) {
      RingMap map = fresh(RingNodes.dealt(new Random(1), 10, 1), 3).placing(placement);
      int[] files = new int[ARCS];
      for (int number = 1; number <= 100 * ARCS; number++) {
        files[map.arcOf(InodeIds.file(number, number % InodeIds.PARTITIONS), 0)]++;
      }
      for (int count : files) {
        assertTrue(count > 50 && count < 150, placement + ", files on an arc: " + count);
      }
    }
  }

  private static void checkChange(
      RingMap before, RingMap after, List<RingNode> live, String message) {
    if (after.equals(before)) {
      return;
    }
    assertEquals(before.epoch() + 1, after.epoch(), message);
    Set<NodeId> alive = live.stream().map(RingNode::id).collect(Collectors.toSet());
    for (int arc = 0; arc < ARCS; arc++) {
      ArcReplicas old = before.arcs().get(arc);
      ArcReplicas now = after.arcs().get(arc);
      assertTrue(old.serving().containsAll(now.serving()), message + ", unverified copy serves");
      long survivors = old.serving().stream().filter(alive::contains).count();
      assertTrue(now.serving().size() >= Math.min(3, survivors), message + ", copy given up");
    }
  }

  /** Lets those joining nodes serve that have a live node to copy from and are chosen. */
  private static RingMap promoteIf(
      RingMap map, Collection<RingNode> nodes, BooleanSupplier chosen) {
    Set<NodeId> live = nodes.stream().map(RingNode::id).collect(Collectors.toSet());
    Map<NodeId, List<Integer>> promoted = new TreeMap<>();
    for (int arc = 0; arc < ARCS; arc++) {
      for (NodeId node : map.arcs().get(arc).joining()) {
        boolean copied = !Collections.disjoint(map.arcs().get(arc).serving(), live);
        if (copied && chosen.getAsBoolean()) {
          promoted.computeIfAbsent(node, n -> new ArrayList<>()).add(arc);
        }
      }
    }
    RingMap result = map;
    for (Map.Entry<NodeId, List<Integer>> entry : promoted.entrySet()) {
      result = RingPlanner.promote(result, entry.getValue(), entry.getKey(), Set.of());
    }
    return result;
  }

  private static RingMap settle(RingMap start, Collection<RingNode> nodes, String message) {
    RingMap map = start;
    for (int round = 0; round < 20; round++) {
      RingMap planned = plan(map, nodes, 3).map();
      if (planned.equals(map)) {
        return map;
      }
      map = promoteIf(planned, nodes, () -> true);
    }
    throw new AssertionError("planning does not come to rest: " + message);
  }

  private static List<RingNode> mixed(Random random, int count) {
    List<RingNode> nodes = new ArrayList<>(RingNodes.dealt(random, 2, 2));
    while (nodes.size() < count) {
      nodes.add(RingNodes.random(random, "/rack-" + random.nextInt(3), 1 + random.nextInt(2)));
    }
    return nodes;
  }

  private static Map<NodeId, RingNode> byId(List<RingNode> nodes) {
    return nodes.stream().collect(Collectors.toMap(RingNode::id, node -> node));
  }

  private static RingMap fresh(List<RingNode> nodes, int replication) {
    return RingPlanner.plan(Optional.empty(), nodes, replication, ARCS).map();
  }

  private static RingPlan plan(RingMap map, Collection<RingNode> live, int replication) {
    return RingPlanner.plan(Optional.of(map), live, replication, ARCS);
  }

  private static Map<NodeId, Integer> owners(RingMap map) {
    Map<NodeId, Integer> owned = new HashMap<>();
    map.arcs().forEach(arc -> owned.merge(arc.owner(), 1, Integer::sum));
    return owned;
  }

  private static Map<NodeId, Integer> held(RingMap map) {
    Map<NodeId, Integer> held = new HashMap<>();
    map.arcs().stream()
        .flatMap(ArcReplicas::members)
        .forEach(node -> held.merge(node, 1, Integer::sum));
    return held;
  }

  /** Difference between the highest and the lowest count, of {@code count} nodes. */
  private static int spread(Map<NodeId, Integer> counts, int count) {
    int least = counts.size() < count ? 0 : Collections.min(counts.values());
    return Collections.max(counts.values()) - least;
  }
}
