package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.common.ring.RingNode;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.tools.FileManifest;
import io.vdfs.it.workload.Disturbance;
import io.vdfs.it.workload.OutageLog;
import io.vdfs.it.workload.WorkloadOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ClusterStorageCapacityExceededException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Five real daemons, each with disks of its own that lose their power, die, run full or are slow,
 * under the checked workload and with its verdict. Needs root.
 */
@Tag("root")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class PowerAndDiskFaultsIT {
  private static final int NODES = 5;

  /** Of all daemons at once, on a machine that is busy. */
  private static final Duration STARTED = Duration.ofMinutes(4);

  private static final long DISK_BYTES = 1L << 30;
  private static final long SEED = Long.getLong("vdfs.it.fault.seed", 27);
  private static final int CUTS = Integer.getInteger("vdfs.it.power.cuts", 2);

  /** So many cuts tear a log nearly always. */
  private static final int ENOUGH_TO_TEAR = 8;

  private static final long RESERVE_BYTES = 64 << 20;
  private static final long SMALL_DISK_BYTES = 512L << 20;

  /** Of each fault that lasts for a while. */
  private static final Duration FAULT =
      Duration.ofSeconds(Integer.getInteger("vdfs.it.fault.seconds", 10));

  /** Added to each force of a slow disk. */
  private static final Duration FORCE_DELAY = Duration.ofMillis(200);

  private static final int LARGE_BYTES = 16 << 20;
  private static final int SMALL_BYTES = 256 << 10;

  /** Of a writer that is to be refused soon. */
  private static final Duration IMPATIENT = Duration.ofSeconds(5);

  /** In which a node says that a disk fails. */
  private static final Duration KNOWN = Duration.ofSeconds(30);

  /** Of the workload between two faults. */
  private static final Duration QUIET = Duration.ofSeconds(15);

  /** In which a cluster serves again after its power is back. */
  private static final Duration SERVING = Duration.ofSeconds(60);

  /**
   * Clients as on other hosts, so that they have no files of the disks open; nobody loses a place
   * by a restart.
   */
  private static final ClusterSpec SPEC =
      ClusterSpec.small("disks", NODES)
          .patient()
          .with("vdfs.delivery.local", "false")
          .with("vdfs.volume.reserve", Long.toString(RESERVE_BYTES));

  private DaemonProcesses cluster;
  private NodeDisks disks;
  private Verdict verdict;

  @Test
  void shouldLoseNothingWhenAllNodesLoseTheirPower() throws Exception {
    try (DaemonProcesses started = DaemonProcesses.unformatted(SPEC);
        NodeDisks mounted = NodeDisks.mount(started, SPEC.nodes(), DISK_BYTES)) {
      begin(started, mounted);
      PowerCuts cuts = new PowerCuts();
      WorkloadOutcome outcome;
      try (FileSystem fileSystem = giveUpAfter(Duration.ofSeconds(30))) {
        outcome = verdict.underWorkload(fileSystem, SEED, cuts);
      }
      assertEquals(NODES * CUTS, outcome.kills());
      assertTrue(cuts.lostBytes > 0, "no byte was lost, so nothing was cut");
      if (CUTS >= ENOUGH_TO_TEAR) {
        assertTrue(cuts.tornLogs > 0, "no log lost more than a sector");
        assertTrue(cuts.foundTorn() > 0, "no daemon found its log torn");
      }
    }
  }

  @Test
  void shouldGoOnWhenOneDiskAfterTheOtherIsFullAndThenAll() throws Exception {
    try (DaemonProcesses started = DaemonProcesses.unformatted(SPEC);
        NodeDisks mounted = NodeDisks.mount(started, SPEC.nodes(), SMALL_DISK_BYTES)) {
      begin(started, mounted);
      verdict.underWorkload(SEED, new FullDisks());
    }
  }

  @Test
  void shouldLoseNothingWhenOneOfTwoVolumesOfANodeDies() throws Exception {
    ClusterSpec two = SPEC.withVolumes(2);
    try (DaemonProcesses started = DaemonProcesses.unformatted(two);
        NodeDisks mounted = NodeDisks.mount(started, two.nodes(), DISK_BYTES)) {
      begin(started, mounted);
      WorkloadOutcome outcome = verdict.underWorkload(SEED, new DeadVolumes());
      assertEquals(2, outcome.kills());
    }
  }

  @Test
  void shouldKeepHalfItsWriteRateWhenOneDiskIsSlow() throws Exception {
    try (DaemonProcesses started = DaemonProcesses.unformatted(SPEC);
        NodeDisks mounted = NodeDisks.mount(started, SPEC.nodes(), DISK_BYTES)) {
      begin(started, mounted);
      FileManifest manifest = new FileManifest();
      double large = keptBesideASlowDisk(LARGE_BYTES, manifest);
      double small = keptBesideASlowDisk(SMALL_BYTES, manifest);
      System.out.printf("kept with large files=%.2f, with small ones=%.2f%n", large, small);
      verdict.awaitWhole(NODES);
      verdict.judge(manifest);
      assertTrue(large >= 0.5, () -> "kept=" + large);
    }
  }

  /** Share of the rate that is left, by phases with and without the delay. */
  private double keptBesideASlowDisk(int fileBytes, FileManifest manifest) throws Exception {
    FileWriters writers = new FileWriters(cluster, FAULT, fileBytes);
    writers.write();
    int node = (verdict.leader() + 1) % NODES;
    long healthy = writeBeside(writers, node, Duration.ofNanos(1_000));
    long slow = writeBeside(writers, node, FORCE_DELAY);
    slow += writeBeside(writers, node, FORCE_DELAY);
    healthy += writeBeside(writers, node, Duration.ofNanos(1_000));
    writers.addTo(manifest);
    System.out.printf(
        "node=%d, bytes of a file=%d, written beside a slow disk=%d, without=%d, phase=%s%n",
        node, fileBytes, slow, healthy, FAULT);
    return (double) slow / healthy;
  }

  /** The same program watches the node in all phases, as that takes time, too. */
  private long writeBeside(FileWriters writers, int node, Duration delay) throws Exception {
    Path told = cluster.directory().directory("strace");
    try (SlowDisk slow = SlowDisk.of(cluster.pid(node), delay, told)) {
      long written = writers.write();
      assertTrue(slow.delayed() > 10, "the disk was not used");
      return written;
    }
  }

  private void begin(DaemonProcesses started, NodeDisks mounted) throws Exception {
    cluster = started;
    disks = mounted;
    verdict = new Verdict(cluster, NODES);
    cluster.format();
    for (int node : SPEC.nodes()) {
      cluster.launch(node);
    }
    verdict.awaitServing(STARTED);
  }

  /** All nodes lose their power at once, and get it back. */
  private final class PowerCuts implements Disturbance {
    private final Random random = new Random(SEED);
    private long lostBytes;
    private int tornLogs;

    @Override
    public void disturb(OutageLog outages) throws Exception {
      for (int cut = 1; cut <= CUTS; cut++) {
        Await.passing(QUIET);
        List<SlowDisk> slow = slowDown();
        Map<Path, Long> before = lengths();
        TornLogs logs = TornLogs.map(disks.all());
        long from = System.nanoTime();
        LoopDisk.cutPower(disks.all());
        for (int node : SPEC.nodes()) {
          cluster.kill(node);
          slow.get(node).close();
        }
        outages.addPowerCut();
        logs.keep();
        for (LoopDisk disk : disks.all()) {
          disk.remount();
        }
        long lost = lostSince(before);
        lostBytes += lost;
        tornLogs += logs.tear(random);
        for (int node : SPEC.nodes()) {
          cluster.launch(node);
        }
        Duration took = verdict.awaitServing(SERVING.multipliedBy(4));
        System.out.printf(
            "cut=%d, unforced bytes lost=%d, logs torn so far=%d, found=%d, serving after %d ms%n",
            cut, lost, tornLogs, foundTorn(), took.toMillis());
        assertTrue(took.compareTo(Verdict.allowing(SERVING)) < 0, () -> "serving after " + took);
        for (int node : SPEC.nodes()) {
          outages.add(node, from);
        }
      }
      Await.passing(QUIET);
    }

    /** So that more than a moment's writes are unforced when the power goes. */
    private List<SlowDisk> slowDown() throws Exception {
      List<SlowDisk> slow = new ArrayList<>();
      for (int node : SPEC.nodes()) {
        Path told = cluster.directory().directory("strace");
        slow.add(SlowDisk.of(cluster.pid(node), FORCE_DELAY, told));
      }
      Await.passing(FORCE_DELAY.multipliedBy(10));
      return slow;
    }

    private Map<Path, Long> lengths() throws IOException {
      Map<Path, Long> lengths = new TreeMap<>();
      for (LoopDisk disk : disks.all()) {
        lengths.putAll(disk.lengths());
      }
      return lengths;
    }

    /** By how much files are shorter than they were: files only grow. */
    private long lostSince(Map<Path, Long> before) throws IOException {
      long lost = 0;
      for (Map.Entry<Path, Long> file : before.entrySet()) {
        if (Files.exists(file.getKey())) {
          lost += Math.max(0, file.getValue() - Files.size(file.getKey()));
        }
      }
      return lost;
    }

    /** Torn ends that starting daemons cut off. */
    private int foundTorn() throws IOException {
      int torn = 0;
      for (int node : SPEC.nodes()) {
        torn += cluster.log(node).split("torn end of the log", -1).length - 1;
      }
      return torn;
    }
  }

  /** The disk of one node after the other has no room, and then all. */
  private final class FullDisks implements Disturbance {
    @Override
    public void disturb(OutageLog outages) throws Exception {
      Await.passing(QUIET);
      for (int node : SPEC.nodes()) {
        LoopDisk disk = disks.of(node).get(0);
        // the last one down to the last byte, below what the metadata need
        disk.fill(node == NODES - 1 ? 0 : RESERVE_BYTES / 2);
        awaitProblem(node, "full");
        Await.passing(FAULT);
        disk.giveBack();
        awaitNoProblem(node);
      }
      long from = System.nanoTime();
      byte[] kept = write("/kept");
      write("/to-be-deleted");
      for (LoopDisk disk : disks.all()) {
        disk.fill(RESERVE_BYTES / 2);
      }
      for (int node : SPEC.nodes()) {
        awaitProblem(node, "full");
      }
      IOException refused = assertThrows(IOException.class, () -> write("/refused"));
      assertInstanceOf(ClusterStorageCapacityExceededException.class, refused, refused::toString);
      assertTrue(refused.getMessage().contains("NO_SPACE"), refused.getMessage());
      try (FileSystem fileSystem = giveUpAfter(IMPATIENT)) {
        try (FSDataInputStream in = fileSystem.open(new org.apache.hadoop.fs.Path("/kept"))) {
          assertArrayEquals(kept, in.readAllBytes());
        }
        assertTrue(fileSystem.delete(new org.apache.hadoop.fs.Path("/to-be-deleted"), false));
      }
      Await.passing(FAULT);
      for (LoopDisk disk : disks.all()) {
        disk.giveBack();
      }
      for (int node : SPEC.nodes()) {
        awaitNoProblem(node);
      }
      Await.until("room for files", SERVING, this::canWrite);
      for (int node : SPEC.nodes()) {
        outages.add(node, from);
      }
      Await.passing(QUIET);
      try (FileSystem fileSystem = giveUpAfter(IMPATIENT)) {
        fileSystem.delete(new org.apache.hadoop.fs.Path("/refused"), false);
      }
    }

    private boolean canWrite() {
      try {
        write("/room");
        return true;
      } catch (IOException e) {
        return false;
      }
    }

    private byte[] write(String path) throws IOException {
      byte[] bytes = new byte[3 << 20];
      new Random(path.hashCode()).nextBytes(bytes);
      try (FileSystem fileSystem = giveUpAfter(IMPATIENT);
          FSDataOutputStream out = fileSystem.create(new org.apache.hadoop.fs.Path(path), true)) {
        out.write(bytes);
      }
      return bytes;
    }
  }

  /** A client whose writers give up nodes that they cannot spare after that time. */
  private FileSystem giveUpAfter(Duration wait) throws IOException {
    Configuration configuration = cluster.configuration();
    configuration.set("fs.vdfs.write.nodes.wait", wait.toSeconds() + "s");
    return FileSystem.newInstance(cluster.uri(), configuration);
  }

  /** The first volume of one node dies, and the second one of another; each is mended later. */
  private final class DeadVolumes implements Disturbance {
    @Override
    public void disturb(OutageLog outages) throws Exception {
      for (int volume = 0; volume < 2; volume++) {
        Await.passing(QUIET);
        int node = 1 + 2 * volume;
        LoopDisk disk = disks.of(node).get(volume);
        long from = System.nanoTime();
        LoopDisk.cutPower(List.of(disk));
        awaitProblem(node, disk.directory().toString());
        System.out.printf(
            "node=%d, volume=%d, known after %d ms%n",
            node, volume, Duration.ofNanos(System.nanoTime() - from).toMillis());
        Await.passing(FAULT);
        cluster.kill(node);
        disk.remount();
        cluster.restart(node);
        verdict.awaitWhole(NODES);
        awaitNoProblem(node);
        outages.add(node, from);
      }
      Await.passing(QUIET);
    }
  }

  /** Waits until a node says what is wrong with its disks. */
  private void awaitProblem(int node, String what) throws Exception {
    awaitProblems(node, problems -> problems.stream().anyMatch(problem -> problem.contains(what)));
  }

  private void awaitNoProblem(int node) throws Exception {
    awaitProblems(node, List::isEmpty);
  }

  private void awaitProblems(int node, Predicate<List<String>> condition) throws Exception {
    AtomicReference<List<String>> last = new AtomicReference<>(List.of());
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      VdfsClient client = ((VdfsFileSystem) fileSystem).vdfsClient();
      Await.until(
          "what node " + node + " says of its disks",
          KNOWN,
          () -> {
            last.set(problems(client, node));
            return condition.test(last.get());
          });
    } catch (IllegalStateException e) {
      throw new AssertionError("problems of node " + node + ": " + last.get(), e);
    }
  }

  private List<String> problems(VdfsClient client, int node) throws IOException {
    RingNode asked =
        client.cluster().ring().nodes().values().stream()
            .filter(known -> known.host().equals(cluster.host(node)))
            .findFirst()
            .orElseThrow();
    return client.nodes().space(asked).getProblemsList();
  }
}
