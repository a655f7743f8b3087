package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.cluster.AdminClients;
import io.vdfs.common.metrics.Metric;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.proto.MetadataStatusResponse;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Daemons that were killed start with whatever is left of their metadata logs. */
@Timeout(300)
class DamagedLogsIT {
  private static final ClusterSpec SPEC = ClusterSpec.small("logs", 3);
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int NAMES = 300;
  private static final Random RANDOM = new Random(21);

  private final Map<String, byte[]> files = new TreeMap<>();
  private DaemonProcesses cluster;

  @Test
  void shouldServeAllNamesAfterAnyDamageAMajoritySurvives() throws Exception {
    try (DaemonProcesses started = DaemonProcesses.start(SPEC)) {
      cluster = started;
      write("/one");
      makeNames();

      int rotten = follower();
      cluster.kill(rotten);
      overwrite(log(rotten), used(log(rotten)) / 8, 50);
      cluster.restart(rotten);
      awaitSettled(rotten);
      assertEquals(1, counter(rotten, "damaged_logs"));
      assertTrue(Files.isDirectory(home(rotten).resolve("aside")), "nothing was put aside");
      readAll();
      write("/two");

      int torn = follower();
      cluster.kill(torn);
      overwrite(log(torn), used(log(torn)) - 64, 64);
      cluster.restart(torn);
      awaitSettled(torn);
      assertEquals(1, counter(torn, "torn_logs"));
      readAll();
      write("/three");

      Map<Integer, OptionalLong> sessions = new TreeMap<>();
      for (int node : SPEC.nodes()) {
        sessions.put(node, cluster.session(node));
        cluster.kill(node);
      }
      for (int node : SPEC.nodes()) {
        overwrite(log(node), used(log(node)) + 8, 100 + node);
        cluster.launch(node);
      }
      for (int node : SPEC.nodes()) {
        Await.until(
            "node " + node + " to join again",
            LIMIT,
            () ->
                cluster.session(node).isPresent()
                    && !cluster.session(node).equals(sessions.get(node)));
      }
      cluster.awaitServing();
      for (int node : SPEC.nodes()) {
        awaitSettled(node);
        assertEquals(1, counter(node, "torn_logs"), "node " + node);
      }
      readAll();
      write("/four");
      readAll();
      assertEquals(NAMES, names());
    }
  }

  @Test
  void shouldServeDataWhileTheMetadataMemberCannotStart() throws Exception {
    try (DaemonProcesses started = DaemonProcesses.start(SPEC)) {
      cluster = started;
      write("/one");
      int broken = follower();
      cluster.kill(broken);
      Path identity = home(broken).resolve("vdfs-member");
      String own = Files.readString(identity);
      Files.writeString(identity, own.replace("node=", "node=x"));
      cluster.restart(broken);
      String told =
          Await.value(
              "the problem to be told",
              LIMIT,
              () ->
                  answer(broken)
                      .map(MetadataStatusResponse::getStopped)
                      .filter(reason -> !reason.isEmpty()));
      assertTrue(told.contains("is no member's"), told);
      long before = counter(broken, "bytes_written", "transfer");
      write("/two");
      readAll();
      assertTrue(counter(broken, "bytes_written", "transfer") > before, "it stored nothing");

      Files.writeString(identity, own);
      awaitSettled(broken);
      readAll();
    }
  }

  private Path home(int node) {
    return cluster.dataDirectory(node).resolve("metadata").resolve("raft");
  }

  /** The file to which entries are added. */
  private Path log(int node) throws IOException {
    try (Stream<Path> files = Files.walk(home(node).resolve("raft"))) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("log_inprogress_"))
          .max(Comparator.comparing(file -> file.toFile().length()))
          .orElseThrow();
    }
  }

  /** Length without the zeroes that reserve room. */
  private static long used(Path log) throws IOException {
    byte[] bytes = Files.readAllBytes(log);
    int end = bytes.length;
    while (bytes[end - 1] == 0) {
      end--;
    }
    return end;
  }

  private static void overwrite(Path file, long at, int size) throws IOException {
    byte[] garbage = new byte[size];
    RANDOM.nextBytes(garbage);
    garbage[0] |= 1;
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(garbage), at);
    }
  }

  private void awaitSettled(int node) throws Exception {
    Await.until(
        "member " + node + " to be up to date",
        LIMIT,
        () ->
            answer(node)
                .filter(MetadataStatusResponse::getMember)
                .filter(status -> status.getDoubt().isEmpty() && !status.getLeader().isEmpty())
                .isPresent());
  }

  /** Empty if the node does not answer, as at its address from before it was killed. */
  private Optional<MetadataStatusResponse> answer(int node) {
    try (VdfsClient client = client()) {
      return Optional.of(client.nodes().metadataStatus(node(client, node)));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private int follower() throws Exception {
    return Await.value(
        "a follower",
        LIMIT,
        () -> {
          Optional<Integer> found = Optional.empty();
          boolean led = false;
          for (int node : SPEC.nodes()) {
            String role = answer(node).map(MetadataStatusResponse::getRole).orElse("");
            led |= role.equals("LEADER");
            found = role.equals("FOLLOWER") ? Optional.of(node) : found;
          }
          return led ? found : Optional.empty();
        });
  }

  private long counter(int node, String name) throws IOException {
    return counter(node, name, "raft");
  }

  private long counter(int node, String name, String group) throws IOException {
    try (VdfsClient client = client()) {
      return client.nodes().counters(node(client, node)).stream()
          .filter(metric -> metric.group().equals(group) && metric.name().equals(name))
          .mapToLong(Metric::value)
          .findAny()
          .orElseThrow();
    }
  }

  private RingNode node(VdfsClient client, int number) throws IOException {
    return client.cluster().ring().nodes().values().stream()
        .filter(node -> node.host().equals(cluster.host(number)))
        .findAny()
        .orElseThrow();
  }

  private VdfsClient client() throws IOException {
    return AdminClients.open(SPEC.name(), cluster.nodeProperties(0).get("vdfs.zookeeper"), "/vdfs");
  }

  private void write(String directory) throws IOException {
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      for (int size : new int[] {0, 1, 100_000, 1_000_000}) {
        byte[] bytes = new byte[size];
        RANDOM.nextBytes(bytes);
        String file = directory + "/" + size;
        try (FSDataOutputStream out = fileSystem.create(new org.apache.hadoop.fs.Path(file))) {
          out.write(bytes);
        }
        files.put(file, bytes);
      }
    }
  }

  private void makeNames() throws IOException {
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      for (int i = 0; i < NAMES; i++) {
        fileSystem.mkdirs(new org.apache.hadoop.fs.Path("/names/" + i));
      }
    }
  }

  private int names() throws IOException {
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      return fileSystem.listStatus(new org.apache.hadoop.fs.Path("/names")).length;
    }
  }

  /** Reads all files with a client that knows nothing of the cluster yet. */
  private void readAll() throws IOException {
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        byte[] bytes = new byte[file.getValue().length];
        try (FSDataInputStream in = fileSystem.open(new org.apache.hadoop.fs.Path(file.getKey()))) {
          in.readFully(bytes);
          assertEquals(-1, in.read());
        }
        assertArrayEquals(file.getValue(), bytes, file.getKey());
      }
    }
  }
}
