package io.vdfs.datanode.repair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.repair.SimulatedCluster.Node;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random histories of writes, deletions, deaths, power cuts, rot, disks put back, wipes, returns
 * and new nodes. At each step readers get right bytes or none; at the end of a quiet time each
 * group has all its copies.
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
    int rotten = 0;
    int rolledBack = 0;
    int volumesFailed = 0;
    for (long seed : LongStream.range(0, SEEDS).toArray()) {
      Random random = new Random(seed);
      try (SimulatedCluster cluster = new SimulatedCluster(random, 3 + random.nextInt(4))) {
        History history = run(seed, cluster, random);
        copied += cluster.copied();
        rotten += history.rotten;
        rolledBack += history.rolledBack;
        volumesFailed += history.volumesFailed;
      }
    }
    assertTrue(copied > SEEDS, "copied " + copied);
    assertTrue(rotten > SEEDS, "rotten " + rotten);
    assertTrue(rolledBack > SEEDS / 4, "rolled back " + rolledBack);
    assertTrue(volumesFailed > SEEDS / 2, "volumes failed " + volumesFailed);
  }

  private static History run(long seed, SimulatedCluster cluster, Random random) {
    try {
      History history = new History(cluster, random);
      history.run();
      return history;
    } catch (AssertionError | Exception e) {
      throw new AssertionError("seed=" + seed + " " + cluster.trace, e);
    }
  }

  /** What happens to one cluster. */
  private static final class History {
    private final SimulatedCluster cluster;
    private final SimulatedWriter writer;
    private final CopiesCheck check;
    private final Random random;

    private int rotten;
    private int rolledBack;

    /** Of the nodes that are down those that nobody waits for. */
    private final Set<Node> givenUp = new HashSet<>();

    private int volumesFailed;

    History(SimulatedCluster cluster, Random random) {
      this.cluster = cluster;
      this.writer = new SimulatedWriter(cluster, random);
      this.check = new CopiesCheck(cluster);
      this.random = random;
    }

    void run() throws Exception {
      for (int step = 0; step < STEPS; step++) {
        act(step);
        cluster.changeRing(waitedFor());
        cluster.loop.advance(Duration.ofMillis(random.nextInt(8_000)));
        check.reads();
      }
      settle();
    }

    private Set<NodeId> waitedFor() {
      Set<NodeId> waitedFor = new TreeSet<>();
      cluster.down().stream()
          .filter(node -> !givenUp.contains(node))
          .forEach(node -> waitedFor.add(node.id));
      return waitedFor;
    }

    private void act(int step) throws Exception {
      List<String> paths = List.copyOf(cluster.files.keySet());
      Optional<String> path =
          paths.isEmpty() ? Optional.empty() : Optional.of(paths.get(random.nextInt(paths.size())));
      int length = 1 + random.nextInt(3 * SimulatedCluster.GROUP);
      int copies = 1 + random.nextInt(3);
      switch (random.nextInt(20)) {
        case 0, 1, 2 -> writer.write("/f" + step, length, copies);
        case 3 -> {
          if (path.isPresent()) {
            writer.append(path.get(), length);
          }
        }
        case 4 -> {
          if (path.isPresent()) {
            cluster.delete(path.get());
          }
        }
        case 5 -> path.ifPresent(file -> cluster.setReplication(file, copies));
        case 6, 7 -> kill();
        case 8 -> restart();
        case 9 -> wipe();
        case 10 -> cluster.down().stream().findFirst().ifPresent(givenUp::add);
        case 11 -> {
          if (cluster.nodes.size() < 9) {
            cluster.addNode();
          }
        }
        case 12 -> writer.refresh();
        case 13, 14 -> rot();
        case 15 -> keep();
        case 16 -> rollBack();
        case 17 -> failVolume();
        default -> {
          // only time passes
        }
      }
    }

    private void kill() throws Exception {
      List<NodeId> up = List.copyOf(cluster.up());
      if (up.size() > 2) {
        Node node = cluster.nodes.get(up.get(random.nextInt(up.size())));
        boolean byPower = random.nextBoolean();
        if (byPower) {
          node.cutPower();
        } else {
          node.stop();
        }
        cluster.trace.add((byPower ? "power cut " : "down ") + node.id);
      }
    }

    private Optional<Node> anyUp() {
      List<NodeId> up = List.copyOf(cluster.up());
      return up.isEmpty()
          ? Optional.empty()
          : Optional.of(cluster.nodes.get(up.get(random.nextInt(up.size()))));
    }

    /** A bit turns over, where that loses nothing by itself. */
    private void rot() throws Exception {
      Optional<Node> node = anyUp();
      Optional<Runnable> cure = node.flatMap(Node::rot);
      if (cure.isPresent()) {
        if (check.isHeld()) {
          cluster.trace.add("rot " + node.get().id);
          rotten++;
        } else {
          cure.get().run();
        }
      }
    }

    private void keep() {
      anyUp().ifPresent(Node::keep);
    }

    /** A disk is as it once was, where that loses nothing by itself. */
    private void rollBack() throws Exception {
      for (Node node : List.copyOf(cluster.nodes.values())) {
        if (node.isUp() && node.isKept() && check.canSpare(node)) {
          node.stop();
          node.rollBack();
          node.start();
          cluster.trace.add("rolled back " + node.id);
          rolledBack++;
          return;
        }
      }
    }

    private void restart() throws Exception {
      List<Node> down = cluster.down();
      if (!down.isEmpty()) {
        Node node = down.get(0);
        node.start();
        givenUp.remove(node);
        cluster.trace.add("up " + node.id);
      }
    }

    /** A disk is lost for good, where that loses nothing by itself. */
    private void wipe() throws Exception {
      List<Node> all = List.copyOf(cluster.nodes.values());
      Node lost = all.get(random.nextInt(all.size()));
      if (cluster.up().size() > 2 && check.canSpare(lost)) {
        if (lost.isUp()) {
          lost.stop();
        }
        cluster.nodes.remove(lost.id);
        givenUp.remove(lost);
        cluster.trace.add("lost " + lost.id);
        cluster.addNode();
      }
    }

    /** One of a node's two volumes fails while it runs, where that loses nothing by itself. */
    private void failVolume() throws Exception {
      List<NodeId> up = List.copyOf(cluster.up());
      Node node = cluster.nodes.get(up.get(random.nextInt(up.size())));
      if (!node.hasFailedVolume() && check.canSpare(node)) {
        node.failVolume(random.nextInt(2));
        volumesFailed++;
        cluster.trace.add("volume of " + node.id);
      }
    }

    /** Everybody comes back, and nothing more happens. */
    private void settle() throws Exception {
      for (Node node : cluster.down()) {
        node.start();
      }
      List<String> defects = List.of("nothing was looked at");
      for (long waited = 0; waited < QUIET.toSeconds() && !defects.isEmpty(); waited += 60) {
        cluster.loop.advance(Duration.ofSeconds(60));
        cluster.changeRing(Set.of());
        check.reads();
        defects = check.defects();
      }
      assertEquals(List.of(), defects);
    }
  }
}
