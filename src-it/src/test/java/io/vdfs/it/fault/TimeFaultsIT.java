package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.admin.CopiesReport;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClientJvm;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.LoggedProcess;
import io.vdfs.it.cluster.Signals;
import io.vdfs.it.cluster.VdfsCommands;
import io.vdfs.it.tools.PositionBytes;
import io.vdfs.it.tools.SteadyWriter;
import io.vdfs.it.workload.Disturbance;
import io.vdfs.it.workload.OutageLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Five real daemons and three of ZooKeeper, of which some stand still or have a wrong clock, under
 * the checked workload and with its verdict. The clocks need the library {@code libfaketime}.
 */
@Tag("root")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class TimeFaultsIT {
  private static final int NODES = 5;

  /** Of all daemons at once, on a machine that is busy. */
  private static final Duration STARTED = Duration.ofMinutes(4);

  private static final int ZOOKEEPERS = 3;
  private static final String LOOPBACK = "127.0.0.1";
  private static final long SEED = Long.getLong("vdfs.it.fault.seed", 27);

  /** Of the workload between two faults. */
  private static final Duration QUIET = Duration.ofSeconds(10);

  private static final Duration LIMIT = Duration.ofMinutes(2);

  /** Longest time in which a process stands still. */
  private static final Duration LONGEST =
      Duration.ofSeconds(Integer.getInteger("vdfs.it.fault.seconds", 20));

  /** In which ZooKeeper is away: all sessions end. */
  private static final Duration AWAY = Duration.ofSeconds(60);

  private static final Duration SKEW = Duration.ofHours(2);
  private static final Path LIBRARIES = Path.of("/usr/lib");
  private static final String LIBRARY = "libfaketime.so.1";

  private static final ClusterSpec SPEC = ClusterSpec.small("time", NODES).patient();

  private ZooKeeperProcesses zooKeeper;
  private DaemonProcesses cluster;
  private Verdict verdict;

  @Test
  void shouldLoseNothingWhenEachZooKeeperStandsStill() throws Exception {
    try (ZooKeeperProcesses servers = ZooKeeperProcesses.start(ZOOKEEPERS, LOOPBACK);
        DaemonProcesses started = unformatted(servers)) {
      begin(started);
      verdict.underWorkload(
          SEED,
          outages -> {
            for (int server = 0; server < ZOOKEEPERS; server++) {
              for (Duration time : List.of(Duration.ofSeconds(1), LONGEST)) {
                Await.passing(QUIET);
                zooKeeper.stop(server, time);
              }
            }
            Await.passing(QUIET);
          });
    }
  }

  @Test
  void shouldTakeNoLateWriteOfAClientThatStoodStill() throws Exception {
    try (ZooKeeperProcesses servers = ZooKeeperProcesses.start(ZOOKEEPERS, LOOPBACK);
        DaemonProcesses started = unformatted(servers)) {
      begin(started);
      verdict.underWorkload(
          SEED,
          outages -> {
            for (Duration time : List.of(Duration.ofSeconds(1), LONGEST)) {
              evict("/late-" + time.toSeconds(), time);
            }
          });
    }
  }

  @Test
  void shouldLoseNothingWhenZooKeeperIsAwayAndThenLosesItsData() throws Exception {
    try (ZooKeeperProcesses servers = ZooKeeperProcesses.start(ZOOKEEPERS, LOOPBACK);
        DaemonProcesses started = unformatted(servers)) {
      begin(started);
      verdict.underWorkload(SEED, new NoZooKeeper());
    }
  }

  @Test
  void shouldLoseNothingWhenClocksJump() throws Exception {
    try (ZooKeeperProcesses servers = ZooKeeperProcesses.start(ZOOKEEPERS, LOOPBACK);
        DaemonProcesses started = unformatted(servers)) {
      String library = library();
      for (int node : SPEC.nodes()) {
        setClock(started, node, Duration.ZERO);
        started.launchThrough(
            node,
            List.of(
                "env",
                "LD_PRELOAD=" + library,
                "FAKETIME_DONT_FAKE_MONOTONIC=1",
                // else waits by that clock return at once
                "FAKETIME_FORCE_MONOTONIC_FIX=0",
                "FAKETIME_CACHE_DURATION=1",
                "FAKETIME_TIMESTAMP_FILE=" + clock(started, node)));
      }
      begin(started);
      verdict.underWorkload(SEED, new ClockJumps());
    }
  }

  private DaemonProcesses unformatted(ZooKeeperProcesses servers) throws Exception {
    zooKeeper = servers;
    return DaemonProcesses.unformatted(SPEC.withZooKeeper(servers.addresses()));
  }

  private void begin(DaemonProcesses started) throws Exception {
    cluster = started;
    verdict = new Verdict(cluster, NODES);
    cluster.format();
    for (int node : SPEC.nodes()) {
      cluster.launch(node);
    }
    verdict.awaitServing(STARTED);
  }

  /** A writer stands still while another one takes its file over, and goes on afterwards. */
  private void evict(String file, Duration time) throws Exception {
    ClientJvm jvm = cluster.newClientJvm("late" + time.toSeconds());
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(file);
    try (LoggedProcess writer = jvm.start(SteadyWriter.class.getName(), List.of(file));
        FileSystem fileSystem = cluster.newFileSystem()) {
      Await.until("a writer", LIMIT, () -> SteadyWriter.flushed(writer.output()) > 0);
      Signals.stop(writer.pid());
      long acknowledged = SteadyWriter.flushed(writer.output());
      byte[] more = {1, 2, 3};
      Await.until(
          "recovery of " + file, LIMIT, () -> ((VdfsFileSystem) fileSystem).recoverLease(path));
      try (FSDataOutputStream out = fileSystem.append(path)) {
        out.write(more);
      }
      Await.passing(time);
      Signals.resume(writer.pid());
      assertEquals(0, writer.awaitExit(LIMIT), writer.tail());
      assertTrue(writer.output().contains("failed: "), writer.tail());
      // what was under way when it stopped may have been acknowledged before the recovery
      long last = SteadyWriter.flushed(writer.output());
      try (FSDataInputStream in = fileSystem.open(path)) {
        byte[] found = in.readAllBytes();
        int length = found.length - more.length;
        System.out.printf(
            "file=%s, flushed before the stop=%d, in all=%d, kept=%d%n",
            file, acknowledged, last, length);
        assertTrue(length >= last, () -> "length=" + length + ", flushed=" + last);
        byte[] all = PositionBytes.of(0, (found.length / Long.BYTES + 1) * Long.BYTES);
        byte[] expected = Arrays.copyOf(all, found.length);
        System.arraycopy(more, 0, expected, length, more.length);
        assertArrayEquals(expected, found);
      }
      fileSystem.delete(path, false);
    }
  }

  /** All ZooKeepers are away; later they come back without their data, which a node restores. */
  private final class NoZooKeeper implements Disturbance {
    @Override
    public void disturb(OutageLog outages) throws Exception {
      Await.passing(QUIET);
      try (FileSystem fileSystem = cluster.newFileSystem()) {
        VdfsClient client = ((VdfsFileSystem) fileSystem).vdfsClient();
        CopiesReport before = client.copies();
        long session = cluster.session(0).orElseThrow();
        zooKeeper.killAll();
        Await.passing(AWAY);
        CopiesReport away = client.copies();
        zooKeeper.restartAll();
        verdict.awaitServing(LIMIT);
        Await.until("new sessions", LIMIT, () -> cluster.session(0).orElse(session) != session);
        CopiesReport after = client.copies();
        for (CopiesReport seen : List.of(away, after)) {
          assertEquals(before.ringEpoch(), seen.ringEpoch(), () -> "the ring changed: " + seen);
          assertEquals(0, seen.missing(), () -> "a node was left out: " + seen);
        }
        Await.passing(QUIET);
        zooKeeper.killAll();
        zooKeeper.wipe();
        zooKeeper.restartAll();
        Await.passing(QUIET);
        String restored = new VdfsCommands(cluster, LIMIT).daemon(0, 1, "cluster-restore");
        assertTrue(restored.contains("restored     properties of the cluster"), restored);
        verdict.awaitServing(LIMIT);
        assertEquals(before.ringEpoch(), client.copies().ringEpoch(), "the ring changed");
        Await.passing(QUIET);
      }
    }
  }

  /** The clocks of the node that leads and of another one jump to and fro. */
  private final class ClockJumps implements Disturbance {
    @Override
    public void disturb(OutageLog outages) throws Exception {
      long last = 0;
      for (Duration skew : List.of(SKEW, SKEW.negated(), Duration.ZERO)) {
        Await.passing(QUIET);
        int leader = verdict.leader();
        setClock(cluster, leader, skew);
        setClock(cluster, (leader + 1) % NODES, skew.negated());
        if (skew.equals(SKEW)) {
          Await.until(
              "a file of the leader's time", LIMIT, () -> ahead().compareTo(SKEW.dividedBy(2)) > 0);
        }
        Await.passing(QUIET);
        long made = timeOfANewFile();
        System.out.println("leader=" + leader + ", clock=" + skew + ", time of a file=" + made);
        assertTrue(made >= last, "the time of files went back");
        last = made;
      }
      for (int node : SPEC.nodes()) {
        setClock(cluster, node, Duration.ZERO);
      }
      Await.passing(QUIET);
    }

    private Duration ahead() throws IOException {
      return Duration.ofMillis(timeOfANewFile() - System.currentTimeMillis());
    }

    private long timeOfANewFile() throws IOException {
      org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path("/when");
      try (FileSystem fileSystem = cluster.newFileSystem()) {
        fileSystem.create(path, true).close();
        long made = fileSystem.getFileStatus(path).getModificationTime();
        fileSystem.delete(path, false);
        return made;
      }
    }
  }

  private static Path clock(DaemonProcesses cluster, int node) throws IOException {
    return cluster.directory().directory("clocks").resolve("node" + node);
  }

  private static void setClock(DaemonProcesses cluster, int node, Duration ahead)
      throws IOException {
    Files.writeString(clock(cluster, node), "%+d".formatted(ahead.toSeconds()));
  }

  private static String library() throws IOException {
    try (Stream<Path> all = Files.find(LIBRARIES, 3, (path, is) -> path.endsWith(LIBRARY))) {
      return all.findFirst()
          .orElseThrow(
              () -> new IOException("this test needs libfaketime: no " + LIBRARY + " is installed"))
          .toString();
    }
  }
}
