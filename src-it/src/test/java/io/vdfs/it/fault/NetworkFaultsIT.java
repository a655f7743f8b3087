package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.workload.Disturbance;
import io.vdfs.it.workload.OutageLog;
import io.vdfs.it.workload.WorkloadOutcome;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Five real daemons, each in a network namespace of its own whose packets are dropped, under the
 * checked workload and with its verdict. Needs root.
 */
@Tag("root")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class NetworkFaultsIT {
  private static final int NODES = 5;

  /** Of all daemons at once, on a machine that is busy. */
  private static final Duration STARTED = Duration.ofMinutes(4);

  private static final int ZOOKEEPERS = 3;
  private static final long SEED = Long.getLong("vdfs.it.fault.seed", 27);

  /** Of each fault; longer than a session lasts without its node. */
  private static final Duration FAULT =
      Duration.ofSeconds(Math.max(20, Integer.getInteger("vdfs.it.fault.seconds", 20)));

  /** Of the workload between two faults. */
  private static final Duration QUIET = Duration.ofSeconds(10);

  /** In which all nodes are there again. */
  private static final Duration HEALED = Duration.ofSeconds(30);

  private static final ClusterSpec SPEC = ClusterSpec.small("network", NODES).patient();

  private DaemonProcesses cluster;
  private NodeNetwork network;
  private Verdict verdict;

  @Test
  void shouldLoseNothingWhenANodeIsCutOffFullyPartlyOrInOneDirection() throws Exception {
    try (NodeNetwork made = NodeNetwork.of(NODES);
        ZooKeeperProcesses zooKeeper = ZooKeeperProcesses.start(ZOOKEEPERS, made.bridgeAddress());
        DaemonProcesses started =
            DaemonProcesses.unformatted(
                SPEC.withHosts(made.addresses()).withZooKeeper(zooKeeper.addresses()))) {
      cluster = started;
      network = made;
      verdict = new Verdict(cluster, NODES);
      cluster.format();
      for (int node : SPEC.nodes()) {
        cluster.launchThrough(node, network.launcher(node));
        cluster.launch(node);
      }
      verdict.awaitServing(STARTED);
      Cuts cuts = new Cuts();
      WorkloadOutcome outcome = verdict.underWorkload(SEED, cuts);
      assertEquals(8, outcome.kills());
    }
  }

  /** A cut of a node. */
  @FunctionalInterface
  private interface Cut {
    BlackHole of(int node) throws IOException;
  }

  /** The node that leads is cut off in each way, and then another one. */
  private final class Cuts implements Disturbance {
    @Override
    public void disturb(OutageLog outages) throws Exception {
      for (boolean leads : new boolean[] {true, false}) {
        cut("fully", leads, node -> network.cut(node, NodeNetwork.Direction.BOTH), outages);
        cut("from two others", leads, node -> network.cut(node, neighbours(node)), outages);
        cut("one way in", leads, node -> network.cut(node, NodeNetwork.Direction.IN), outages);
        cut("one way out", leads, node -> network.cut(node, NodeNetwork.Direction.OUT), outages);
      }
      Await.passing(QUIET);
    }

    private List<Integer> neighbours(int node) {
      return List.of((node + 1) % NODES, (node + NODES - 1) % NODES);
    }

    private void cut(String how, boolean leads, Cut cut, OutageLog outages) throws Exception {
      Await.passing(QUIET);
      int node = (verdict.leader() + (leads ? 0 : 1)) % NODES;
      long from = System.nanoTime();
      long dropped;
      try (BlackHole hole = cut.of(node)) {
        Await.passing(FAULT);
        dropped = hole.dropped();
      }
      assertTrue(dropped > 0, () -> "no packet was dropped: " + how);
      long begun = System.nanoTime();
      Duration healed = verdict.awaitServing(HEALED.multipliedBy(4));
      verdict.awaitWhole(NODES);
      Duration whole = Duration.ofNanos(System.nanoTime() - begun);
      outages.add(node, from);
      System.out.printf(
          "node=%d, leads=%s, cut=%s, dropped=%d, healed after %d ms, whole after %d ms%n",
          node, leads, how, dropped, healed.toMillis(), whole.toMillis());
      assertTrue(healed.compareTo(Verdict.allowing(HEALED)) < 0, () -> "healed after " + healed);
    }
  }
}
