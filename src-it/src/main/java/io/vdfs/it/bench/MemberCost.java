package io.vdfs.it.bench;

import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * What a change of the namespace costs the daemons where as many nodes host the metadata as there
 * are: makes directories from several threads on clusters of three and of five nodes, each with a
 * process per node, and prints the CPU time of all daemons per change, warmed up, less what they
 * take while nothing is asked of them.
 *
 * <p>{@code MemberCost [THREADS CHANGES PASSES]}, by default 16 threads, 20,000 changes and 3
 * passes.
 */
public final class MemberCost {
  private static final Duration IDLE = Duration.ofSeconds(10);

  private final int threads;
  private final int changes;

  private MemberCost(int threads, int changes) {
    this.threads = threads;
    this.changes = changes;
  }

  /** See the class. */
  public static void main(String[] arguments) throws Exception {
    int threads = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 16;
    int changes = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 20_000;
    int passes = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 3;
    for (int nodes : new int[] {3, 5}) {
      new MemberCost(threads, changes).measure(nodes, passes);
    }
  }

  private void measure(int nodes, int passes) throws Exception {
    try (DaemonProcesses cluster = DaemonProcesses.start(ClusterSpec.small("cost", nodes));
        FileSystem fileSystem = cluster.newFileSystem()) {
      make(fileSystem, "/warm");
      Duration before = cluster.cpuTime();
      Thread.sleep(IDLE.toMillis());
      double idle = seconds(cluster.cpuTime().minus(before)) / IDLE.toSeconds();
      for (int pass = 0; pass < passes; pass++) {
        Duration cpu = cluster.cpuTime();
        long begun = System.nanoTime();
        make(fileSystem, "/pass" + pass);
        double clock = seconds(Duration.ofNanos(System.nanoTime() - begun));
        double used = seconds(cluster.cpuTime().minus(cpu)) - idle * clock;
        System.out.printf(
            "members=%d threads=%d changes=%d cpuMicrosPerChange=%.0f changesPerSecond=%.0f"
                + " idleCpu=%.3f%n",
            nodes, threads, changes, used * 1e6 / changes, changes / clock, idle);
      }
    }
  }

  private void make(FileSystem fileSystem, String parent) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        String directory = parent + "/" + thread;
        tasks.add(
            () -> {
              for (int i = 0; i < changes / threads; i++) {
                require(fileSystem.mkdirs(new Path(directory + "/" + i)));
              }
              return null;
            });
      }
      for (Future<Void> done : executor.invokeAll(tasks)) {
        done.get();
      }
    } finally {
      executor.shutdownNow();
    }
  }

  private static void require(boolean made) throws IOException {
    if (!made) {
      throw new IOException("a directory was not made");
    }
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
