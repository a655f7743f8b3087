package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.admin.CopiesReport;
import io.vdfs.client.admin.KnownVolume;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.common.cluster.ClusterDirectory;
import io.vdfs.common.cluster.ZooKeeperSettings;
import io.vdfs.common.ring.RingNode;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.LoggedProcess;
import io.vdfs.it.cluster.VdfsCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A daemon with two data directories, the first of which has its Raft log, loses one of them. */
@Timeout(400)
class VolumeLossIT {
  /** Sessions that outlast the start of a process on a busy machine. */
  private static final ClusterSpec SPEC =
      ClusterSpec.small("volumes", 3).with("vdfs.zookeeper.session.timeout", "30s");

  private static final int NODE = 0;
  private static final int FILES = 12;
  private static final int LENGTH = 300_000;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private DaemonProcesses cluster;
  private FileSystem fileSystem;
  private Path first;
  private Path second;
  private RingNode node;

  @BeforeEach
  void startCluster() throws Exception {
    cluster = DaemonProcesses.start(SPEC);
    fileSystem = cluster.newFileSystem();
    first = cluster.dataDirectory(NODE);
    second = first.resolveSibling("more");
    node = find();
    cluster.kill(NODE);
  }

  @AfterEach
  void stopCluster() throws Exception {
    fileSystem.close();
    cluster.close();
  }

  private VdfsClient client() throws IOException {
    return ((VdfsFileSystem) fileSystem).vdfsClient();
  }

  private RingNode find() throws Exception {
    return client().cluster().ring().nodes().values().stream()
        .filter(known -> known.host().equals(cluster.host(NODE)))
        .findFirst()
        .orElseThrow();
  }

  /** Starts the daemon at the old address, with both directories. */
  private LoggedProcess launch(String... arguments) throws Exception {
    Map<String, String> properties = new TreeMap<>(cluster.nodeProperties(NODE));
    properties.put("vdfs.data.dirs", first + "," + second);
    properties.put("vdfs.control.port", Integer.toString(node.controlPort()));
    return cluster.launch("node" + NODE, properties, arguments);
  }

  /** Waits until clients find the daemon; returns its report of its disks. */
  private List<String> awaitProblems(LoggedProcess daemon) throws Exception {
    RingNode before = node;
    AtomicReference<List<String>> problems = new AtomicReference<>();
    Await.until(
        "the ring map to show where the daemon is now",
        LIMIT,
        () -> {
          assertTrue(daemon.isAlive(), daemon.tail());
          fileSystem.close();
          fileSystem = cluster.newFileSystem();
          node = find();
          if (node.dataPort() == before.dataPort()
              || !client().cluster().live().contains(node.id())) {
            return false;
          }
          try {
            problems.set(client().nodes().space(node).getProblemsList());
            return true;
          } catch (IOException e) {
            // asked over the connection to the previous process, at the same port
            return false;
          }
        });
    return problems.get();
  }

  private static org.apache.hadoop.fs.Path path(int file) {
    return new org.apache.hadoop.fs.Path("/file" + file);
  }

  private static byte[] bytes(int file) {
    byte[] bytes = new byte[LENGTH];
    new Random(file).nextBytes(bytes);
    return bytes;
  }

  private void write(int from) throws Exception {
    for (int file = from; file < from + FILES; file++) {
      try (FSDataOutputStream out = fileSystem.create(path(file))) {
        out.write(bytes(file));
      }
    }
  }

  private void read(int from) throws Exception {
    for (int file = from; file < from + FILES; file++) {
      try (FSDataInputStream in = fileSystem.open(path(file))) {
        assertArrayEquals(bytes(file), in.readAllBytes());
      }
    }
  }

  private static long blockFiles(Path directory) throws Exception {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(file -> file.toString().endsWith(".vcf")).count();
    }
  }

  @Test
  void shouldServeWithOneDiskDeadOrNotMountedAndRefuseToStartWithNone() throws Exception {
    try (LoggedProcess daemon = launch()) {
      assertEquals(List.of(), awaitProblems(daemon));
      write(0);
      assertTrue(blockFiles(first) > 0);
      assertTrue(blockFiles(second) > 0);
      daemon.kill();
    }
    Path aside = first.resolveSibling("aside");

    Files.move(first, aside);
    Files.writeString(first, "what a disk that fails looks like to a process of root");
    try (LoggedProcess daemon = launch()) {
      List<String> problems = awaitProblems(daemon);
      assertEquals(2, problems.size(), problems.toString());
      assertTrue(problems.get(0).startsWith("not served: "), problems.toString());
      assertTrue(problems.get(0).contains(first.toString()), problems.toString());
      assertTrue(problems.get(1).startsWith("no metadata member on this node: "));
      long before = blockFiles(second);
      read(0);
      write(100);
      read(100);
      assertTrue(blockFiles(second) > before, "nothing was written to the good disk");
      daemon.kill();
    }
    Files.delete(first);
    Files.move(aside, first);

    Files.move(second, aside);
    Files.createDirectory(second);
    try (LoggedProcess daemon = launch()) {
      List<String> problems = awaitProblems(daemon);
      assertEquals(1, problems.size(), problems.toString());
      assertTrue(problems.get(0).contains("--accept-empty " + second), problems.toString());
      assertTrue(
          problems.get(0).contains("'vdfs node volume add " + node.id()), problems.toString());
      read(0);
      write(200);
      read(200);
      try (Stream<Path> entries = Files.list(second)) {
        assertEquals(0, entries.count(), "something was put where the disk is not mounted");
      }
      daemon.kill();
    }

    Path gone = first.resolveSibling("gone");
    Files.move(first, gone);
    try (LoggedProcess daemon = launch()) {
      assertEquals(1, daemon.awaitExit(LIMIT));
      assertTrue(daemon.error().contains("--accept-empty"), daemon.error());
      assertTrue(daemon.error().contains(node.id().toString()), daemon.error());
    }
    Files.delete(second);
    Files.move(aside, second);
    Files.move(gone, first);

    try (LoggedProcess daemon = launch()) {
      assertEquals(List.of(), awaitProblems(daemon));
      for (int from : List.of(0, 100, 200)) {
        read(from);
      }
      daemon.kill();
    }

    Files.move(second, aside);
    Files.createDirectory(second);
    try (LoggedProcess daemon = launch("--accept-empty", second.toString())) {
      assertEquals(List.of(), awaitProblems(daemon));
      write(300);
      assertTrue(blockFiles(second) > 0, "the new volume is not used");
      daemon.kill();
    }
    try (LoggedProcess daemon = launch()) {
      assertEquals(List.of(), awaitProblems(daemon));
      read(300);
    }
  }

  /** Waits until the metadata have the volume of the node that is, or was, in a directory. */
  private KnownVolume awaitVolume(Path directory, KnownVolume.State state) throws Exception {
    AtomicReference<KnownVolume> found = new AtomicReference<>();
    Await.until(
        "the volume in %s to be known as %s".formatted(directory, state),
        LIMIT,
        () ->
            client().copies().nodes().stream()
                .filter(known -> known.id().equals(node.id()))
                .flatMap(known -> known.volumes().stream())
                .filter(known -> known.directory().equals(directory.toString()))
                .filter(known -> known.state() == state)
                .peek(found::set)
                .findFirst()
                .isPresent());
    return found.get();
  }

  /** Waits until a node that starts can see that a volume was given up. */
  private void awaitPublished(UUID volume) throws Exception {
    ZooKeeperSettings zooKeeper =
        ZooKeeperSettings.of(cluster.nodeProperties(NODE).get("vdfs.zookeeper"), "vdfs.zookeeper");
    try (ClusterDirectory directory = ClusterDirectory.open(zooKeeper, SPEC.name())) {
      Await.until(
          "the decision to be published",
          LIMIT,
          () -> directory.gone().volumes().equals(Set.of(volume)));
    }
  }

  private void awaitWhole() throws Exception {
    Await.until(
        "all nodes to hold what they should",
        LIMIT,
        () -> {
          CopiesReport copies = client().copies();
          return copies.isWhole() && copies.nodes().stream().allMatch(CopiesReport.Node::confirmed);
        });
  }

  @Test
  void shouldTakeAnEmptyDiskOnceTheLostVolumeIsGivenUp() throws Exception {
    VdfsCommands commands = new VdfsCommands(cluster, LIMIT);
    UUID lost;
    try (LoggedProcess daemon = launch()) {
      assertEquals(List.of(), awaitProblems(daemon));
      write(0);
      assertTrue(blockFiles(second) > 0);
      lost = awaitVolume(second, KnownVolume.State.SERVING).id();
      String refused = giveUp(commands, 1, second.toString());
      assertTrue(refused.contains("a volume that a node serves is not lost"), refused);
      daemon.kill();
    }

    Files.move(second, first.resolveSibling("dead"));
    Files.createDirectory(second);
    String command = "vdfs node volume add " + node.id() + " " + lost;
    try (LoggedProcess daemon = launch()) {
      List<String> problems = awaitProblems(daemon);
      assertEquals(1, problems.size(), problems.toString());
      assertTrue(problems.get(0).contains("'" + command + "'"), problems.toString());
      assertEquals(lost, awaitVolume(second, KnownVolume.State.FAILED).id());
      String report = commands.vdfs(2, "report");
      assertTrue(report.contains("%s at %s of ".formatted(lost, second)), report);
      assertTrue(report.contains(command), report);
      String unknown = giveUp(commands, 1, UUID.randomUUID().toString());
      assertTrue(unknown.contains("the node has no such volume"), unknown);
      String given = giveUp(commands, 0, lost.toString());
      assertTrue(given.contains("is given up"), given);
      assertEquals(lost, awaitVolume(second, KnownVolume.State.GIVEN_UP).id());
      awaitPublished(lost);
      assertEquals(0, blockFiles(second));
      daemon.kill();
    }

    try (LoggedProcess daemon = launch()) {
      assertEquals(List.of(), awaitProblems(daemon));
      KnownVolume added = awaitVolume(second, KnownVolume.State.SERVING);
      assertNotEquals(lost, added.id());
      write(100);
      awaitWhole();
      assertTrue(blockFiles(second) > 0, "the new volume is not used");
      cluster.kill(1);
      read(0);
      read(100);
    }
  }

  private String giveUp(VdfsCommands commands, int code, String volume) throws Exception {
    return commands.vdfs(code, "node", "volume", "add", node.id().toString(), volume);
  }

  @Test
  void shouldJoinAtOnceAfterAKill() throws Exception {
    long before = cluster.session(NODE).orElseThrow();
    try (LoggedProcess daemon = launch()) {
      Await.until(
          "a session of the new process",
          LIMIT,
          () -> cluster.session(NODE).orElse(before) != before);
      assertTrue(
          daemon.error().contains("Taking the place of a process of this machine that is over"),
          daemon.tail());
      assertEquals(List.of(), awaitProblems(daemon));
    }
  }
}
