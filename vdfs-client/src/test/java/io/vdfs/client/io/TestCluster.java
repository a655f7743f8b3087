package io.vdfs.client.io;

import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.io.replica.GroupPlaces;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.client.read.BlockDeliveries;
import io.vdfs.client.read.FileReader;
import io.vdfs.client.write.FileWriter;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.ring.RingPlanner;
import io.vdfs.datanode.transfer.PeerLimits;
import io.vdfs.datanode.transfer.TransferSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** Some nodes on loopback with tiny blocks, on a ring as it is dealt, and a client of them. */
public final class TestCluster implements AutoCloseable, GroupPlaces {
  public static final ClusterGeometry GEOMETRY = new ClusterGeometry(2048, 4, 512, 12);
  public static final FileKey FILE = new FileKey(258, 1);

  public static final Duration READERS_WAIT = Duration.ofMillis(200);

  /** For faults that are known by the time that passes. */
  public static final Limits PATIENT = limits(8192, 1200, 600, 4000, 1500);

  /** As these, with more than a second between the limits of two nodes that follow each other. */
  public static final Limits GRADED = limits(8192, 1200, 1500, 6000, 1500);

  /** For many runs with faults, where nodes may be left out without cause. */
  public static final Limits HASTY = limits(4096, 500, 250, 1600, 2500);

  /** For nodes that are held up on purpose and must not count as failed meanwhile. */
  public static final Limits UNHURRIED = limits(8192, 40_000, 20_000, 60_000, 300);

  /** As these, with a window of half a group. */
  public static final Limits NARROW = limits(4096, 40_000, 20_000, 60_000, 300);

  /** Settings of both sides that fit each other. */
  public record Limits(IoSettings client, TransferSettings node) {}

  public final UUID id = UUID.randomUUID();

  /** The owners of the first groups in their order, which repeats for later ones. */
  public final List<TestNode> nodes = new ArrayList<>();

  public final DataConnections connections =
      new DataConnections(Duration.ofMillis(800), new Counters<>(NetCounter.class));
  public final ClientIo io;
  public final FakeMetadata metadata;
  private final RingMap ring;
  private final Queue<FileWriter> writers = new ConcurrentLinkedQueue<>();
  private final Set<NodeId> givenUp = ConcurrentHashMap.newKeySet();
  private final Set<NodeId> last = ConcurrentHashMap.newKeySet();
  private final AtomicLong ringEpoch = new AtomicLong(7);

  public TestCluster(int nodeCount, int replication) throws IOException {
    this(StoreKind.MODEL, nodeCount, replication, UNHURRIED);
  }

  /**
   * @param replication nodes of each list, and copies that the file asks for
   */
  public TestCluster(int nodeCount, int replication, Limits limits) throws IOException {
    this(StoreKind.MODEL, nodeCount, replication, limits);
  }

  public TestCluster(StoreKind kind, int nodeCount, int replication, Limits limits)
      throws IOException {
    for (int i = 0; i < nodeCount; i++) {
      nodes.add(new TestNode(kind, id, GEOMETRY, limits.node(), this::address));
    }
    List<RingNode> table = nodes.stream().map(TestNode::ringNode).toList();
    ring = RingPlanner.plan(Optional.empty(), table, replication, GEOMETRY.arcs()).map();
    List<NodeId> owners = new ArrayList<>();
    for (int group = 0; group < nodeCount; group++) {
      owners.add(ring.owner(FILE, group));
    }
    nodes.sort(Comparator.comparingInt(node -> owners.indexOf(node.id)));
    metadata = new FakeMetadata(id, FILE, replication);
    io = new ClientIo(connections, this, GEOMETRY, id, limits.client(), BlockDeliveries::of);
  }

  private Optional<DataAddress> address(NodeId wanted) {
    return Optional.of(node(wanted).replica().address());
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
            READERS_WAIT,
            Duration.ofMillis(40),
            client.dividedBy(2),
            Duration.ofSeconds(5),
            4096,
            2,
            Delivery.AUTO,
            50,
            false),
        new TransferSettings(
            Duration.ofMillis(hopMillis),
            Duration.ofMillis(stepMillis),
            Duration.ofSeconds(20),
            4,
            4096,
            65_536,
            65_536,
            64,
            PeerLimits.DEFAULT));
  }

  @Override
  public List<ReplicaNode> replicas(FileKey file, int group) {
    return ring.replicas(file, group).serving().stream()
        .filter(node -> !givenUp.contains(node))
        .sorted(Comparator.comparing(last::contains))
        .map(node -> node(node).replica())
        .toList();
  }

  /** Puts a node at the end of all lists. */
  public void moveLast(TestNode node) {
    last.add(node.id);
    ringEpoch.incrementAndGet();
  }

  /** Takes a node off all lists. */
  public void giveUp(TestNode node) {
    givenUp.add(node.id);
    ringEpoch.incrementAndGet();
  }

  @Override
  public long ringEpoch() {
    return ringEpoch.get();
  }

  @Override
  public int copies() {
    return Math.max(1, ring.replication() - givenUp.size());
  }

  public FileWriter create() {
    return keep(FileWriter.create(io, metadata.view(), metadata));
  }

  public FileWriter append() throws IOException {
    FileView view = metadata.takeOver();
    return keep(FileWriter.append(io, view, metadata));
  }

  private FileWriter keep(FileWriter writer) {
    writers.add(writer);
    return writer;
  }

  public FileReader reader() {
    return new FileReader(io, metadata.view(), metadata);
  }

  /** A client that remembers nothing of bad nodes. */
  public FileReader freshReader() {
    ClientIo fresh =
        new ClientIo(connections, this, GEOMETRY, id, io.settings(), BlockDeliveries::of);
    return new FileReader(fresh, metadata.view(), metadata);
  }

  public TestNode node(NodeId wanted) {
    return nodes.stream().filter(node -> node.id.equals(wanted)).findFirst().orElseThrow();
  }

  public static byte[] bytes(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  public static byte[] readAll(FileReader reader) throws IOException {
    byte[] bytes = new byte[(int) reader.length()];
    reader.readFully(0, bytes, 0, bytes.length);
    return bytes;
  }

  @Override
  public void close() throws IOException {
    writers.forEach(FileWriter::abort); // those that are not closed hold buffers
    connections.close();
    for (TestNode node : nodes) {
      node.close();
    }
  }
}
