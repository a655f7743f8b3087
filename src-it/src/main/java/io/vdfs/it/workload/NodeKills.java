package io.vdfs.it.workload;

import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.DaemonProcesses;
import java.time.Duration;
import java.util.Random;

/**
 * Kills a node again and again, never the same one twice in a row, and starts it again a little
 * later. Confined to the thread that started the cluster.
 */
public final class NodeKills implements Disturbance {
  private static final Duration PERIOD = Duration.ofSeconds(15);
  private static final int LONGEST_REST_MILLIS = 3_000;

  private final DaemonProcesses cluster;
  private final int nodes;
  private final Duration duration;
  private final Random random;

  public NodeKills(DaemonProcesses cluster, int nodes, Duration duration, long seed) {
    this.cluster = cluster;
    this.nodes = nodes;
    this.duration = duration;
    this.random = new Random(seed);
  }

  @Override
  public void disturb(OutageLog outages) throws Exception {
    long end = System.nanoTime() + duration.toNanos();
    int last = -1;
    long next = System.nanoTime() + PERIOD.toNanos();
    while (next < end) {
      Await.passing(Duration.ofNanos(next - System.nanoTime()));
      int node = random.nextInt(nodes);
      while (node == last) {
        node = random.nextInt(nodes);
      }
      last = node;
      long from = System.nanoTime();
      cluster.kill(node);
      Await.passing(Duration.ofMillis(random.nextInt(LONGEST_REST_MILLIS)));
      cluster.restart(node);
      outages.add(node, from);
      next = Math.max(next + PERIOD.toNanos(), System.nanoTime());
    }
    Await.passing(Duration.ofNanos(end - System.nanoTime()));
  }
}
