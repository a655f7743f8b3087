package io.vdfs.datanode.repair;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.datanode.repair.SimulatedCluster.Node;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random histories of writes, deletions, deaths, wipes, returns and new nodes. At each step readers
 * get right bytes or none; at the end of a quiet time each group has all its copies.
 */
@Timeout(600)
class RepairSimulationTest {
  private static final int SEEDS = Integer.getInteger("vdfs.repair.seeds", 200);
  private static final int STEPS = 30;

  /** Of virtual time, for everything to become whole. */
  private static final Duration QUIET = Duration.ofHours(2);

  @Test
  void shouldMakeEverythingWholeAgainWhateverHappens() throws Exception {
    long copied = 0;
    for (long seed : LongStream.range(0, SEEDS).toArray()) {
      copied += run(seed);
    }
    assertTrue(copied > SEEDS, "copied " + copied);
  }

  private long run(long seed) throws Exception {
    Random random = new Random(seed);
    try (SimulatedCluster cluster = new SimulatedCluster(random, 3 + random.nextInt(4))) {
      Set<Node> givenUp = new HashSet<>();
      for (int step = 0; step < STEPS; step++) {
        try {
          act(cluster, random, step, givenUp);
          cluster.loop.advance(Duration.ofMillis(random.nextInt(8_000)));
          cluster.checkReads();
        } catch (AssertionError | Exception e) {
          throw new AssertionError("seed=" + seed + ", step=" + step + " " + cluster.trace, e);
        }
      }
      settle(cluster, seed);
      return cluster.copied();
    }
  }

  private static void act(SimulatedCluster cluster, Random random, int step, Set<Node> givenUp)
      throws Exception {
    List<String> paths = List.copyOf(cluster.files.keySet());
    String path = paths.isEmpty() ? "" : paths.get(random.nextInt(paths.size()));
    int length = 1 + random.nextInt(3 * SimulatedCluster.GROUP);
    switch (random.nextInt(14)) {
      case 0, 1, 2 -> cluster.write("/f" + step, length, 1 + random.nextInt(3));
      case 3 -> {
        if (!path.isEmpty()) {
          cluster.append(path, length);
        }
      }
      case 4 -> {
        if (!path.isEmpty()) {
          cluster.delete(path);
        }
      }
      case 5 -> {
        if (!path.isEmpty()) {
          cluster.setReplication(path, 1 + random.nextInt(3));
        }
      }
      case 6, 7 -> kill(cluster, random);
      case 8 -> {
        for (Node node : cluster.down()) {
          node.start();
          givenUp.remove(node);
          cluster.trace.add("up " + node.id);
          break;
        }
      }
      case 9 -> wipe(cluster, random, givenUp);
      case 10 -> cluster.down().stream().findFirst().ifPresent(givenUp::add);
      case 11 -> {
        if (cluster.nodes.size() < 9) {
          cluster.addNode();
        }
      }
      case 12 -> cluster.refreshWriters();
      default -> {
        // only time passes
      }
    }
    Set<io.vdfs.common.model.NodeId> waitedFor = new TreeSet<>();
    cluster.down().stream()
        .filter(node -> !givenUp.contains(node))
        .forEach(node -> waitedFor.add(node.id));
    cluster.changeRing(waitedFor);
  }

  private static void kill(SimulatedCluster cluster, Random random) throws Exception {
    List<io.vdfs.common.model.NodeId> up = List.copyOf(cluster.up());
    if (up.size() > 2) {
      Node node = cluster.nodes.get(up.get(random.nextInt(up.size())));
      node.stop();
      cluster.trace.add("down " + node.id);
    }
  }

  /** A disk is lost for good, where that loses nothing by itself. */
  private static void wipe(SimulatedCluster cluster, Random random, Set<Node> givenUp)
      throws Exception {
    List<Node> all = List.copyOf(cluster.nodes.values());
    Node lost = all.get(random.nextInt(all.size()));
    if (cluster.up().size() > 2 && cluster.canSpare(lost)) {
      if (lost.isUp()) {
        lost.stop();
      }
      cluster.nodes.remove(lost.id);
      givenUp.remove(lost);
      cluster.trace.add("lost " + lost.id);
      cluster.addNode();
    }
  }

  /** Everybody comes back, and nothing more happens. */
  private static void settle(SimulatedCluster cluster, long seed) throws Exception {
    for (Node node : cluster.down()) {
      node.start();
    }
    List<String> defects = List.of("nothing was looked at");
    for (long waited = 0; waited < QUIET.toSeconds() && !defects.isEmpty(); waited += 60) {
      cluster.loop.advance(Duration.ofSeconds(60));
      cluster.changeRing(Set.of());
      cluster.checkReads();
      defects = cluster.defects();
    }
    assertTrue(defects.isEmpty(), "seed=" + seed + " " + defects + " " + cluster.trace);
  }
}
