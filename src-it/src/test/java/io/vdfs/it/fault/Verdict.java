package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.admin.CopiesReport;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.common.ring.RingNode;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClientJvm;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.LoggedProcess;
import io.vdfs.it.cluster.VdfsCommands;
import io.vdfs.it.tools.FileManifest;
import io.vdfs.it.tools.VerifyFiles;
import io.vdfs.it.workload.CheckedWorkload;
import io.vdfs.it.workload.Disturbance;
import io.vdfs.it.workload.WorkloadOutcome;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;

/** Whether a cluster whose nodes were disturbed is whole, and holds what it should. */
final class Verdict {
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final org.apache.hadoop.fs.Path PROBE = new org.apache.hadoop.fs.Path("/probe");

  /** For each processor, of the cluster and its clients and some other work. */
  private static final int USUAL_LOAD = 4;

  private static final int THREADS = 6;

  /** Changes per second that a healthy cluster takes; with fewer a run says nothing. */
  private static final double FLOOR = 50;

  private static final Duration JVM_LIMIT = Duration.ofMinutes(3);

  private final DaemonProcesses cluster;
  private final int nodes;

  /**
   * @param nodes of the cluster, all of which are metadata members
   */
  Verdict(DaemonProcesses cluster, int nodes) {
    this.cluster = cluster;
    this.nodes = nodes;
  }

  /**
   * Waits until all nodes that run are known, and a file is written and deleted.
   *
   * @return how long it took
   */
  Duration awaitServing(Duration limit) throws Exception {
    long begun = System.nanoTime();
    Await.until(
        "the cluster to serve",
        limit,
        () -> {
          try {
            cluster.awaitServing();
            try (FileSystem fileSystem = cluster.newFileSystem()) {
              try (FSDataOutputStream out = fileSystem.create(PROBE, true)) {
                out.write(1);
              }
              return fileSystem.delete(PROBE, false);
            }
          } catch (IOException e) {
            // the daemons may still be known as they were before
            return false;
          }
        });
    return Duration.ofNanos(System.nanoTime() - begun);
  }

  /**
   * A limit for this machine as busy as it is: longer where other work takes the processors from
   * the cluster.
   */
  static Duration allowing(Duration limit) {
    return Duration.ofMillis((long) (limit.toMillis() * busyness()));
  }

  /** At least 1. */
  private static double busyness() {
    OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
    double share = system.getSystemLoadAverage() / (USUAL_LOAD * system.getAvailableProcessors());
    return Math.max(1, share);
  }

  /** Fails if the workload did too little for a verdict to mean anything. */
  private static void requireActivity(WorkloadOutcome outcome) {
    assertTrue(
        outcome.changesPerSecond() * busyness() >= FLOOR,
        () -> "not a valid run, too little was done: " + outcome);
  }

  /** Waits until so many nodes hold everything, and all are metadata members if none is away. */
  void awaitWhole(int count) throws Exception {
    AtomicReference<CopiesReport> last = new AtomicReference<>();
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      VdfsClient client = ((VdfsFileSystem) fileSystem).vdfsClient();
      Await.until(
          "copies to be whole again",
          LIMIT,
          () -> {
            last.set(client.copies());
            List<CopiesReport.Node> serving =
                last.get().nodes().stream().filter(node -> node.servingPlaces() > 0).toList();
            return (count != nodes || hasAllSeatsTaken(client))
                && last.get().isWhole()
                && serving.size() == count
                && serving.stream().allMatch(CopiesReport.Node::confirmed);
          });
    } catch (IOException | IllegalStateException e) {
      throw new AssertionError(last.get() + "\n" + cluster.logs(), e);
    }
  }

  private boolean hasAllSeatsTaken(VdfsClient client) throws IOException {
    ClusterDescription seen = client.cluster();
    return seen.metadataMembers().size() == nodes
        && seen.live().containsAll(seen.metadataMembers());
  }

  /** As below, with a client of the usual settings. */
  WorkloadOutcome underWorkload(long seed, Disturbance disturbance) throws Exception {
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      return underWorkload(fileSystem, seed, disturbance);
    }
  }

  /**
   * Runs a disturbance beside the checked workload, and judges when everything is whole again.
   *
   * @param fileSystem of the workload
   * @param seed of the workload
   */
  WorkloadOutcome underWorkload(FileSystem fileSystem, long seed, Disturbance disturbance)
      throws Exception {
    WorkloadOutcome outcome = CheckedWorkload.run(fileSystem, THREADS, seed, disturbance);
    System.out.println("seed=" + seed + ", " + outcome);
    assertEquals(List.of(), outcome.violations(), outcome::toString);
    awaitWhole(nodes);
    judge(outcome.manifest());
    assertEquals(List.of(), outcome.failures(), outcome::toString);
    requireActivity(outcome);
    return outcome;
  }

  void verify(FileManifest files) throws Exception {
    ClientJvm jvm = cluster.newClientJvm("verifier");
    Path list = jvm.confDirectory().resolve("manifest");
    files.save(list);
    try (LoggedProcess reader = jvm.start(VerifyFiles.class.getName(), List.of(list.toString()))) {
      int exitCode = reader.awaitExit(JVM_LIMIT);
      assertEquals(0, exitCode, reader.output());
      assertTrue(reader.output().contains("verified files=" + files.size()), reader.output());
    }
  }

  /** The verdict on a cluster that is whole; it does not run afterwards. */
  void judge(FileManifest files) throws Exception {
    verify(files);
    new VdfsCommands(cluster, Duration.ofMinutes(1)).vdfs(0, "fsck");
    DiskCopies copies = DiskCopies.of(cluster, IntStream.range(0, nodes).boxed().toList());
    assertTrue(copies.groups() > 0, "there are no groups");
    assertEquals(List.of(), copies.defects());
  }

  /** Number of the node that leads the metadata, as soon as one does. */
  int leader() throws Exception {
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      VdfsClient client = ((VdfsFileSystem) fileSystem).vdfsClient();
      return Await.value("a leader", LIMIT, () -> leader(client));
    }
  }

  private Optional<Integer> leader(VdfsClient client) throws IOException {
    for (RingNode node : client.cluster().ring().nodes().values()) {
      try {
        if (client.nodes().metadataStatus(node).getRole().equals("LEADER")) {
          return IntStream.range(0, nodes)
              .filter(number -> cluster.host(number).equals(node.host()))
              .boxed()
              .findFirst();
        }
      } catch (IOException e) {
        // a node that is away
      }
    }
    return Optional.empty();
  }
}
