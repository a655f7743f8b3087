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
 * What a change of the namespace costs the daemons if all nodes host the metadata: makes
 * directories from several threads on clusters of three and of five nodes, each with a process per
 * node, and prints the CPU time of all daemons per change, warmed up, less what they take when
 * idle.
 *
 * <p>{@code MemberCost [THREADS CHANGES PASSES [KEY=VALUE]...]}, by default 16 threads, 20,000
 * changes and 3 passes. With settings there is a cluster for each of them, and the clusters take
 * turns.
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
    List<String> settings =
        arguments.length > 3
            ? List.of(arguments).subList(3, arguments.length)
            : List.of("vdfs.raft.insecure=false");
    for (int nodes : new int[] {3, 5}) {
      new MemberCost(threads, changes).measure(nodes, passes, settings);
    }
  }

  private void measure(int nodes, int passes, List<String> settings) throws Exception {
    List<Measured> clusters = new ArrayList<>();
    try {
      for (int i = 0; i < settings.size(); i++) {
        clusters.add(new Measured("cost" + i, nodes, settings.get(i)));
      }
      for (int pass = 0; pass < passes; pass++) {
        for (Measured cluster : clusters) {
          cluster.measure("/pass" + pass);
        }
      }
    } finally {
      for (Measured cluster : clusters) {
        cluster.close();
      }
    }
  }

  /** A cluster that has warmed up. */
  private final class Measured implements AutoCloseable {
    private final int nodes;
    private final String setting;
    private final DaemonProcesses cluster;
    private final FileSystem fileSystem;
    private final double idle;

    Measured(String name, int nodes, String setting) throws Exception {
      this.nodes = nodes;
      this.setting = setting;
      String[] pair = setting.split("=", 2);
      cluster = DaemonProcesses.start(ClusterSpec.small(name, nodes).with(pair[0], pair[1]));
      fileSystem = cluster.newFileSystem();
      make(fileSystem, "/warm");
      Duration before = cluster.cpuTime();
      Thread.sleep(IDLE.toMillis());
      idle = seconds(cluster.cpuTime().minus(before)) / IDLE.toSeconds();
    }

    void measure(String parent) throws Exception {
      Duration cpu = cluster.cpuTime();
      long begun = System.nanoTime();
      make(fileSystem, parent);
      double clock = seconds(Duration.ofNanos(System.nanoTime() - begun));
      double used = seconds(cluster.cpuTime().minus(cpu)) - idle * clock;
      System.out.printf(
          "members=%d threads=%d changes=%d %s cpuMicrosPerChange=%.0f changesPerSecond=%.0f"
              + " idleCpu=%.3f%n",
          nodes, threads, changes, setting, used * 1e6 / changes, changes / clock, idle);
    }

    @Override
    public void close() throws IOException {
      fileSystem.close();
      cluster.close();
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
