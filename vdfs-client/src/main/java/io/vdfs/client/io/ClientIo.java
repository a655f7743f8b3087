package io.vdfs.client.io;

import com.google.protobuf.ByteString;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.wire.WireIds;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What all readers and writers of one cluster share in a client process. Thread-safe. The
 * connections belong to the caller, who closes them last.
 */
public final class ClientIo implements AutoCloseable {
  private static final Duration IDLE_FILE = Duration.ofSeconds(5);

  private final DataConnections connections;
  private final Placement placement;
  private final ClusterGeometry geometry;
  private final ByteString clusterId;
  private final IoSettings settings;
  private final LongSupplier nanoClock = System::nanoTime;
  private final NodeHealth health;
  private final FailedTries tries;
  private final NodeHealth localDoubts;
  private final NodeHealth segmentDoubts;
  private final LocalFiles localFiles;
  private final Map<NodeId, LocalReads> localReads = new ConcurrentHashMap<>();
  private final long localReadsWindow;
  private final BufferBudget budget;
  private final AttachedSegments segments = new AttachedSegments();
  private final Counters<IoCounter> counters = new Counters<>(IoCounter.class);

  public ClientIo(
      DataConnections connections,
      Placement placement,
      ClusterGeometry geometry,
      UUID clusterId,
      IoSettings settings) {
    this(connections, placement, geometry, clusterId, settings, BufferBudget.JVM);
  }

  /**
   * @param budget of the memory for bytes on their way
   */
  ClientIo(
      DataConnections connections,
      Placement placement,
      ClusterGeometry geometry,
      UUID clusterId,
      IoSettings settings,
      BufferBudget budget) {
    this(
        connections,
        placement,
        geometry,
        clusterId,
        settings,
        ThreadDiskReads::new,
        LocalReads.WINDOW,
        budget);
  }

  ClientIo(
      DataConnections connections,
      Placement placement,
      ClusterGeometry geometry,
      UUID clusterId,
      IoSettings settings,
      Supplier<DiskReads> diskReads,
      long localReadsWindow) {
    this(
        connections,
        placement,
        geometry,
        clusterId,
        settings,
        diskReads,
        localReadsWindow,
        BufferBudget.JVM);
  }

  /**
   * @param diskReads gives each open block file one of its own
   * @param localReadsWindow bytes read from a node's files over which it is judged
   */
  private ClientIo(
      DataConnections connections,
      Placement placement,
      ClusterGeometry geometry,
      UUID clusterId,
      IoSettings settings,
      Supplier<DiskReads> diskReads,
      long localReadsWindow,
      BufferBudget budget) {
    this.budget = budget;
    this.connections = connections;
    this.placement = placement;
    this.geometry = geometry;
    this.clusterId = WireIds.encode(clusterId);
    this.settings = settings;
    this.localReadsWindow = localReadsWindow;
    this.health = new NodeHealth(settings.badNodeMemory().toNanos(), nanoClock);
    this.tries = new FailedTries(settings.badNodeMemory().toNanos(), nanoClock);
    this.localDoubts = new NodeHealth(settings.badNodeMemory().toNanos(), nanoClock);
    this.segmentDoubts = new NodeHealth(settings.badNodeMemory().toNanos(), nanoClock);
    this.localFiles =
        new LocalFiles(
            IDLE_FILE.toNanos(),
            nanoClock,
            CompletableFuture.delayedExecutor(IDLE_FILE.toMillis(), TimeUnit.MILLISECONDS),
            counters,
            diskReads);
  }

  public Counters<IoCounter> counters() {
    return counters;
  }

  public ClusterGeometry geometry() {
    return geometry;
  }

  DataConnections connections() {
    return connections;
  }

  Placement placement() {
    return placement;
  }

  ByteString clusterId() {
    return clusterId;
  }

  IoSettings settings() {
    return settings;
  }

  NodeHealth health() {
    return health;
  }

  /** Tries of writers. */
  FailedTries tries() {
    return tries;
  }

  /** Nodes on this machine that let nobody read their files of late. */
  NodeHealth localDoubts() {
    return localDoubts;
  }

  /** Nodes on this machine whose shared memory was of no use of late. */
  NodeHealth segmentDoubts() {
    return segmentDoubts;
  }

  LocalFiles localFiles() {
    return localFiles;
  }

  /** What was read from the files of a node on this machine. */
  LocalReads localReads(NodeId node) {
    return localReads.computeIfAbsent(
        node, unknown -> new LocalReads(localReadsWindow, settings.localFetchPercent()));
  }

  BufferBudget budget() {
    return budget;
  }

  AttachedSegments segments() {
    return segments;
  }

  long nanoTime() {
    return nanoClock.getAsLong();
  }

  /** Closes the block files that are open but not in use. */
  @Override
  public void close() {
    localFiles.close();
  }
}
