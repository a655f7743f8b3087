package io.vdfs.datanode.repair;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.repair.SimulatedCluster.Node;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * The events in one simulated cluster: writes, deletions, deaths, power cuts, wipes, returns and
 * new nodes at random, and what a test adds. At each step readers get right bytes or none; at the
 * end of a quiet time each group has all its copies. Confined to a test.
 */
abstract class SimulatedHistory {
  private static final int STEPS = 30;

  /** Actions that all histories have. */
  private static final int COMMON = 13;

  /** Chances for a step in which only time passes. */
  private static final int IDLE = 2;

  /** Of virtual time, for everything to become whole. */
  private static final Duration QUIET = Duration.ofHours(2);

  final SimulatedCluster cluster;
  final CopiesCheck check;
  final Random random;
  private final SimulatedWriter writer;
  private long copied;
  private final int ownActions;

  /** Of the nodes that are down, those that are not waited for. */
  private final Set<Node> givenUp = new HashSet<>();

  /** A history on a cluster that goes on from there. */
  @FunctionalInterface
  interface Kind<H extends SimulatedHistory> {
    H on(SimulatedCluster cluster, Random random);
  }

  /**
   * @param ownActions that the test adds
   */
  SimulatedHistory(SimulatedCluster cluster, Random random, int ownActions) {
    this.cluster = cluster;
    this.random = random;
    this.ownActions = ownActions;
    this.writer = new SimulatedWriter(cluster, random);
    this.check = new CopiesCheck(cluster);
  }

  /** Runs one from its seed, which a failure names. */
  static <H extends SimulatedHistory> H runFrom(long seed, Kind<H> kind) throws Exception {
    Random random = new Random(seed);
    try (SimulatedCluster cluster = new SimulatedCluster(random, 3 + random.nextInt(4))) {
      try {
        H history = kind.on(cluster, random);
        ((SimulatedHistory) history).run();
        return history;
      } catch (AssertionError | Exception e) {
        throw new AssertionError("seed=" + seed + " " + cluster.trace, e);
      }
    }
  }

  /**
   * One of the test's own actions.
   *
   * @param number from 0
   */
  abstract void act(int number) throws Exception;

  /** Lets the ring follow the nodes. */
  void follow(Set<NodeId> waitedFor) throws Exception {
    cluster.changeRing(waitedFor);
  }

  /**
   * What is done once everything is whole, and what readers see until audits find it.
   *
   * @return whether anything was done
   */
  boolean alter() throws Exception {
    return false;
  }

  /** What the test does at the end of each step. */
  void onStep() throws Exception {}

  /** Whether the power of a node may fail without losing the only copy of anything. */
  boolean mayLosePower(Node node) throws Exception {
    return true;
  }

  /** Groups that were copied. */
  final long copied() {
    return copied;
  }

  private void run() throws Exception {
    for (int step = 0; step < STEPS; step++) {
      begin(step);
      if (step % 5 == 4) {
        writeBack();
      }
      follow(waitedFor());
      cluster.loop.advance(Duration.ofMillis(random.nextInt(8_000)));
      check.reads();
      onStep();
    }
    settle(true);
    if (alter()) {
      settle(false);
    }
    copied = cluster.copied();
  }

  /** All that waits for a force is forced, so that it is at rest. */
  private void writeBack() {
    cluster.nodes.values().stream().filter(Node::isUp).forEach(node -> node.store().writeBack());
  }

  final Set<NodeId> waitedFor() {
    Set<NodeId> waitedFor = new TreeSet<>();
    cluster.down().stream()
        .filter(node -> !givenUp.contains(node))
        .forEach(node -> waitedFor.add(node.id));
    return waitedFor;
  }

  private void begin(int step) throws Exception {
    List<String> paths = List.copyOf(cluster.files.keySet());
    Optional<String> path =
        paths.isEmpty() ? Optional.empty() : Optional.of(paths.get(random.nextInt(paths.size())));
    int length = 1 + random.nextInt(3 * SimulatedCluster.GROUP);
    int copies = 1 + random.nextInt(3);
    int action = random.nextInt(COMMON + ownActions + IDLE);
    switch (action) {
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
      default -> {
        if (action < COMMON + ownActions) {
          act(action - COMMON);
        }
      }
    }
  }

  final Optional<Node> anyUp() {
    List<NodeId> up = List.copyOf(cluster.up());
    return up.isEmpty()
        ? Optional.empty()
        : Optional.of(cluster.nodes.get(up.get(random.nextInt(up.size()))));
  }

  private void kill() throws Exception {
    if (cluster.up().size() > 2) {
      Node node = anyUp().orElseThrow();
      boolean byPower = random.nextBoolean() && mayLosePower(node);
      if (byPower) {
        node.cutPower();
      } else {
        node.stop();
      }
      cluster.trace.add((byPower ? "power cut " : "down ") + node.id);
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

  /** A disk is lost, where that loses nothing by itself. */
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

  /**
   * All nodes come back, and nothing more happens.
   *
   * @param readable whether all that is read is right all the time
   */
  private void settle(boolean readable) throws Exception {
    for (Node node : cluster.down()) {
      node.start();
    }
    List<String> defects = List.of("nothing was looked at");
    for (long waited = 0; waited < QUIET.toSeconds() && !defects.isEmpty(); waited += 60) {
      writeBack();
      cluster.loop.advance(Duration.ofSeconds(60));
      follow(Set.of());
      if (readable) {
        check.reads();
      }
      onStep();
      defects = check.defects();
      if (defects.isEmpty()) {
        defects = check.needless();
      }
    }
    assertEquals(List.of(), defects);
    check.reads();
  }
}
