package io.vdfs.client.dataplane;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.ring.RingNode;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.DoubtedBlocks;
import io.vdfs.datanode.store.HeapIndexedStores;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.stream.OrderedReads;
import io.vdfs.datanode.stream.StreamManager;
import io.vdfs.datanode.stream.StreamSettings;
import io.vdfs.datanode.transfer.TestPeers;
import io.vdfs.datanode.transfer.TransferSettings;
import io.vdfs.datanode.transfer.server.Deliveries;
import io.vdfs.datanode.transfer.server.TransferServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;

/** A data port over a store on a real directory that can be stopped, killed and cut off. */
final class WriterNode implements AutoCloseable {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  final NodeId id = NodeId.random();
  private final UUID cluster;
  private final ClusterGeometry geometry;
  private final TransferSettings settings;
  private final Function<NodeId, Optional<DataAddress>> addresses;
  private final Path home;
  private final int port;
  private final DataConnections connections =
      new DataConnections(WriterCluster.CONNECT_LIMIT, new Counters<>(NetCounter.class));
  private final List<Socket> backlog = new ArrayList<>();
  private Path directory;
  private ServerSocket blackHole;
  private BlockStore store;
  private StreamManager streams;
  private OrderedReads reads;
  private TransferServer server;
  private int lives;

  WriterNode(
      Path home,
      UUID cluster,
      ClusterGeometry geometry,
      TransferSettings settings,
      Function<NodeId, Optional<DataAddress>> addresses)
      throws IOException {
    this.home = home;
    this.cluster = cluster;
    this.geometry = geometry;
    this.settings = settings;
    this.addresses = addresses;
    this.directory = home.resolve("life0");
    Files.createDirectories(directory);
    start(0);
    this.port = server.port();
  }

  private void start(int at) throws VdfsException {
    StoreConfig config =
        new StoreConfig(
            cluster,
            id,
            geometry,
            List.of(directory),
            directory.resolve("index"),
            0,
            StoreConfig.DEFAULT_WRITE_BACK,
            StoreConfig.DEFAULT_MAX_OPEN_FILES);
    store = HeapIndexedStores.open(config);
    streams = StreamManager.start(store, 1, StreamSettings.DEFAULT);
    reads = new OrderedReads(store, streams, geometry.chunkSize());
    server =
        TransferServer.start(
            new InetSocketAddress(LOOPBACK, at),
            TestPeers.of(cluster, id, addresses),
            geometry,
            store,
            new DoubtedBlocks(),
            reads,
            new Deliveries(Optional.empty(), Optional.empty()),
            connections,
            settings);
  }

  DataAddress address() {
    return new DataAddress("127.0.0.1", port);
  }

  RingNode ringNode() {
    return new RingNode(id, "127.0.0.1", 1, port, 2, 0, "/rack", 2, 1);
  }

  boolean isUp() {
    return server != null;
  }

  /** Bytes held of a group; only while the node is up. */
  int held(FileKey file, int group) {
    return Math.toIntExact(store.group(file, group).length());
  }

  /** Carries a deletion out. */
  void remove(FileKey file, long deletion) throws VdfsException {
    store.delete(file);
    store.forceRemovals(deletion);
  }

  /** Ends the node as its daemon does when asked to. */
  void stop() throws VdfsException {
    server.close();
    reads.close();
    streams.close();
    store.close();
    server = null;
  }

  /** Ends the node as a SIGKILL does: its next life finds the files as they were at that moment. */
  void kill() throws IOException {
    lives++;
    Path next = home.resolve("life" + lives);
    copy(directory, next);
    stop();
    directory = next;
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> paths = Files.walk(from)) {
      for (Path path : paths.toList()) {
        Path target = to.resolve(from.relativize(path).toString());
        if (Files.isDirectory(path)) {
          Files.createDirectories(target);
        } else {
          Files.copy(path, target);
        }
      }
    }
  }

  /** Starts a stopped node again, at its old address. */
  void start() throws IOException {
    openHole();
    start(port);
  }

  /** Stops the node without a sign: connects hang instead of being refused. */
  void blackHole() throws IOException {
    stop();
    blackHole = new ServerSocket(port, 1, LOOPBACK);
    while (connects()) {
      // until the backlog is full, after which the kernel drops further connects
    }
  }

  private boolean connects() throws IOException {
    Socket socket = new Socket();
    try {
      socket.connect(new InetSocketAddress(LOOPBACK, port), 100);
      backlog.add(socket);
      return true;
    } catch (SocketTimeoutException e) {
      socket.close();
      return false;
    }
  }

  private void openHole() throws IOException {
    for (Socket socket : backlog) {
      socket.close();
    }
    backlog.clear();
    if (blackHole != null) {
      blackHole.close();
      blackHole = null;
    }
  }

  @Override
  public void close() throws IOException {
    openHole();
    if (isUp()) {
      stop();
    }
    connections.close();
  }
}
