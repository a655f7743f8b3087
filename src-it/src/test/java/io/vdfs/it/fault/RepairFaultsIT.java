package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.datanode.command.ExitCodes;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClientJvm;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.LoggedProcess;
import io.vdfs.it.cluster.VdfsCommands;
import io.vdfs.it.tools.FileManifest;
import io.vdfs.it.tools.PositionBytes;
import io.vdfs.it.tools.SteadyWriter;
import io.vdfs.it.workload.Disturbance;
import io.vdfs.it.workload.OutageLog;
import io.vdfs.it.workload.WorkloadOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The promises of repair on five real daemons, in long runs with the profile {@code repair-faults}.
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

  /** No node loses its place by a restart, however slow it is: see what is not promised. */
  private static final ClusterSpec PATIENT =
      SPEC.with("vdfs.node.missing.after", "60s").with("vdfs.node.replace.after", "120s");

  /** No node is replaced unless an operator says so. */
  private static final ClusterSpec ALONE =
      ClusterSpec.small("wiped", 3)
          .with("vdfs.node.missing.after", "120s")
          .with("vdfs.node.replace.after", "120s")
          .with("vdfs.repair.rate", "256m");

  private static final int FILE_BYTES = 8 << 20;
  private static final int FILES =
      (int) ((Long.getLong("vdfs.it.repair.megabytes", 512) << 20) / FILE_BYTES);
  private static final long SEED = Long.getLong("vdfs.it.repair.seed", 27);
  private static final Duration READ_LIMIT = Duration.ofSeconds(10);
  private static final Duration COPY_LIMIT = Duration.ofMinutes(2);
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final Duration DURATION =
      Duration.ofSeconds(Integer.getInteger("vdfs.it.repair.seconds", 600));
  private static final Duration KILL_PERIOD = Duration.ofSeconds(20);
  private static final Duration ROTATION_PERIOD = Duration.ofMinutes(1);
  private static final double MOST_COPIED = 1.2;

  /** Of which one is ZooKeeper's and one a client's. */
  private static final int KILLS_IN_TURN = 8;

  private static final Duration WRITABLE_AGAIN = Duration.ofSeconds(30);
  private static final Duration LONG_GAP = Duration.ofSeconds(10);
  private static final List<Duration> STOPS =
      Stream.of(1, 5, 20, 60).map(Duration::ofSeconds).toList();

  private final Random random = new Random(SEED);
  private final FileManifest manifest = new FileManifest();
  private DaemonProcesses cluster;
  private Verdict verdict;

  @Test
  void shouldOutliveEachPairOfNeighbours() throws Exception {
    try (DaemonProcesses started = DaemonProcesses.start(SPEC)) {
      begin(started);
      writeFiles();
      verdict.awaitWhole(NODES);
      for (int first : SPEC.nodes()) {
        List<Integer> pair = List.of(first, (first + 1) % NODES);
        for (int node : pair) {
          cluster.kill(node);
          wipe(cluster.dataDirectory(node));
        }
        long lost = System.nanoTime();
        readSome();
        verdict.awaitWhole(NODES - 2);
        Duration took = Duration.ofNanos(System.nanoTime() - lost);
        System.out.println("pair=" + pair + ", whole after " + took.toMillis() + " ms");
        assertTrue(took.compareTo(MASS_LOSS.plus(COPY_LIMIT)) < 0, () -> pair + ": " + took);
        verdict.verify(manifest);
        for (int node : pair) {
          cluster.launch(node);
        }
        verdict.awaitWhole(NODES);
      }
      verdict.judge(manifest);
    }
  }

  @Test
  void shouldLoseNothingToDisksInOldStates() throws Exception {
    try (DaemonProcesses started = DaemonProcesses.start(SPEC)) {
      begin(started);
      WorkloadOutcome outcome = verdict.underWorkload(SEED, new OldStates());
      assertEquals(6, outcome.kills());
    }
  }

  private void begin(DaemonProcesses started) {
    begin(started, NODES);
  }

  private void begin(DaemonProcesses started, int nodes) {
    cluster = started;
    verdict = new Verdict(cluster, nodes);
  }

  @Test
  void shouldFillAWipedNodeOfThreeSoThatEitherOtherOneMayGo() throws Exception {
    try (DaemonProcesses started = DaemonProcesses.start(ALONE)) {
      begin(started, ALONE.nodes().size());
      writeFiles();
      verdict.awaitWhole(ALONE.nodes().size());
      VdfsCommands commands = new VdfsCommands(cluster, LIMIT);
      NodeId old = cluster.nodeId(1);
      Map<String, String> samePlace = samePlace(1, old);
      cluster.kill(1);
      wipe(cluster.dataDirectory(1));
      try (LoggedProcess refused = cluster.launch("wiped", samePlace)) {
        assertTrue(refused.awaitExit(LIMIT) != 0);
        assertTrue(refused.error().contains("vdfs node replace " + old), refused.error());
      }
      Await.until("its session to end", LIMIT, () -> cluster.session(1).isEmpty());
      commands.vdfs(ExitCodes.SOUND, "node", "replace", "--no-wait", old.toString());
      long begun = System.nanoTime();
      cluster.launch(1, samePlace);
      verdict.awaitWhole(ALONE.nodes().size());
      Duration took = Duration.ofNanos(System.nanoTime() - begun);
      System.out.println("whole " + took.toMillis() + " ms after the start");
      assertTrue(took.compareTo(COPY_LIMIT) < 0, took::toString);
      for (int other : List.of(0, 2)) {
        cluster.kill(other);
        verdict.verify(manifest);
        cluster.restart(other);
        verdict.awaitWhole(ALONE.nodes().size());
      }
      verdict.judge(manifest);
    }
  }

  /** The settings of a node that starts where another one was. */
  private Map<String, String> samePlace(int node, NodeId id) throws IOException {
    Map<String, String> settings = new TreeMap<>(cluster.nodeProperties(node));
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      VdfsClient client = ((VdfsFileSystem) fileSystem).vdfsClient();
      int port = client.cluster().ring().nodes().get(id).controlPort();
      settings.put("vdfs.control.port", Integer.toString(port));
    }
    return settings;
  }

  /**
   * Each copy of each group loses blocks, no two copies the same one, so that no node has any group
   * whole; indexes and header pages are damaged, too.
   */
  @Test
  void shouldMendEachBlockThatAnotherCopyStillHas() throws Exception {
    try (DaemonProcesses started = DaemonProcesses.start(SPEC)) {
      begin(started);
      writeFiles();
      verdict.awaitWhole(NODES);
      DiskFlips flips = new DiskFlips(cluster, SPEC.geometry(), random);
      int blocks = flips.inBlocks(SPEC.nodes());
      assertTrue(blocks >= 32 * FILES, () -> "flipped " + blocks);
      VdfsCommands commands = new VdfsCommands(cluster, LIMIT);
      long begun = System.nanoTime();
      String found = commands.vdfs(ExitCodes.DEGRADED, "scrub");
      System.out.println(found);
      verdict.awaitWhole(NODES);
      Duration took = Duration.ofNanos(System.nanoTime() - begun);
      System.out.println("blocks=" + blocks + ", mended after " + took.toMillis() + " ms");
      commands.vdfs(ExitCodes.SOUND, "scrub");
      verdict.verify(manifest);
      for (int node : SPEC.nodes()) {
        cluster.kill(node);
        assertTrue(flips.inIndexesAndHeaders(node) > 0, "nothing to damage");
        cluster.restart(node);
        verdict.awaitWhole(NODES);
      }
      verdict.judge(manifest);
    }
  }

  @Test
  void shouldLoseNothingToKilledLeadersAndALostZooKeeper() throws Exception {
    try (DaemonProcesses started = DaemonProcesses.start(PATIENT)) {
      begin(started);
      LeaderKills kills = new LeaderKills();
      WorkloadOutcome outcome = verdict.underWorkload(SEED, kills);
      int planned = Math.toIntExact(DURATION.dividedBy(KILL_PERIOD));
      assertTrue(outcome.kills() >= planned / 2, outcome::toString);
      assertTrue(kills.leaders >= planned / 3, () -> "leaders=" + kills.leaders + ", " + outcome);
      assertTrue(kills.zooKeepers > 0, outcome::toString);
      assertTrue(kills.clients > 0 || planned < KILLS_IN_TURN, outcome::toString);
      List<Duration> gaps = outcome.gaps(LONG_GAP);
      System.out.println("gaps=" + gaps);
      assertTrue(gaps.size() <= 1, () -> gaps + ", " + outcome);
    }
  }

  @Test
  void shouldLoseNothingToNodesThatLeaveAndJoin() throws Exception {
    try (DaemonProcesses started = DaemonProcesses.start(SPEC)) {
      begin(started);
      writeFiles();
      verdict.awaitWhole(NODES);
      Rotation rotation = new Rotation();
      WorkloadOutcome outcome = verdict.underWorkload(SEED, rotation);
      System.out.println(rotation);
      assertTrue(rotation.left >= Math.max(1, DURATION.toMinutes() / 2), outcome::toString);
      assertTrue(rotation.copied > 0, outcome::toString);
      assertTrue(rotation.copied <= MOST_COPIED * rotation.places, rotation::toString);
    }
  }

  @Test
  void shouldLoseNothingToStoppedProcessesAndLostSessions() throws Exception {
    try (DaemonProcesses started = DaemonProcesses.start(PATIENT)) {
      begin(started);
      WorkloadOutcome outcome = verdict.underWorkload(SEED, new Stops());
      assertEquals(STOPS.size(), outcome.kills());
    }
  }

  /**
   * Kills daemons, every second time the one that leads the metadata; in eight kills once ZooKeeper
   * and once a client that writes.
   */
  private final class LeaderKills implements Disturbance {
    private int leaders;
    private int zooKeepers;
    private int clients;

    @Override
    public void disturb(OutageLog outages) throws Exception {
      long end = System.nanoTime() + DURATION.toNanos();
      long next = System.nanoTime() + KILL_PERIOD.toNanos();
      for (int kill = 1; next < end; kill++) {
        Await.passing(Duration.ofNanos(next - System.nanoTime()));
        if (kill % KILLS_IN_TURN == KILLS_IN_TURN / 2) {
          cluster.restartZooKeeper();
          zooKeepers++;
        } else if (kill % KILLS_IN_TURN == KILLS_IN_TURN - 1) {
          killClient("/killed/" + kill);
          clients++;
        } else {
          boolean ofLeader = kill % 2 == 0;
          int node = ofLeader ? verdict.leader() : random.nextInt(NODES);
          long from = System.nanoTime();
          cluster.kill(node);
          leaders += ofLeader ? 1 : 0;
          Await.passing(Duration.ofMillis(random.nextInt(3_000)));
          cluster.restart(node);
          outages.add(node, from);
        }
        next = Math.max(next + KILL_PERIOD.toNanos(), System.nanoTime());
      }
      Await.passing(Duration.ofNanos(end - System.nanoTime()));
      System.out.printf(
          "kills: leaders=%d, ZooKeepers=%d, clients=%d%n", leaders, zooKeepers, clients);
      verdict.verify(manifest);
    }

    /** Others can write its file soon, which has all that it flushed. */
    private void killClient(String file) throws Exception {
      ClientJvm jvm = cluster.newClientJvm("client" + clients);
      org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(file);
      try (LoggedProcess writer = jvm.start(SteadyWriter.class.getName(), List.of(file));
          FileSystem fileSystem = cluster.newFileSystem()) {
        Await.until("a writer", LIMIT, () -> SteadyWriter.flushed(writer.output()) > 0);
        writer.kill();
        long flushed = SteadyWriter.flushed(writer.output());
        Await.until(
            "recovery of " + file,
            WRITABLE_AGAIN,
            () -> ((VdfsFileSystem) fileSystem).recoverLease(path));
        int length = Math.toIntExact(fileSystem.getFileStatus(path).getLen());
        assertTrue(length >= flushed, () -> "length=" + length + ", flushed=" + flushed);
        byte[] whole = PositionBytes.of(0, (length / Long.BYTES + 1) * Long.BYTES);
        manifest.add(file, Arrays.copyOf(whole, length));
      }
    }
  }

  /**
   * One node after the other leaves with its disk, and a new one takes its place, each in a minute
   * if that is long enough.
   */
  private final class Rotation implements Disturbance {
    private final RepairCosts costs = new RepairCosts(cluster, SPEC.geometry());
    private int left;

    /** Bytes that were copied. */
    private long copied = -costs.copied();

    /** Bytes of what was there when a place changed. */
    private long places;

    Rotation() throws IOException {}

    @Override
    public void disturb(OutageLog outages) throws Exception {
      VdfsCommands commands = new VdfsCommands(cluster, LIMIT);
      long end = System.nanoTime() + DURATION.toNanos();
      while (System.nanoTime() < end) {
        long next = System.nanoTime() + ROTATION_PERIOD.toNanos();
        int node = left % NODES;
        NodeId leaving = cluster.nodeId(node);
        // its daemon's counters end with it
        copied += costs.copiedBy(leaving);
        RingMap before = costs.ring();
        List<RepairCosts.Listed> files = costs.files();
        String said = commands.vdfs(ExitCodes.SOUND, "node", "decommission", leaving.toString());
        assertTrue(said.contains("has left"), said);
        places += costs.bytesOfNewPlaces(before, files);
        long from = System.nanoTime();
        cluster.kill(node);
        wipe(cluster.dataDirectory(node));
        left++;
        before = costs.ring();
        files = costs.files();
        cluster.restart(node);
        verdict.awaitWhole(NODES);
        places += costs.bytesOfNewPlaces(before, files);
        outages.add(node, from);
        assertTrue(!cluster.nodeId(node).equals(leaving), "a wiped node is another one");
        Await.passing(Duration.ofNanos(Math.min(next, end) - System.nanoTime()));
      }
      copied += costs.copied();
      verdict.verify(manifest);
    }

    @Override
    public String toString() {
      return "Rotation[left=%d, copied=%d MiB, of the places that changed=%d MiB, ratio=%.3f]"
          .formatted(left, copied >> 20, places >> 20, (double) copied / places);
    }
  }

  /** Daemons are suspended for a while and resumed; then all lose their sessions at once. */
  private final class Stops implements Disturbance {
    @Override
    public void disturb(OutageLog outages) throws Exception {
      for (int round = 0; round < STOPS.size(); round++) {
        Await.passing(Duration.ofSeconds(5));
        int node = round % 2 == 0 ? verdict.leader() : random.nextInt(NODES);
        long from = System.nanoTime();
        cluster.freeze(node);
        Await.passing(STOPS.get(round));
        cluster.thaw(node);
        cluster.awaitServing();
        verdict.awaitWhole(NODES);
        outages.add(node, from);
      }
      for (int node : SPEC.nodes()) {
        cluster.expireSession(node);
      }
      cluster.awaitServing();
      Await.passing(Duration.ofSeconds(10));
    }
  }

  /**
   * A node that is away for long, one whose blocks are set back to an old state, one that is wiped.
   */
  private final class OldStates implements Disturbance {
    @Override
    public void disturb(OutageLog outages) throws Exception {
      for (int round = 0; round < 2; round++) {
        Await.passing(Duration.ofSeconds(10));
        away(round, outages, () -> Await.passing(Duration.ofSeconds(30)));

        int rolledBack = round + 1;
        Path kept = keep(rolledBack);
        Await.passing(Duration.ofSeconds(20));
        away(rolledBack, outages, () -> putBack(kept, rolledBack));

        int wiped = round + 2;
        NodeId old = cluster.nodeId(wiped);
        away(wiped, outages, () -> wipe(cluster.dataDirectory(wiped)));
        assertTrue(!cluster.nodeId(wiped).equals(old), "a wiped node is another one");
        Await.passing(Duration.ofSeconds(20));
      }
    }

    /** A copy of a node's blocks, taken while it is down. */
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
    verdict.awaitWhole(NODES);
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

  /** Reads one file in ten, each within the limit, right after the loss. */
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

  /** Removes what is below a directory. */
  static void wipe(Path directory) throws IOException {
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
