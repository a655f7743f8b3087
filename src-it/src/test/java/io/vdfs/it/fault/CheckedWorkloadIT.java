package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.it.cluster.ClientJvm;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.LoggedProcess;
import io.vdfs.it.tools.FileManifest;
import io.vdfs.it.tools.VerifyFiles;
import io.vdfs.it.workload.CheckedWorkload;
import io.vdfs.it.workload.NodeKills;
import io.vdfs.it.workload.WorkloadOutcome;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every operation on files while nodes are killed happens as a whole or not at all. Runs for {@code
 * vdfs.it.workload.seconds} with each of {@code vdfs.it.workload.nodes}.
 */
class CheckedWorkloadIT {
  private static final Duration DURATION =
      Duration.ofSeconds(Integer.getInteger("vdfs.it.workload.seconds", 60));
  private static final Duration KILL_PERIOD = Duration.ofSeconds(15);
  private static final int THREADS = 6;
  private static final long SEED = Long.getLong("vdfs.it.workload.seed", 22);
  private static final Duration LIMIT = Duration.ofMinutes(2);

  static Stream<Integer> nodes() {
    return Arrays.stream(System.getProperty("vdfs.it.workload.nodes", "3").split(","))
        .map(Integer::valueOf);
  }

  @ParameterizedTest
  @MethodSource("nodes")
  @Timeout(value = 25, unit = TimeUnit.MINUTES)
  void shouldLoseNothingWhileNodesAreKilled(int nodes) throws Exception {
    try (DaemonProcesses cluster =
        DaemonProcesses.start(ClusterSpec.small("workload" + nodes, nodes))) {
      WorkloadOutcome outcome;
      try (FileSystem fileSystem = cluster.newFileSystem()) {
        outcome =
            CheckedWorkload.run(
                fileSystem, THREADS, SEED, new NodeKills(cluster, nodes, DURATION, SEED));
      }
      System.out.println("nodes=" + nodes + ", seed=" + SEED + ", " + outcome);
      assertEquals(List.of(), outcome.violations(), outcome::toString);
      assertEquals(outcome.names(), namesSeenBy(cluster));
      verifyInAFreshJvm(cluster, outcome.manifest());
      assertEquals(List.of(), outcome.failures(), outcome::toString);
      assertFaultsStruck(outcome);
      Duration limit = Duration.ofSeconds(nodes < 5 ? 15 : 10);
      assertTrue(outcome.slowest().compareTo(limit) < 0, outcome::toString);
    }
  }

  private static Set<String> namesSeenBy(DaemonProcesses cluster) throws IOException {
    Set<String> names = new TreeSet<>();
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      RemoteIterator<LocatedFileStatus> files =
          fileSystem.listFiles(new org.apache.hadoop.fs.Path("/"), true);
      while (files.hasNext()) {
        names.add(files.next().getPath().toUri().getPath());
      }
    }
    return names;
  }

  private static void verifyInAFreshJvm(DaemonProcesses cluster, FileManifest manifest)
      throws IOException, InterruptedException {
    ClientJvm jvm = cluster.newClientJvm("verifier");
    Path list = jvm.confDirectory().resolve("manifest");
    manifest.save(list);
    try (LoggedProcess reader = jvm.start(VerifyFiles.class.getName(), List.of(list.toString()))) {
      int exitCode = reader.awaitExit(LIMIT);
      assertEquals(0, exitCode, reader.output());
      assertTrue(reader.output().contains("verified files=" + manifest.size()), reader.output());
    }
  }

  /** Nodes were killed as often as planned, and every kind of operation met a kill. */
  private static void assertFaultsStruck(WorkloadOutcome outcome) {
    long planned = DURATION.dividedBy(KILL_PERIOD) - 1;
    assertTrue(outcome.kills() >= Math.max(1, planned / 2), outcome::toString);
    assertTrue(outcome.underOutage() > 20L * outcome.kills(), outcome::toString);
    for (String kind :
        List.of(
            "create",
            "overwrite",
            "write",
            "hflush",
            "hsync",
            "close",
            "append",
            "truncate",
            "rename",
            "delete",
            "read",
            "read open",
            "list")) {
      assertTrue(outcome.succeeded().getOrDefault(kind, 0L) > 0, () -> kind + ": " + outcome);
    }
  }
}
