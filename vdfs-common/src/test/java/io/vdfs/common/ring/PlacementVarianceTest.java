package io.vdfs.common.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.model.InodeIds;
import io.vdfs.common.model.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Measures how evenly each placement deals files to nodes: the variance of copies per node, as a
 * share of what files at random places have. That is r(N-r)S/N² for S files with r copies on N
 * nodes that hold equal parts of the ring, and the sum of p(1-p)S/N where node i holds the part p
 * of it.
 */
class PlacementVarianceTest {
  private static final int SEEDS = 2000;
  private static final int ARCS = 2520;
  private static final int STRIDES = 7;
  private static final int[] NODES = {3, 4, 5, 6, 7, 10, 12, 21, 33, 99, 300};

  /**
   * The variance of copies per node of files at every {@code stride}-th number, over many first
   * numbers.
   */
  private static double share(RingMap map, Placement placement, int copies, int files, int stride) {
    RingMap ring = new RingMap(1, map.replication(), placement, map.arcs(), map.nodes());
    Map<NodeId, Integer> index = new HashMap<>();
    ring.nodes().keySet().forEach(node -> index.put(node, index.size()));
    int[][] keepers = new int[ARCS][];
    double[] part = new double[index.size()];
    for (int arc = 0; arc < ARCS; arc++) {
      keepers[arc] =
          ring.arcs().get(arc).serving().stream().limit(copies).mapToInt(index::get).toArray();
      for (int node : keepers[arc]) {
        part[node] += 1.0 / ARCS;
      }
    }
    double random = 0;
    for (double p : part) {
      random += p * (1 - p) * files;
    }
    Random seeds = new Random(1);
    int rounds = part.length < 8 ? 5 * SEEDS : SEEDS; // few nodes tell little about the mean
    double sum = 0;
    for (int seed = 0; seed < rounds; seed++) {
      long first = 1 + seeds.nextLong(1L << 40);
      int[] held = new int[part.length];
      for (int file = 0; file < files; file++) {
        long id = InodeIds.file(first + (long) file * stride, seed % InodeIds.PARTITIONS);
        for (int node : keepers[ring.arcOf(id, 0)]) {
          held[node]++;
        }
      }
      for (int node = 0; node < held.length; node++) {
        double off = held[node] - part[node] * files;
        sum += off * off;
      }
    }
    return sum / rounds / random;
  }

  private static RingMap fresh(int count) {
    return RingPlanner.plan(Optional.empty(), RingNodes.dealt(new Random(1), count, 1), 3, ARCS)
        .map();
  }

  @Test
  void shouldBeAsTheFormulaSaysAtRandom() {
    for (int count : new int[] {4, 10, 63}) {
      for (Placement placement : List.of(Placement.RANDOM, Placement.HASH)) {
        double share = share(fresh(count), placement, 3, 3 * count, 1);
        assertEquals(1, share, 0.05, placement + ", nodes=" + count);
      }
    }
  }

  /** The promise of the placement: from three files per node up, whole rounds or not. */
  @Test
  void shouldDealFilesInTurnAtMostAFifthAsUnevenlyAsAtRandom() {
    for (int count : NODES) {
      for (int perNode : count < 30 ? new int[] {3, 4, 7, 10} : new int[] {3}) {
        for (int files : new int[] {perNode * count, perNode * count + count / 2}) {
          double share = share(fresh(count), Placement.TURN, 1, files, 1);
          double most = count == 5 && perNode == 3 ? 0.22 : 0.2;
          assertTrue(share <= most, "nodes=" + count + ", files=" + files + ", share=" + share);
          if (count > 3 && perNode == 3) {
            double copies = share(fresh(count), Placement.TURN, 3, files, 1);
            assertTrue(copies <= 0.4, "nodes=" + count + ", files=" + files + ", share=" + copies);
          }
        }
      }
    }
  }

  @Test
  void shouldDealEveryStrideNoWorseThanAtRandom() {
    for (int count : NODES) {
      RingMap fresh = fresh(count);
      for (int stride = 1; stride <= STRIDES; stride++) {
        assertNoWorse(fresh, 1, 3 * count, stride);
        if (count < 30) {
          assertNoWorse(fresh, 1, 10 * count, stride);
        }
        if (count > 3 && count < 90) {
          assertNoWorse(fresh, 3, 3 * count, stride);
        }
      }
    }
  }

  private static void assertNoWorse(RingMap map, int copies, int files, int stride) {
    double share = share(map, Placement.TURN, copies, files, stride);
    assertTrue(
        share <= 1.05,
        () ->
            "nodes=%d, copies=%d, files=%d, stride=%d, share=%f"
                .formatted(map.nodes().size(), copies, files, stride, share));
  }

  @Test
  void shouldDealNoWorseThanAtRandomByWeightAndAfterJoinsAndLosses() {
    for (int count : new int[] {5, 12, 24}) {
      List<RingNode> nodes = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        nodes.add(RingNodes.random(new Random(i), "/r", 1 + i % 3));
      }
      RingMap weighted = RingPlanner.plan(Optional.empty(), nodes, 3, ARCS).map();
      List<RingNode> live = new ArrayList<>(RingNodes.dealt(new Random(1), count, 1));
      live.remove(count / 2);
      RingMap lost = settled(fresh(count), live);
      live.add(RingNodes.random(new Random(99), "/rack-0", 1));
      live.add(RingNodes.random(new Random(98), "/rack-0", 1));
      RingMap joined = settled(lost, live);
      for (RingMap map : List.of(weighted, lost, joined)) {
        for (int stride = 1; stride <= STRIDES; stride++) {
          for (int copies : new int[] {1, 3}) {
            assertNoWorse(map, copies, 3 * count, stride);
          }
        }
      }
    }
  }

  /** The ring once everything that is to move has been copied. */
  private static RingMap settled(RingMap map, List<RingNode> live) {
    RingMap now = map;
    for (int step = 0; step < 20; step++) {
      RingMap next = RingPlanner.plan(Optional.of(now), live, 3, ARCS).map();
      for (RingNode node : live) {
        List<Integer> joins = new ArrayList<>();
        for (int arc = 0; arc < ARCS; arc++) {
          if (next.arcs().get(arc).joining().contains(node.id())) {
            joins.add(arc);
          }
        }
        next = RingPlanner.promote(next, joins, node.id(), Set.of());
      }
      if (next.arcs().equals(now.arcs())) {
        return next;
      }
      now = next;
    }
    throw new AssertionError("the ring does not settle");
  }
}
