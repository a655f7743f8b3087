package io.vdfs.client.io;

import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.io.replica.GroupPlaces;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.client.read.BlockDeliveries;
import io.vdfs.client.read.FileReader;
import io.vdfs.client.read.ViewSource;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * One end of a segment in a process of its own, to be killed. It ends by itself with its parent.
 */
final class SegmentProcess implements AutoCloseable {
  private final Process process;
  private final BufferedReader output;

  private SegmentProcess(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx64m", "-cp", System.getProperty("java.class.path")));
    command.add(SegmentProcess.class.getName());
    command.addAll(List.of(arguments));
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    output = process.inputReader(StandardCharsets.UTF_8);
  }

  /** Reads the file again and again and says so each time. */
  static SegmentProcess reader(DiskCluster cluster, int length) throws IOException {
    DiskNode node = cluster.nodes.get(0);
    return new SegmentProcess(
        "reader",
        cluster.id.toString(),
        node.id.toString(),
        Integer.toString(node.server.port()),
        Integer.toString(length));
  }

  /**
   * A node with a segment that says its id, then its port.
   *
   * @param other the only other node of the cluster
   */
  static SegmentProcess node(UUID cluster, Path directory, DiskNode other) throws IOException {
    return new SegmentProcess(
        "node", cluster.toString(), directory.toString(), Integer.toString(other.server.port()));
  }

  /** Waits for the next thing it says. */
  String line() throws IOException {
    String line = output.readLine();
    if (line == null) {
      throw new IOException("the process ended: process=" + process);
    }
    return line;
  }

  /** Sends SIGKILL to it, which must find it alive; returns once it is gone. */
  void kill() throws IOException, InterruptedException {
    if (!process.isAlive()) {
      throw new IOException("the process ended by itself: process=" + process);
    }
    process.destroyForcibly();
    process.waitFor();
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    output.close();
  }

  /** Runs one end. */
  public static void main(String[] arguments) throws IOException {
    UUID cluster = UUID.fromString(arguments[1]);
    if (arguments[0].equals("node")) {
      serve(cluster, Path.of(arguments[2]), Integer.parseInt(arguments[3]));
    } else {
      read(
          cluster,
          new ReplicaNode(
              NodeId.parse(arguments[2]),
              new DataAddress("127.0.0.1", Integer.parseInt(arguments[3])),
              true,
              true),
          Integer.parseInt(arguments[4]));
    }
  }

  private static void serve(UUID cluster, Path directory, int otherPort) throws IOException {
    DataAddress other = new DataAddress("127.0.0.1", otherPort);
    try (DiskNode node =
        new DiskNode(
            directory, cluster, DiskCluster.GEOMETRY, false, true, wanted -> Optional.of(other))) {
      System.out.println(node.id);
      System.out.println(node.server.port());
      while (System.in.read() >= 0) {
        // until the parent is gone
      }
    }
  }

  private static void read(UUID cluster, ReplicaNode node, int length) throws IOException {
    byte[] expected = TestCluster.bytes(length, length);
    FileView view = new FileView(DiskCluster.FILE, length, false, 1, 1, List.of());
    try (ClientIo io = client(cluster, List.of(node), Delivery.SEGMENT)) {
      FileReader reader = new FileReader(io, view, ViewSource.fixed(view));
      while (true) {
        if (!Arrays.equals(expected, TestCluster.readAll(reader))) {
          throw new IOException("wrong bytes");
        }
        System.out.println(io.counters().get(IoCounter.BYTES_BY_SEGMENT));
      }
    }
  }

  /** A client of nodes that all hold everything. Its connections end with the process. */
  static ClientIo client(UUID cluster, List<ReplicaNode> nodes, Delivery delivery) {
    return new ClientIo(
        new DataConnections(Duration.ofSeconds(5), new Counters<>(NetCounter.class)),
        new FixedPlacement(nodes),
        DiskCluster.GEOMETRY,
        cluster,
        TestCluster.PATIENT.client().with(delivery),
        BlockDeliveries::of);
  }

  private record FixedPlacement(List<ReplicaNode> nodes) implements GroupPlaces {
    @Override
    public List<ReplicaNode> replicas(FileKey file, int group) {
      return nodes;
    }

    @Override
    public long ringEpoch() {
      return 7;
    }

    @Override
    public int copies() {
      return 1;
    }
  }
}
