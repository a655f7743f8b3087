package io.vdfs.it.workload;

import io.vdfs.it.cluster.DaemonProcesses;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

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
      rest(next - System.nanoTime());
      int node = random.nextInt(nodes);
      while (node == last) {
        node = random.nextInt(nodes);
      }
      last = node;
      long from = System.nanoTime();
      cluster.kill(node);
      rest(TimeUnit.MILLISECONDS.toNanos(random.nextInt(LONGEST_REST_MILLIS)));
      cluster.restart(node);
      outages.add(node, from);
      next = Math.max(next + PERIOD.toNanos(), System.nanoTime());
    }
    rest(end - System.nanoTime());
  }

  private static void rest(long nanos) {
    long end = System.nanoTime() + nanos;
    for (long left = nanos; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
