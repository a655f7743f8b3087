package io.vdfs.client.io;

import io.vdfs.client.delivery.DiskReads;
import io.vdfs.client.delivery.ThreadDiskReads;
import io.vdfs.client.delivery.local.LocalBlockDelivery;
import io.vdfs.client.io.replica.GroupPlaces;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.client.read.BlockDeliveries;
import io.vdfs.client.read.FileReader;
import io.vdfs.client.write.FileWriter;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.store.CombinedFileLayout;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Some nodes with block files on this machine, one file, and clients of them. */
public final class DiskCluster implements AutoCloseable, GroupPlaces {
  public static final ClusterGeometry GEOMETRY = new ClusterGeometry(2048, 4, 512, 12);

  /** Where the bytes of the first block begin in a combined file of {@link #GEOMETRY}. */
  public static final long DATA = CombinedFileLayout.of(GEOMETRY).dataOffset(0);

  public static final FileKey FILE = new FileKey(258, 1);

  /** With blocks that have heads. */
  public static final ClusterGeometry LARGE = new ClusterGeometry(512 << 10, 4, 64 << 10, 12);

  public final UUID id = UUID.randomUUID();
  public final List<DiskNode> nodes = new ArrayList<>();
  public final FakeMetadata metadata;
  private final ClusterGeometry geometry;
  private final List<ClientIo> clients = new ArrayList<>();
  private final List<DataConnections> connections = new ArrayList<>();
  private UnaryOperator<IoSettings> settings = UnaryOperator.identity();

  /**
   * @param granting whether the nodes let any client read their files
   */
  public DiskCluster(Path directory, int nodeCount, boolean granting) throws VdfsException {
    this(directory, nodeCount, granting, false);
  }

  /**
   * @param granting whether the nodes let any client read their files
   * @param sharing whether the nodes share memory
   */
  public DiskCluster(Path directory, int nodeCount, boolean granting, boolean sharing)
      throws VdfsException {
    this(directory, nodeCount, GEOMETRY, granting, sharing);
  }

  /** One node that lets any client read its files, with blocks of another size. */
  public DiskCluster(Path directory, ClusterGeometry geometry) throws VdfsException {
    this(directory, 1, geometry, true, false);
  }

  private DiskCluster(
      Path directory, int nodeCount, ClusterGeometry geometry, boolean granting, boolean sharing)
      throws VdfsException {
    this.geometry = geometry;
    for (int i = 0; i < nodeCount; i++) {
      Path home = directory.resolve("node" + i);
      nodes.add(new DiskNode(home, id, geometry, granting, sharing, this::address));
    }
    metadata = new FakeMetadata(id, FILE, nodeCount, geometry);
  }

  private Optional<DataAddress> address(NodeId wanted) {
    return nodes.stream()
        .filter(node -> node.id.equals(wanted))
        .findFirst()
        .map(node -> node.replica().address());
  }

  /** All nodes hold everything, the first one first. */
  @Override
  public List<ReplicaNode> replicas(FileKey file, int group) {
    return nodes.stream().map(DiskNode::replica).toList();
  }

  @Override
  public long ringEpoch() {
    return 7;
  }

  @Override
  public int copies() {
    return nodes.size();
  }

  public ClientIo client(Delivery delivery) {
    return client(delivery, ThreadDiskReads::new, LocalBlockDelivery.WINDOW);
  }

  /** A client with other settings. */
  public ClientIo client(Delivery delivery, UnaryOperator<IoSettings> change) {
    settings = change;
    return client(delivery);
  }

  /**
   * @param localReadsWindow bytes read from a node's files over which they are judged
   */
  public ClientIo client(Delivery delivery, Supplier<DiskReads> diskReads, long localReadsWindow) {
    DataConnections own =
        new DataConnections(Duration.ofMillis(800), new Counters<>(NetCounter.class));
    IoSettings sizes =
        geometry.equals(GEOMETRY) ? TestCluster.UNHURRIED.client() : IoSettings.DEFAULT;
    ClientIo client =
        new ClientIo(
            own,
            this,
            geometry,
            id,
            settings.apply(sizes.with(delivery)),
            io -> BlockDeliveries.of(io, diskReads, localReadsWindow));
    connections.add(own);
    clients.add(client);
    return client;
  }

  /** Ends a client as the end of its process would. */
  public void disconnect(ClientIo client) {
    client.close();
    connections.get(clients.indexOf(client)).close();
  }

  /** Writes the file and closes it. */
  public byte[] write(int length) throws IOException {
    byte[] content = TestCluster.bytes(length, length);
    try (FileWriter writer =
        FileWriter.create(client(Delivery.SOCKET), metadata.view(), metadata)) {
      writer.write(content, 0, length);
    }
    return content;
  }

  public FileReader reader(ClientIo client) {
    return new FileReader(client, metadata.view(), metadata);
  }

  @Override
  public void close() throws IOException {
    clients.forEach(this::disconnect);
    for (DiskNode node : nodes) {
      node.close();
    }
  }
}
