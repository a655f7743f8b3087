package io.vdfs.it.workload;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.FileSystem;

/**
 * Runs {@link Worker}s on a cluster while it is disturbed. Confined to the thread that started the
 * cluster.
 */
public final class CheckedWorkload {
  private static final Duration JOIN_LIMIT = Duration.ofMinutes(4);

  private final Random random;
  private final OperationLog operations = new OperationLog();
  private final OutageLog outages = new OutageLog();

  private CheckedWorkload(long seed) {
    this.random = new Random(seed);
  }

  /**
   * Returns once the disturbance and all operations have ended.
   *
   * @param fileSystem for all workers
   * @param seed of the workers' random choices
   * @param disturbance in the thread of the caller
   */
  public static WorkloadOutcome run(
      FileSystem fileSystem, int threads, long seed, Disturbance disturbance) throws Exception {
    return new CheckedWorkload(seed).run(fileSystem, threads, disturbance);
  }

  private WorkloadOutcome run(FileSystem fileSystem, int threads, Disturbance disturbance)
      throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    List<Worker> workers = new ArrayList<>();
    List<Thread> running = new ArrayList<>();
    for (int number = 0; number < threads; number++) {
      Worker worker =
          new Worker(fileSystem, "/w" + number, random.nextLong(), operations, outages, stop);
      Thread thread = new Thread(worker, "worker-" + number);
      thread.setDaemon(true);
      thread.start();
      workers.add(worker);
      running.add(thread);
    }
    try {
      disturbance.disturb(outages);
    } finally {
      stop.set(true);
      join(running);
    }
    Map<String, FileContent> files = new TreeMap<>();
    workers.forEach(worker -> files.putAll(worker.files()));
    return new WorkloadOutcome(files, operations, outages);
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
