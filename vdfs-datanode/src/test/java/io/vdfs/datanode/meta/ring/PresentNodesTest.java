package io.vdfs.datanode.meta.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.ring.RingPlan;
import io.vdfs.common.ring.RingPlanner;
import io.vdfs.common.ring.RingTerms;
import java.time.Duration;
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
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PresentNodesTest {
  private static final RingPatience PATIENCE =
      new RingPatience(Duration.ofSeconds(45), Duration.ofMinutes(10), Duration.ofMinutes(20));
  private static final long SECOND = 1_000_000_000L;
  private static final int ARCS = 60;

  private final PresentNodes nodes = new PresentNodes(PATIENCE);
  private long now = 77 * SECOND;

  private static RingNode node(int number) {
    return new RingNode(new NodeId(new UUID(0, number)), "host" + number, 1, 2, 3, 0, "/r", 4, 1);
  }

  private static List<RingNode> nodes(int first, int end) {
    return IntStream.range(first, end).mapToObj(PresentNodesTest::node).toList();
  }

  private static RingMap ring(int count, int replication) {
    return RingPlanner.plan(Optional.empty(), nodes(0, count), replication, ARCS).map();
  }

  /** Looks each second for so long; returns what was seen last. */
  private Presence look(RingMap map, Collection<RingNode> live, int seconds) {
    Presence seen = nodes.look(map, live, Set.of(), now);
    for (int i = 0; i < seconds; i++) {
      now += SECOND;
      seen = nodes.look(map, live, Set.of(), now);
    }
    return seen;
  }

  private static Set<NodeId> ids(Collection<RingNode> nodes) {
    return nodes.stream().map(RingNode::id).collect(Collectors.toSet());
  }

  @Test
  void shouldWaitForAMissingNodeAsLongAsTheOthersOfItsArcsAreThere() {
    RingMap map = ring(7, 3);
    Presence waits = look(map, nodes(1, 7), 599);
    assertEquals(ids(nodes(0, 7)), ids(waits.present()));
    assertEquals(Optional.of(Duration.ofSeconds(1)), waits.missing().get(node(0).id()).left());
    Presence over = look(map, nodes(1, 7), 1);
    assertEquals(ids(nodes(1, 7)), ids(over.present()));
    assertFalse(over.massLossAccepted());
  }

  @Test
  void shouldWaitShortlyWhereAnArcIsDownToOneNode() {
    RingMap map = ring(7, 2);
    assertEquals(ids(nodes(0, 7)), ids(look(map, nodes(1, 7), 44).present()));
    assertEquals(ids(nodes(1, 7)), ids(look(map, nodes(1, 7), 1).present()));
  }

  @Test
  void shouldStartAnewForANodeThatWasBack() {
    RingMap map = ring(7, 2);
    look(map, nodes(1, 7), 44);
    look(map, nodes(0, 7), 1);
    assertEquals(ids(nodes(0, 7)), ids(look(map, nodes(1, 7), 44).present()));
    assertEquals(ids(nodes(1, 7)), ids(look(map, nodes(1, 7), 1).present()));
  }

  @Test
  void shouldHoldWhereMoreThanAThirdIsMissing() {
    RingMap map = ring(7, 2);
    List<RingNode> live = new ArrayList<>(nodes(3, 7));
    live.add(node(20));
    Presence held = look(map, live, 1199);
    assertEquals(ids(nodes(0, 7)), ids(held.present()));
    assertTrue(held.heldUpBy().orElseThrow().contains("missing=3, nodes=7"));
    Presence accepted = look(map, live, 1);
    assertEquals(ids(live), ids(accepted.present()));
    assertTrue(accepted.massLossAccepted());
    assertEquals(Optional.empty(), accepted.heldUpBy());
  }

  /** A node that joined while others copied has no place yet, and is no third of anything. */
  @Test
  void shouldCountNodesWithPlacesOnlyAsThePlannerDoes() {
    RingMap dealt = ring(5, 3);
    Map<NodeId, RingNode> known = new TreeMap<>(dealt.nodes());
    known.put(node(5).id(), node(5));
    RingMap map = new RingMap(1, 3, dealt.placement(), dealt.arcs(), known);
    Presence over = look(map, nodes(2, 6), 1200);
    assertEquals(ids(nodes(2, 6)), ids(over.present()));
    assertTrue(over.massLossAccepted());
    RingTerms terms = new RingTerms(Set.of(), Set.of(), Map.of(), over.massLossAccepted());
    assertEquals(
        RingPlan.Outcome.CHANGED, RingPlanner.plan(map, over.present(), 3, terms).outcome());
  }

  @Test
  void shouldWaitForEverWhereToldSo() {
    PresentNodes patient =
        new PresentNodes(
            new RingPatience(Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ZERO));
    RingMap map = ring(7, 2);
    Presence seen = patient.look(map, List.of(), Set.of(), now);
    for (int i = 0; i < 10_000; i++) {
      now += SECOND;
      seen = patient.look(map, nodes(4, 7), Set.of(), now);
    }
    assertEquals(ids(nodes(0, 7)), ids(seen.present()));
    assertEquals(Optional.empty(), seen.missing().get(node(0).id()).left());
    now += SECOND;
    assertEquals(
        ids(nodes(1, 7)),
        ids(patient.look(map, nodes(1, 7), Set.of(), now).present()),
        "one is no mass");
  }

  @Test
  void shouldTakeInNewNodesAndNewAddressesAtOnce() {
    RingMap map = ring(5, 3);
    RingNode moved = new RingNode(node(0).id(), "other", 9, 9, 9, 0, "/r", 4, 1);
    List<RingNode> live = new ArrayList<>(nodes(1, 6));
    live.add(moved);
    Presence seen = nodes.look(map, live, Set.of(), now);
    assertEquals(Set.copyOf(live), Set.copyOf(seen.present()));
    assertEquals(Map.of(), seen.missing());
  }

  @Test
  void shouldNotCountTimeWithoutLooks() {
    RingMap map = ring(7, 2);
    look(map, nodes(1, 7), 1);
    now += Duration.ofHours(3).toNanos();
    Presence seen = nodes.look(map, nodes(1, 7), Set.of(), now);
    assertEquals(ids(nodes(0, 7)), ids(seen.present()));
    now -= Duration.ofHours(4).toNanos();
    assertEquals(
        seen.missing().get(node(0).id()),
        nodes.look(map, nodes(1, 7), Set.of(), now).missing().get(node(0).id()));
  }

  @Test
  void shouldWaitAnewAfterItSawNothing() {
    RingMap map = ring(7, 2);
    look(map, nodes(1, 7), 44);
    nodes.onBlindness();
    now += Duration.ofHours(1).toNanos();
    assertEquals(ids(nodes(0, 7)), ids(look(map, nodes(1, 7), 44).present()));
    assertEquals(ids(nodes(1, 7)), ids(look(map, nodes(1, 7), 1).present()));
  }

  @Test
  void shouldRefuseNegativePatience() {
    assertThrows(
        IllegalArgumentException.class,
        () -> new RingPatience(Duration.ofSeconds(-1), Duration.ZERO, Duration.ZERO));
  }

  /**
   * Nodes go and come, the view of ZooKeeper breaks, the clock jumps, all at random: no node loses
   * a place that was not seen missing for the whole of its patience, in consecutive looks.
   */
  @Test
  void shouldReplaceOnlyNodesSeenMissingForTheWholeOfTheirPatience() {
    int replaced = 0;
    int held = 0;
    for (int seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      RingPatience patience =
          new RingPatience(Duration.ofSeconds(5), Duration.ofSeconds(20), Duration.ofSeconds(40));
      PresentNodes look = new PresentNodes(patience);
      Map<NodeId, RingNode> all = new TreeMap<>();
      nodes(0, 5 + random.nextInt(6)).forEach(node -> all.put(node.id(), node));
      Map<NodeId, RingNode> live = new TreeMap<>(all);
      RingMap map = RingPlanner.plan(Optional.empty(), live.values(), 3, ARCS).map();
      Map<NodeId, Long> unseen = new HashMap<>();
      long time = 0;
      for (int step = 0; step < 800; step++) {
        String where = "seed=" + seed + ", step=" + step;
        long pause = SECOND;
        if (random.nextInt(200) == 0) {
          pause = (random.nextInt(3) - 1) * 3_600L * SECOND;
        }
        time += pause;
        // what the oracle counts: whole seconds of looks, no jump
        long counted = Math.max(0, Math.min(pause, 5 * SECOND));
        change(random, all, live);
        if (random.nextInt(100) == 0) {
          look.onBlindness();
          unseen.clear();
          continue;
        }
        Set<NodeId> gone = new HashSet<>(map.nodes().keySet());
        gone.removeAll(live.keySet());
        unseen.keySet().retainAll(gone);
        unseen.replaceAll((id, nanos) -> nanos + counted);
        gone.forEach(id -> unseen.putIfAbsent(id, 0L));
        Presence seen = look.look(map, live.values(), Set.of(), time);
        Set<NodeId> present = ids(seen.present());
        Set<NodeId> members = map.members();
        boolean mass = gone.stream().filter(members::contains).count() * 3 > members.size();
        for (NodeId id : gone) {
          long least = mass ? 40 : isScarce(map, id, live.keySet()) ? 5 : 20;
          assertEquals(unseen.get(id) < least * SECOND, present.contains(id), where);
        }
        boolean holds = mass && gone.stream().allMatch(present::contains);
        held += holds ? 1 : 0;
        assertEquals(holds, seen.heldUpBy().isPresent(), where);
        for (NodeId id : live.keySet()) {
          assertEquals(map.nodes().containsKey(id) || !holds, present.contains(id), where);
        }
        RingMap next =
            RingPlanner.plan(
                    map,
                    seen.present(),
                    3,
                    new RingTerms(Set.of(), Set.of(), Map.of(), seen.massLossAccepted()))
                .map();
        for (int arc = 0; arc < ARCS; arc++) {
          for (NodeId id : map.arcs().get(arc).serving()) {
            boolean lost = !next.arcs().get(arc).contains(id);
            assertFalse(lost && present.contains(id), where);
            replaced += lost ? 1 : 0;
          }
        }
        map = promoted(next);
      }
    }
    assertTrue(replaced > 100 && held > 20, "replaced=" + replaced + ", held=" + held);
  }

  @Test
  void shouldNotWaitForWhomItIsToldNotTo() {
    RingMap map = ring(7, 3);
    Set<NodeId> gone = Set.of(node(0).id());
    Presence seen = nodes.look(map, nodes(1, 7), gone, now);
    assertEquals(ids(nodes(1, 7)), ids(seen.present()));
    assertTrue(seen.missing().get(node(0).id()).isOverdue());
    assertEquals(Optional.empty(), seen.heldUpBy());
    // three of seven would be an outage, were one of them not known to be gone
    seen = nodes.look(map, nodes(3, 7), gone, now);
    assertEquals(ids(nodes(1, 7)), ids(seen.present()));
    assertTrue(seen.massLossAccepted());
    assertFalse(seen.missing().get(node(1).id()).isOverdue());
    assertEquals(ids(nodes(0, 7)), ids(nodes.look(map, nodes(0, 7), gone, now).present()));
  }

  private static void change(Random random, Map<NodeId, RingNode> all, Map<NodeId, RingNode> live) {
    if (random.nextInt(20) == 0 && !live.isEmpty()) {
      live.remove(List.copyOf(live.keySet()).get(random.nextInt(live.size())));
    }
    if (random.nextInt(15) == 0) {
      RingNode back = List.copyOf(all.values()).get(random.nextInt(all.size()));
      live.put(back.id(), back);
    }
    if (random.nextInt(300) == 0) {
      live.clear();
    }
    if (random.nextInt(60) == 0) {
      live.putAll(all);
    }
    if (random.nextInt(200) == 0 && all.size() < 14) {
      RingNode fresh = node(100 + all.size());
      all.put(fresh.id(), fresh);
      live.put(fresh.id(), fresh);
    }
  }

  private static boolean isScarce(RingMap map, NodeId node, Set<NodeId> live) {
    return map.arcs().stream()
        .map(ArcReplicas::serving)
        .filter(serving -> serving.contains(node) && serving.size() > 1)
        .anyMatch(serving -> serving.stream().filter(live::contains).count() <= 1);
  }

  private static RingMap promoted(RingMap map) {
    Map<NodeId, List<Integer>> joining = new TreeMap<>();
    for (int arc = 0; arc < ARCS; arc++) {
      for (NodeId node : map.arcs().get(arc).joining()) {
        joining.computeIfAbsent(node, id -> new ArrayList<>()).add(arc);
      }
    }
    RingMap result = map;
    for (Map.Entry<NodeId, List<Integer>> entry : joining.entrySet()) {
      result = RingPlanner.promote(result, entry.getValue(), entry.getKey(), Set.of());
    }
    return result;
  }
}
