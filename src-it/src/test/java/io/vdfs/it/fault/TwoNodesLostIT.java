package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Any two of five daemons may be killed at once; all ten pairs with the profile {@code pairs}. */
@Timeout(300)
class TwoNodesLostIT {
  private static final ClusterSpec SPEC = ClusterSpec.small("pairs", 5);
  private static final Duration READ_LIMIT = Duration.ofSeconds(10);
  private static final Duration WAIT = Duration.ofSeconds(3);
  private static final int GROUP = Math.toIntExact(SPEC.geometry().groupSize());
  private static final int WRITTEN = 4;

  /** At least a fifth of all lists have both dead nodes. */
  private static final int MOST_FILES = 100;

  private static final Random RANDOM = new Random(3);

  private static final Map<String, byte[]> FILES = new TreeMap<>();
  private static DaemonProcesses cluster;

  /** Neighbours and nodes that lie apart, unless all are asked for. */
  static Stream<List<Integer>> pairs() {
    List<List<Integer>> pairs = new ArrayList<>();
    for (int one : SPEC.nodes()) {
      for (int other : SPEC.nodes().subList(one + 1, SPEC.nodes().size())) {
        pairs.add(List.of(one, other));
      }
    }
    return Boolean.getBoolean("vdfs.it.pairs.all")
        ? pairs.stream()
        : Stream.of(List.of(0, 1), List.of(2, 4));
  }

  @BeforeAll
  @Timeout(150)
  static void startCluster() throws Exception {
    cluster = DaemonProcesses.start(SPEC);
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      for (int size : List.of(0, 1, GROUP - 1, GROUP + 1, 5 * GROUP + 7, 8 * GROUP)) {
        write(fileSystem, "/before/" + size, size);
      }
      assertEquals(5, client(fileSystem).cluster().metadataMembers().size());
    }
  }

  @AfterAll
  static void stopCluster() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void shouldGoOnWithoutAnyTwoOfFiveNodes(List<Integer> pair) throws Exception {
    Set<NodeId> dead = Set.of(cluster.nodeId(pair.get(0)), cluster.nodeId(pair.get(1)));
    String directory = "/after" + pair.get(0) + pair.get(1);
    for (int node : pair) {
      cluster.kill(node);
    }
    try (FileSystem fileSystem = FileSystem.newInstance(cluster.uri(), impatient())) {
      assertTrue(fileSystem.mkdirs(new Path(directory)), "a change of names");
      assertTrue(fileSystem.rename(new Path(directory), new Path(directory + "x")));
      for (Map.Entry<String, byte[]> file : FILES.entrySet()) {
        assertReadsInTime(fileSystem, file.getKey(), file.getValue());
      }
      writeAll(fileSystem, directory + "x", dead);
    } finally {
      for (int node : pair) {
        cluster.launch(node);
      }
    }
    cluster.awaitServing();
  }

  /** A client that does not wait long for nodes that it cannot spare. */
  private static Configuration impatient() {
    Configuration configuration = cluster.configuration();
    configuration.set("fs.vdfs.write.nodes.wait", WAIT.toSeconds() + "s");
    return configuration;
  }

  private static void assertReadsInTime(FileSystem fileSystem, String file, byte[] expected)
      throws IOException {
    long begun = System.nanoTime();
    byte[] bytes = new byte[expected.length];
    try (FSDataInputStream in = fileSystem.open(new Path(file))) {
      in.readFully(bytes);
      assertEquals(-1, in.read());
    }
    Duration taken = Duration.ofNanos(System.nanoTime() - begun);
    assertArrayEquals(expected, bytes, file);
    assertTrue(taken.compareTo(READ_LIMIT) < 0, () -> file + " took " + taken);
  }

  /** Files of one group: each can be written exactly if two nodes of its list live. */
  private static void writeAll(FileSystem fileSystem, String directory, Set<NodeId> dead)
      throws Exception {
    RingMap ring = client(fileSystem).cluster().ring();
    int written = 0;
    int refused = 0;
    for (int i = 0; written < WRITTEN || refused == 0; i++) {
      assertTrue(i < MOST_FILES, "written=" + written + ", refused=" + refused);
      String file = directory + "/" + i;
      FSDataOutputStream out = fileSystem.create(new Path(file));
      List<NodeId> list =
          ring.replicas(client(fileSystem).names().status(file).inodeId(), 0).serving();
      boolean expected = list.stream().filter(node -> !dead.contains(node)).count() >= 2;
      String failure = fill(out);
      String told = file + " on " + list + ": " + failure;
      if (expected) {
        assertEquals("", failure, told);
        assertReadsInTime(fileSystem, file, new byte[GROUP]);
        written++;
      } else {
        assertTrue(failure.contains("too few nodes"), told);
        Set<NodeId> unnamed =
            list.stream()
                .filter(dead::contains)
                .filter(node -> !failure.contains(node.toString()))
                .collect(Collectors.toSet());
        assertTrue(unnamed.isEmpty(), told);
        refused++;
      }
    }
  }

  /** Empty if the file could be written and closed, else why not. */
  private static String fill(FSDataOutputStream out) {
    try (out) {
      out.write(new byte[GROUP]);
      return "";
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static void write(FileSystem fileSystem, String file, int size) throws IOException {
    byte[] bytes = new byte[size];
    RANDOM.nextBytes(bytes);
    try (FSDataOutputStream out = fileSystem.create(new Path(file))) {
      out.write(bytes);
    }
    FILES.put(file, bytes);
  }

  private static VdfsClient client(FileSystem fileSystem) throws IOException {
    return ((VdfsFileSystem) fileSystem).vdfsClient();
  }
}
