package io.vdfs.datanode.repair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.proto.NodeMarkProto;
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
 * Random histories of writes, deletions, deaths, wipes, returns, new nodes, and nodes that leave on
 * purpose, are kept or are given up. At each step readers get right bytes or none; at the end of a
 * quiet time each group has all its copies.
 */
@Timeout(600)
class NodesOnPurposeSimulationTest {
  private static final int SEEDS = Integer.getInteger("vdfs.repair.seeds", 100);
  private static final int STEPS = 30;

  /** Of virtual time, for everything to become whole. */
  private static final Duration QUIET = Duration.ofHours(2);

  @Test
  void shouldMakeEverythingWholeAgainWhateverHappens() throws Exception {
    long copied = 0;
    int left = 0;
    for (long seed : LongStream.range(0, SEEDS).toArray()) {
      Ended ended = run(seed);
      copied += ended.copied;
      left += ended.left;
    }
    assertTrue(copied > SEEDS, "copied " + copied);
    assertTrue(left > SEEDS / 20, "left " + left);
  }

  /**
   * What came of a history.
   *
   * @param left nodes that left, with their disks
   */
  private record Ended(long copied, int left) {}

  private static Ended run(long seed) throws Exception {
    Random random = new Random(seed);
    try (SimulatedCluster cluster = new SimulatedCluster(random, 3 + random.nextInt(4))) {
      try {
        int left = new History(cluster, random).run();
        return new Ended(cluster.copied(), left);
      } catch (AssertionError | Exception e) {
        throw new AssertionError("seed=" + seed + " " + cluster.trace, e);
      }
    }
  }

  /** What happens to one cluster. */
  private static final class History {
    private final SimulatedCluster cluster;
    private final SimulatedWriter writer;
    private final CopiesCheck check;
    private final Random random;

    /** Of the nodes that are down those that nobody waits for. */
    private final Set<Node> givenUp = new HashSet<>();

    History(SimulatedCluster cluster, Random random) {
      this.cluster = cluster;
      this.writer = new SimulatedWriter(cluster, random);
      this.check = new CopiesCheck(cluster);
      this.random = random;
    }

    private int left;

    int run() throws Exception {
      for (int step = 0; step < STEPS; step++) {
        act(step);
        followNodes(waitedFor());
        cluster.loop.advance(Duration.ofMillis(random.nextInt(8_000)));
        check.reads();
        retire();
      }
      settle();
      return left;
    }

    private void followNodes(Set<NodeId> waitedFor) throws Exception {
      RingMap before = cluster.ring();
      cluster.changeRing(waitedFor);
      check.givenUp(before);
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
      switch (random.nextInt(18)) {
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
        case 13, 14 -> leave();
        case 15 ->
            cluster.marks().leaving().stream()
                .findFirst()
                .ifPresent(node -> cluster.mark(node, NodeMarkProto.MARK_STAYING));
        case 16 ->
            waitedFor().stream()
                .findFirst()
                .ifPresent(node -> cluster.mark(node, NodeMarkProto.MARK_GONE));
        default -> {
          // only time passes
        }
      }
    }

    private void kill() throws Exception {
      List<NodeId> up = List.copyOf(cluster.up());
      if (up.size() > 2) {
        Node node = cluster.nodes.get(up.get(random.nextInt(up.size())));
        node.stop();
        cluster.trace.add("down " + node.id);
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

    private void leave() {
      List<NodeId> up = List.copyOf(cluster.up());
      if (!up.isEmpty()) {
        cluster.mark(up.get(random.nextInt(up.size())), NodeMarkProto.MARK_LEAVING);
      }
    }

    /** Nodes that left are taken away, with their disks. */
    private void retire() throws Exception {
      Set<NodeId> done = new TreeSet<>(cluster.marks().leaving());
      done.removeAll(cluster.ring().members());
      done.retainAll(cluster.up());
      for (NodeId id : done) {
        Node node = cluster.nodes.get(id);
        if (check.lacking().getGroupsCount() > 0 || !cluster.isConfirmed()) {
          return;
        }
        assertTrue(check.canSpareAsPromised(node), () -> "left with a last copy: " + id);
        if (check.canSpare(node)) {
          node.stop();
          cluster.nodes.remove(id);
          cluster.trace.add("left " + id);
          left++;
        }
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
        followNodes(Set.of());
        check.reads();
        retire();
        defects = check.defects();
      }
      assertEquals(List.of(), defects);
    }
  }
}
