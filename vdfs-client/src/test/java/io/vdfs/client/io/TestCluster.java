package io.vdfs.client.io;

import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.datanode.transfer.TransferSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/** Some nodes on loopback with tiny blocks, and a client of them. */
final class TestCluster implements AutoCloseable, Placement {
  static final ClusterGeometry GEOMETRY = new ClusterGeometry(2048, 4, 512, 12);
  static final FileKey FILE = new FileKey(258, 1);

  /** Long enough for a busy machine not to take a sound node for a dead one. */
  static final Limits PATIENT = limits(8192, 1200, 600, 4000, 1500);

  /** For many runs with faults, where nodes may be left out without cause. */
  static final Limits HASTY = limits(4096, 500, 250, 1600, 600);

  /** For nodes that are held up on purpose and must not count as failed meanwhile. */
  static final Limits UNHURRIED = limits(8192, 40_000, 20_000, 60_000, 300);

  /** Settings of both sides that fit each other. */
  record Limits(IoSettings client, TransferSettings node) {}

  final UUID id = UUID.randomUUID();
  final List<TestNode> nodes = new ArrayList<>();
  final DataConnections connections =
      new DataConnections(Duration.ofMillis(800), new Counters<>(NetCounter.class));
  final ClientIo io;
  final FakeMetadata metadata;
  private final int replication;
  private volatile int ringReplication;

  TestCluster(int nodeCount, int replication) throws IOException {
    this(nodeCount, replication, PATIENT);
  }

  TestCluster(int nodeCount, int replication, Limits limits) throws IOException {
    this.replication = replication;
    this.ringReplication = replication;
    for (int i = 0; i < nodeCount; i++) {
      nodes.add(new TestNode(id, GEOMETRY, limits.node()));
    }
    metadata = new FakeMetadata(FILE, replication);
    io = new ClientIo(connections, this, GEOMETRY, id, limits.client());
  }

  private static Limits limits(
      int window, int hopMillis, int stepMillis, int clientMillis, int waitMillis) {
    Duration client = Duration.ofMillis(clientMillis);
    return new Limits(
        new IoSettings(
            1024,
            window,
            client,
            client,
            Duration.ofMillis(waitMillis),
            Duration.ofMillis(40),
            client.dividedBy(2),
            Duration.ofSeconds(5),
            4096,
            2,
            Delivery.AUTO,
            50),
        new TransferSettings(
            Duration.ofMillis(hopMillis),
            Duration.ofMillis(stepMillis),
            Duration.ofSeconds(20),
            4,
            4096,
            65_536,
            64));
  }

  @Override
  public List<ReplicaNode> replicas(FileKey file, int group) {
    List<ReplicaNode> replicas = new ArrayList<>();
    for (int i = 0; i < replication; i++) {
      replicas.add(nodes.get((group + i) % nodes.size()).replica());
    }
    return replicas;
  }

  @Override
  public int replication() {
    return ringReplication;
  }

  void setRingReplication(int copies) {
    ringReplication = copies;
  }

  @Override
  public long ringEpoch() {
    return 7;
  }

  FileWriter create() {
    return FileWriter.create(io, metadata.view(), metadata);
  }

  FileWriter append() throws IOException {
    FileView view = metadata.takeOver();
    return FileWriter.append(io, view, metadata);
  }

  FileReader reader() {
    return new FileReader(io, metadata.view(), metadata);
  }

  /** A client that remembers nothing of bad nodes. */
  FileReader freshReader() {
    ClientIo fresh = new ClientIo(connections, this, GEOMETRY, id, io.settings());
    return new FileReader(fresh, metadata.view(), metadata);
  }

  TestNode node(NodeId wanted) {
    return nodes.stream().filter(node -> node.id.equals(wanted)).findFirst().orElseThrow();
  }

  static byte[] bytes(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  static byte[] readAll(FileReader reader) throws IOException {
    byte[] bytes = new byte[(int) reader.length()];
    reader.readFully(0, bytes, 0, bytes.length);
    return bytes;
  }

  @Override
  public void close() throws IOException {
    connections.close();
    for (TestNode node : nodes) {
      node.close();
    }
  }
}
