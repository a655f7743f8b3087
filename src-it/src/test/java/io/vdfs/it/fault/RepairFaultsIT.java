package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.admin.CopiesReport;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.meta.cluster.ClusterSnapshot;
import io.vdfs.common.model.NodeId;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClientJvm;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.LoggedProcess;
import io.vdfs.it.cluster.VdfsCommands;
import io.vdfs.it.tools.FileManifest;
import io.vdfs.it.tools.VerifyFiles;
import io.vdfs.it.workload.CheckedWorkload;
import io.vdfs.it.workload.Disturbance;
import io.vdfs.it.workload.OutageLog;
import io.vdfs.it.workload.WorkloadOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What repair promises of five real daemons, at length: run with the profile {@code repair-faults}.
 * Each test ends with the same verdict: nothing that was acknowledged is lost, nothing wrong was
 * read, no deleted name is back, all copies are there again without help, and all copies of each
 * group are equal on the disks.
 */
@Tag("repair-faults")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class RepairFaultsIT {
  private static final int NODES = 5;
  private static final Duration MASS_LOSS = Duration.ofSeconds(30);
  private static final ClusterSpec SPEC =
      ClusterSpec.small("faults", NODES)
          .with("vdfs.node.missing.after", "2s")
          .with("vdfs.node.replace.after", "10s")
          .with("vdfs.mass.loss.after", MASS_LOSS.toSeconds() + "s")
          .with("vdfs.metadata.replace.after", "5s")
          .with("vdfs.repair.rate", "256m");
  private static final int FILE_BYTES = 8 << 20;
  private static final int FILES =
      (int) ((Long.getLong("vdfs.it.repair.megabytes", 512) << 20) / FILE_BYTES);
  private static final int THREADS = 6;
  private static final long SEED = Long.getLong("vdfs.it.repair.seed", 27);
  private static final Duration READ_LIMIT = Duration.ofSeconds(10);
  private static final Duration COPY_LIMIT = Duration.ofMinutes(2);
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final Duration JVM_LIMIT = Duration.ofMinutes(3);

  private final Random random = new Random(SEED);
  private final FileManifest manifest = new FileManifest();
  private DaemonProcesses cluster;

  @Test
  void shouldOutliveEachPairOfNeighbours() throws Exception {
    try (DaemonProcesses started = DaemonProcesses.start(SPEC)) {
      cluster = started;
      writeFiles();
      awaitWhole(NODES);
      for (int first : SPEC.nodes()) {
        List<Integer> pair = List.of(first, (first + 1) % NODES);
        for (int node : pair) {
          cluster.kill(node);
          wipe(cluster.dataDirectory(node));
        }
        long lost = System.nanoTime();
        readSome();
        awaitWhole(NODES - 2);
        Duration took = Duration.ofNanos(System.nanoTime() - lost);
        System.out.println("pair=" + pair + ", whole after " + took.toMillis() + " ms");
        assertTrue(took.compareTo(MASS_LOSS.plus(COPY_LIMIT)) < 0, () -> pair + ": " + took);
        verify(manifest);
        for (int node : pair) {
          cluster.launch(node);
        }
        awaitWhole(NODES);
      }
      judge(manifest);
    }
  }

  @Test
  void shouldLoseNothingToDisksInOldStates() throws Exception {
    try (DaemonProcesses started = DaemonProcesses.start(SPEC)) {
      cluster = started;
      OldStates states = new OldStates();
      WorkloadOutcome outcome;
      try (FileSystem fileSystem = cluster.newFileSystem()) {
        outcome = CheckedWorkload.run(fileSystem, THREADS, SEED, states);
      }
      System.out.println("seed=" + SEED + ", " + outcome);
      assertEquals(List.of(), outcome.violations(), outcome::toString);
      awaitWhole(NODES);
      judge(outcome.manifest());
      assertEquals(List.of(), outcome.failures(), outcome::toString);
      assertEquals(6, outcome.kills());
    }
  }

  /** A node that is long away, one whose blocks are as they once were, one that is wiped. */
  private final class OldStates implements Disturbance {
    @Override
    public void disturb(OutageLog outages) throws Exception {
      for (int round = 0; round < 2; round++) {
        rest(Duration.ofSeconds(10));
        away(round, outages, () -> rest(Duration.ofSeconds(30)));

        int rolledBack = round + 1;
        Path kept = keep(rolledBack);
        rest(Duration.ofSeconds(20));
        away(rolledBack, outages, () -> putBack(kept, rolledBack));

        int wiped = round + 2;
        NodeId old = cluster.nodeId(wiped);
        away(wiped, outages, () -> wipe(cluster.dataDirectory(wiped)));
        assertTrue(!cluster.nodeId(wiped).equals(old), "a wiped node is another one");
        rest(Duration.ofSeconds(20));
      }
    }

    /** What the blocks of a node are now, taken while it is down. */
    private Path keep(int node) throws Exception {
      Path kept = cluster.directory().directory("kept-" + node);
      wipe(kept);
      cluster.kill(node);
      copy(blocks(node), kept);
      cluster.restart(node);
      return kept;
    }

    private void putBack(Path kept, int node) throws IOException {
      wipe(blocks(node));
      copy(kept, blocks(node));
    }

    private Path blocks(int node) {
      return cluster.dataDirectory(node).resolve("blocks");
    }
  }

  /** What happens while a node is down. */
  @FunctionalInterface
  private interface Meanwhile {
    void run() throws Exception;
  }

  /** Takes a node away, and waits until it serves again and all that it lacked is copied. */
  private void away(int node, OutageLog outages, Meanwhile meanwhile) throws Exception {
    long from = System.nanoTime();
    cluster.kill(node);
    meanwhile.run();
    cluster.restart(node);
    awaitWhole(NODES);
    outages.add(node, from);
  }

  private void writeFiles() throws IOException {
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      for (int file = 0; file < FILES; file++) {
        write(fileSystem, "/large/" + file, FILE_BYTES);
      }
      for (int file = 0; file < 100; file++) {
        write(fileSystem, "/small/" + file, 1 + random.nextInt(100_000));
      }
    }
  }

  private void write(FileSystem fileSystem, String path, int size) throws IOException {
    byte[] bytes = new byte[size];
    random.nextBytes(bytes);
    try (FSDataOutputStream out = fileSystem.create(new org.apache.hadoop.fs.Path(path))) {
      out.write(bytes);
    }
    manifest.add(path, bytes);
  }

  /** A file in ten, each within the limit, right after the loss. */
  private void readSome() throws IOException {
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      for (int file = 0; file < FILES; file += 10) {
        long begun = System.nanoTime();
        try (var in = fileSystem.open(new org.apache.hadoop.fs.Path("/large/" + file))) {
          assertEquals(FILE_BYTES, in.readAllBytes().length);
        }
        Duration took = Duration.ofNanos(System.nanoTime() - begun);
        assertTrue(took.compareTo(READ_LIMIT) < 0, () -> "a read took " + took);
      }
    }
  }

  /** Waits until so many nodes hold all that there is, and all of five are metadata members. */
  private void awaitWhole(int nodes) throws Exception {
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
            return (nodes != NODES || hasAllSeatsTaken(client))
                && last.get().isWhole()
                && serving.size() == nodes
                && serving.stream().allMatch(CopiesReport.Node::confirmed);
          });
    } catch (IOException | IllegalStateException e) {
      throw new AssertionError(last.get() + "\n" + cluster.logs(), e);
    }
  }

  private static boolean hasAllSeatsTaken(VdfsClient client) throws IOException {
    ClusterSnapshot seen = client.cluster();
    return seen.metadataMembers().size() == NODES
        && seen.live().containsAll(seen.metadataMembers());
  }

  private void verify(FileManifest files) throws Exception {
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
  private void judge(FileManifest files) throws Exception {
    verify(files);
    new VdfsCommands(cluster, Duration.ofMinutes(1)).vdfs(0, "fsck");
    DiskCopies copies = DiskCopies.of(cluster, SPEC.nodes());
    assertTrue(copies.groups() > 0, "there are no groups");
    assertEquals(List.of(), copies.defects());
  }

  private static void rest(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private static void wipe(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        if (!path.equals(directory)) {
          Files.delete(path);
        }
      }
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path path : all.toList()) {
        Path target = to.resolve(from.relativize(path).toString());
        if (!path.equals(from)) {
          Files.copy(path, target);
        }
      }
    }
  }
}
