package io.vdfs.it.workload;

import io.vdfs.it.cluster.DaemonProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.fs.FileSystem;

/**
 * Runs {@link Worker}s on a cluster and kills a node again and again, each time another one, which
 * is started again a little later. Confined to the thread that started the cluster.
 */
public final class CheckedWorkload {
  private static final Duration KILL_PERIOD = Duration.ofSeconds(15);
  private static final int LONGEST_REST_MILLIS = 3_000;
  private static final Duration JOIN_LIMIT = Duration.ofMinutes(4);

  private final DaemonProcesses cluster;
  private final int nodes;
  private final Random random;
  private final OperationLog operations = new OperationLog();
  private final OutageLog outages = new OutageLog();

  private CheckedWorkload(DaemonProcesses cluster, int nodes, long seed) {
    this.cluster = cluster;
    this.nodes = nodes;
    this.random = new Random(seed);
  }

  /**
   * @param fileSystem for all workers
   * @param duration until no further operation begins
   */
  public static WorkloadOutcome run(
      DaemonProcesses cluster,
      FileSystem fileSystem,
      int nodes,
      int threads,
      Duration duration,
      long seed)
      throws Exception {
    return new CheckedWorkload(cluster, nodes, seed).run(fileSystem, threads, duration);
  }

  private WorkloadOutcome run(FileSystem fileSystem, int threads, Duration duration)
      throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    List<Worker> workers = new ArrayList<>();
    List<Thread> running = new ArrayList<>();
    for (int number = 0; number < threads; number++) {
      Worker worker = new Worker(fileSystem, "/w" + number, random.nextLong(), operations, stop);
      Thread thread = new Thread(worker, "worker-" + number);
      thread.setDaemon(true);
      thread.start();
      workers.add(worker);
      running.add(thread);
    }
    try {
      killUntil(System.nanoTime() + duration.toNanos());
    } finally {
      stop.set(true);
      join(running);
    }
    Map<String, FileContent> files = new TreeMap<>();
    workers.forEach(worker -> files.putAll(worker.files()));
    return new WorkloadOutcome(files, operations, outages);
  }

  private void killUntil(long end) throws Exception {
    int last = -1;
    long next = System.nanoTime() + KILL_PERIOD.toNanos();
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
      outages.add(new Outage(node, from, System.nanoTime()));
      next = Math.max(next + KILL_PERIOD.toNanos(), System.nanoTime());
    }
    rest(end - System.nanoTime());
  }

  private static void rest(long nanos) {
    long end = System.nanoTime() + nanos;
    for (long left = nanos; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private static void join(List<Thread> threads) throws InterruptedException {
    long end = System.nanoTime() + JOIN_LIMIT.toNanos();
    for (Thread thread : threads) {
      thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
      if (thread.isAlive()) {
        StringBuilder stack = new StringBuilder();
        for (StackTraceElement frame : thread.getStackTrace()) {
          stack.append("\n  at ").append(frame);
        }
        throw new IllegalStateException("does not end: " + thread.getName() + stack);
      }
    }
  }
}
