package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.primitives.Bytes;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.admin.CopiesReport;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.common.metrics.Metric;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.LoggedProcess;
import io.vdfs.it.cluster.VdfsCommands;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Copies come back without help, on real daemons whose disks are wiped one after the other. */
@Timeout(600)
class RepairIT {
  private static final ClusterSpec SPEC =
      ClusterSpec.small("repair", 3)
          .with("vdfs.node.missing.after", "2s")
          .with("vdfs.node.replace.after", "3s")
          .with("vdfs.mass.loss.after", "5s")
          .with("vdfs.metadata.replace.after", "3s")
          .with("vdfs.garbage.after", "5s")
          .with("vdfs.garbage.keep", "5s");

  private static final int GROUP = Math.toIntExact(SPEC.geometry().groupSize());
  private static final int BUILD_KILLS = 20;
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final Random RANDOM = new Random(27);

  private final Map<String, byte[]> files = new TreeMap<>();
  private DaemonProcesses cluster;
  private FileSystem fileSystem;

  @AfterEach
  void closeFileSystem() throws IOException {
    if (fileSystem != null) {
      fileSystem.close();
    }
  }

  @Test
  void shouldSurviveTheLossOfEachDiskInTurn() throws Exception {
    try (DaemonProcesses started = DaemonProcesses.start(SPEC)) {
      begin(started);
      writeAll("/before");
      FSDataOutputStream log = fileSystem.create(new Path("/log"));
      ByteArrayOutputStream logged = new ByteArrayOutputStream();
      for (int node : lost()) {
        NodeId old = cluster.nodeId(node);
        cluster.kill(node);
        log(log, logged);
        wipe(node);
        cluster.launch(node);
        Await.until("a new node at the place", LIMIT, () -> !cluster.nodeId(node).equals(old));
        log(log, logged);
        awaitWhole(3);
        awaitMembers(old);
        log(log, logged);
        writeAll("/after" + node);
        readAll();
      }
      log.close();
      files.put("/log", logged.toByteArray());
      readAll();
      awaitCopied();
    }
  }

  /** Two disks in the build, all of them with {@code -Pkills}. */
  private static List<Integer> lost() {
    boolean all = Integer.getInteger("vdfs.it.kills", BUILD_KILLS) > BUILD_KILLS;
    return all ? SPEC.nodes() : SPEC.nodes().subList(0, 2);
  }

  @Test
  void shouldBringANodeUpToDateThatWasAway() throws Exception {
    try (DaemonProcesses started = DaemonProcesses.start(SPEC)) {
      begin(started);
      writeAll("/before");
      awaitWhole(3);
      cluster.kill(1);
      append("/before" + (5 * GROUP + 7), 2 * GROUP);
      writeAll("/meanwhile");
      assertTrue(client().copies().missing() > 0, "nobody was left out");
      cluster.restart(1);
      awaitWhole(3);
      awaitCopied();

      cluster.kill(2);
      readAll();
    }
  }

  @Test
  void shouldSpreadOverANewNodeThatThenTakesALostOnesPlaces() throws Exception {
    try (DaemonProcesses started = DaemonProcesses.start(SPEC)) {
      begin(started);
      writeAll("/before");
      Map<String, String> properties = new TreeMap<>(cluster.nodeProperties(0));
      java.nio.file.Path data = cluster.directory().directory("data-new");
      properties.put("vdfs.node.host", "127.0.0.9");
      properties.put("vdfs.data.dirs", data.toString());
      properties.put("vdfs.delivery.segment.directory", data.toString());
      try (LoggedProcess newcomer = cluster.launch("new", properties)) {
        awaitWhole(4);
        Await.until(
            "what went to the new node to be discarded elsewhere",
            LIMIT,
            () -> counted("garbage", "surplus_files") > 0 && counted("garbage", "kept_files") == 0);
        readAll();
        writeAll("/between");
        cluster.kill(2);
        wipe(2);
        awaitWhole(3);
        readAll();
        assertTrue(newcomer.isAlive());
      }
    }
  }

  @Test
  void shouldTakeAWipedNodeBackOnceTheOldOneIsGivenUp() throws Exception {
    ClusterSpec spec =
        ClusterSpec.small("wiped", 3)
            .with("vdfs.node.missing.after", "60s")
            .with("vdfs.node.replace.after", "60s");
    try (DaemonProcesses started = DaemonProcesses.start(spec)) {
      begin(started);
      VdfsCommands commands = new VdfsCommands(cluster, LIMIT);
      writeAll("/before");
      NodeId old = cluster.nodeId(1);
      RingNode place = client().cluster().ring().nodes().get(old);
      Map<String, String> samePlace = new TreeMap<>(cluster.nodeProperties(1));
      samePlace.put("vdfs.control.port", Integer.toString(place.controlPort()));
      cluster.kill(1);
      wipe(1);

      try (LoggedProcess refused = cluster.launch("wiped", samePlace)) {
        assertTrue(refused.awaitExit(LIMIT) != 0);
        String cure = "vdfs node replace " + old;
        assertTrue(refused.error().contains(cure), refused.error());
      }
      Await.until("its session to end", LIMIT, () -> cluster.session(1).isEmpty());
      commands.vdfs(0, "node", "replace", "--no-wait", old.toString());
      cluster.launch(1, samePlace);
      awaitWhole(3);
      awaitMembers(old);
      cluster.kill(0);
      readAll();
    }
  }

  @Test
  void shouldDoWithoutANodeThatLeftWhileAFileIsOpen() throws Exception {
    ClusterSpec spec =
        ClusterSpec.small("leave", 4)
            .with("vdfs.node.missing.after", "60s")
            .with("vdfs.node.replace.after", "60s")
            .with("vdfs.metadata.replace.after", "60s");
    try (DaemonProcesses started = DaemonProcesses.start(spec)) {
      begin(started);
      VdfsCommands commands = new VdfsCommands(cluster, LIMIT);
      writeAll("/before");
      FSDataOutputStream log = fileSystem.create(new Path("/log"));
      ByteArrayOutputStream logged = new ByteArrayOutputStream();
      log(log, logged);
      NodeId member = client().cluster().metadataMembers().get(0);
      int leaving = spec.nodes().stream().filter(node -> isNode(node, member)).findFirst().get();
      String name = member.toString();

      commands.vdfs(0, "node", "decommission", "--no-wait", name);
      log(log, logged);
      String refused = commands.vdfs(1, "node", "decommission", cluster.host((leaving + 1) % 4));
      assertTrue(refused.contains("would"), refused);
      String left = commands.vdfs(0, "node", "decommission", name);
      assertTrue(left.contains("has left"), left);
      awaitMembers(member);
      cluster.kill(leaving);
      wipe(leaving);
      Await.until(
          "the ring to forget the node that left",
          LIMIT,
          () -> client().copies().nodes().stream().noneMatch(node -> node.id().equals(member)));
      readAll();
      log(log, logged);
      log.close();
      files.put("/log", logged.toByteArray());
      writeAll("/after");
      readAll();
      awaitWhole(3);
      commands.vdfs(0, "fsck");
      awaitCopied();
    }
  }

  private boolean isNode(int node, NodeId id) {
    try {
      return cluster.nodeId(node).equals(id);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void begin(DaemonProcesses started) throws IOException {
    cluster = started;
    fileSystem = cluster.newFileSystem();
  }

  /**
   * Writes more bytes of a file that stays open; they are on disks when this returns. They reach
   * into a new group, as a new node takes part from there on.
   */
  private static void log(FSDataOutputStream log, ByteArrayOutputStream logged) throws IOException {
    byte[] more = new byte[GROUP + GROUP / 3];
    RANDOM.nextBytes(more);
    log.write(more);
    log.hsync();
    logged.write(more);
  }

  /** Removes everything that a node keeps, as a new disk would. */
  private void wipe(int node) throws IOException {
    try (Stream<java.nio.file.Path> all = Files.walk(cluster.dataDirectory(node))) {
      for (java.nio.file.Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  private VdfsClient client() throws IOException {
    return ((VdfsFileSystem) fileSystem).vdfsClient();
  }

  /** Waits until so many nodes hold everything, and none is missing. */
  private void awaitWhole(int count) throws Exception {
    AtomicReference<CopiesReport> last = new AtomicReference<>();
    try {
      Await.until(
          "copies to be whole again",
          LIMIT,
          () -> {
            last.set(client().copies());
            return isWhole(last.get(), count);
          });
    } catch (IOException | IllegalStateException e) {
      throw new AssertionError(last.get() + "\n" + cluster.logs(), e);
    }
  }

  private static boolean isWhole(CopiesReport copies, int count) {
    List<CopiesReport.Node> listed =
        copies.nodes().stream().filter(node -> node.servingPlaces() > 0).toList();
    return copies.isWhole()
        && listed.size() == count
        && listed.stream().allMatch(CopiesReport.Node::confirmed);
  }

  private void awaitMembers(NodeId gone) throws Exception {
    Await.until(
        "three members, without the node that is gone",
        LIMIT,
        () -> {
          List<NodeId> members = client().cluster().metadataMembers();
          return members.size() == 3 && !members.contains(gone);
        });
  }

  /** A restarted node is asked at its old address until the ring map shows the new one. */
  private void awaitCopied() throws Exception {
    Await.until(
        "nodes to say that they copied groups",
        LIMIT,
        () -> {
          try {
            return counted("repair", "groups_copied") > 0;
          } catch (IOException e) {
            return false;
          }
        });
  }

  /** Sum of a counter over the nodes that run, since their start. */
  private long counted(String group, String name) throws IOException {
    long sum = 0;
    try (FileSystem fresh = cluster.newFileSystem()) {
      VdfsClient client = ((VdfsFileSystem) fresh).vdfsClient();
      for (RingNode node : client.cluster().ring().nodes().values()) {
        for (Metric metric : client.counters(node)) {
          boolean counts = metric.group().equals(group) && metric.name().equals(name);
          sum += counts ? metric.value() : 0;
        }
      }
    }
    return sum;
  }

  /** Files of two and of three copies. */
  private void writeAll(String directory) throws IOException {
    for (int size : List.of(0, 1, GROUP - 1, GROUP + 1, 5 * GROUP + 7)) {
      write(directory + size, size, (short) 3);
    }
    for (int small = 0; small < 30; small++) {
      write(directory + "small" + small, 1000 + small, (short) (2 + small % 2));
    }
  }

  private void write(String file, int size, short replication) throws IOException {
    byte[] bytes = new byte[size];
    RANDOM.nextBytes(bytes);
    try (FSDataOutputStream out =
        fileSystem.create(new Path(file), true, 4096, replication, 128 << 20)) {
      out.write(bytes);
    }
    files.put(file, bytes);
  }

  private void append(String file, int size) throws IOException {
    byte[] added = new byte[size];
    RANDOM.nextBytes(added);
    try (FSDataOutputStream out = fileSystem.append(new Path(file))) {
      out.write(added);
    }
    files.put(file, Bytes.concat(files.get(file), added));
  }

  private void readAll() throws IOException {
    try (FileSystem reader = cluster.newFileSystem()) {
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        try (FSDataInputStream in = reader.open(new Path(file.getKey()))) {
          assertArrayEquals(file.getValue(), in.readAllBytes(), file.getKey());
        }
      }
    }
  }
}
