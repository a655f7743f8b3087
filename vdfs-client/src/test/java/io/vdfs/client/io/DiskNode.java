package io.vdfs.client.io;

import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.segment.SegmentLayout;
import io.vdfs.datanode.local.LocalDelivery;
import io.vdfs.datanode.segment.SegmentDelivery;
import io.vdfs.datanode.segment.SegmentSettings;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.DoubtedBlocks;
import io.vdfs.datanode.store.HeapIndexedStores;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.stream.BlockWarmer;
import io.vdfs.datanode.stream.OrderedReads;
import io.vdfs.datanode.stream.StreamManager;
import io.vdfs.datanode.stream.StreamSettings;
import io.vdfs.datanode.transfer.DataPeers;
import io.vdfs.datanode.transfer.TestPeers;
import io.vdfs.datanode.transfer.TransferCounter;
import io.vdfs.datanode.transfer.TransferSettings;
import io.vdfs.datanode.transfer.server.Deliveries;
import io.vdfs.datanode.transfer.server.TransferServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

/** A data port over a store on a real directory, with local delivery. */
public final class DiskNode implements AutoCloseable {
  /** Fewer bytes than a block has, so that ranges need several slots. */
  public static final SegmentLayout SEGMENT = new SegmentLayout(16, 1536);

  /** For three segments. */
  public static final long SEGMENT_MEMORY = 3 * SEGMENT.bytes();

  public final NodeId id = NodeId.random();
  public final Path directory;
  public final BlockStore store;
  public final StreamManager streams;
  public final LocalDelivery delivery;
  public final Optional<SegmentDelivery> segment;
  public TransferServer server;
  public final DataConnections connections =
      new DataConnections(Duration.ofMillis(800), new Counters<>(NetCounter.class));

  /** Called before each grant is answered. */
  public volatile Runnable beforeGrant = () -> {};

  /** How long after the bytes are in memory a grant is given, as if the disk had brought them. */
  public volatile Duration grantDelay = Duration.ZERO;

  /** Whether the page cache seems to hold nothing. */
  public volatile boolean cold;

  private final ClusterGeometry geometry;
  private final DataPeers peers;
  private final OrderedReads reads;
  private final Deliveries deliveries;
  private boolean local = true;

  /**
   * @param granting whether any client may read block files
   * @param sharing whether there is shared memory
   */
  public DiskNode(
      Path directory,
      UUID cluster,
      ClusterGeometry geometry,
      boolean granting,
      boolean sharing,
      Function<NodeId, Optional<DataAddress>> addresses)
      throws VdfsException {
    this.directory = directory;
    this.geometry = geometry;
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
    store = forgetful(HeapIndexedStores.open(config));
    streams = StreamManager.start(store, 1, StreamSettings.DEFAULT);
    reads = new OrderedReads(store, streams, geometry.chunkSize());
    delivery = LocalDelivery.open(store, geometry, List.of(directory), warmer());
    closeToGroups(directory);
    segment =
        sharing
            ? SegmentDelivery.open(
                new SegmentSettings(directory, Optional.empty(), SEGMENT_MEMORY, SEGMENT), id)
            : Optional.empty();
    peers = TestPeers.of(cluster, id, addresses);
    deliveries = new Deliveries(granting ? Optional.of(delivery) : Optional.empty(), segment);
    server = serve();
  }

  private BlockWarmer warmer() {
    BlockWarmer warmer = reads.forOthers();
    return new BlockWarmer() {
      @Override
      public CompletableFuture<Void> warm(FileKey file, long block, int offset, int length) {
        beforeGrant.run();
        CompletableFuture<Void> warm = warmer.warm(file, block, offset, length);
        return grantDelay.isZero()
            ? warm
            : warm.thenRunAsync(
                () -> {},
                CompletableFuture.delayedExecutor(grantDelay.toMillis(), TimeUnit.MILLISECONDS));
      }

      @Override
      public boolean takeFromMemory(FileKey file, long block, int offset, int length) {
        return warmer.takeFromMemory(file, block, offset, length);
      }
    };
  }

  private TransferServer serve() throws VdfsException {
    return TransferServer.start(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        peers,
        geometry,
        store,
        new DoubtedBlocks(),
        reads,
        deliveries,
        connections,
        TransferSettings.DEFAULT);
  }

  /** Opens another data port; the one before is closed. */
  public void serveAgain() throws VdfsException {
    server = serve();
  }

  /** A segment is not made where a group may rename it, which the process's umask may allow. */
  private static void closeToGroups(Path directory) {
    try {
      Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private BlockStore forgetful(BlockStore real) {
    return (BlockStore)
        Proxy.newProxyInstance(
            BlockStore.class.getClassLoader(),
            new Class<?>[] {BlockStore.class},
            (proxy, method, arguments) -> {
              if (cold && method.getName().equals("isCached")) {
                return false;
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** How often a block here was reported as damaged. */
  long doubts() {
    return server.counters().get(TransferCounter.DOUBTS_TAKEN);
  }

  /** Whether the node has the head of a block for readers who would have to go to the disk. */
  boolean keepsHead(FileKey file, long block) {
    return reads.keptBytes(file, block, 0, 1).isPresent();
  }

  /** What clients think of where the node runs. */
  public void setLocal(boolean isLocal) {
    local = isLocal;
  }

  public ReplicaNode replica() {
    return new ReplicaNode(id, new DataAddress("127.0.0.1", server.port()), true, local);
  }

  /** The names that local readers have now. */
  public List<Path> links() throws IOException {
    try (Stream<Path> links = Files.list(directory.resolve("local"))) {
      return links.toList();
    }
  }

  /** The segments of shared memory that there are now. */
  public List<Path> segments() throws IOException {
    Path shared = directory.resolve("vdfs-segment-" + id);
    if (!Files.exists(shared)) {
      return List.of();
    }
    try (Stream<Path> segments = Files.list(shared)) {
      return segments.toList();
    }
  }

  /** The combined files of the node. */
  public List<Path> blockFiles() throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve("blocks"))) {
      return files.filter(file -> file.toString().endsWith(".vcf")).toList();
    }
  }

  public void delete(FileKey file) throws VdfsException {
    store.delete(file);
    delivery.onDeleted(file);
  }

  @Override
  public void close() throws VdfsException {
    server.close();
    delivery.close();
    segment.ifPresent(SegmentDelivery::close);
    connections.close();
    reads.close();
    streams.close();
    store.close();
  }
}
