package io.vdfs.client.io;

import com.google.protobuf.ByteString;
import io.vdfs.client.io.replica.FailedTries;
import io.vdfs.client.io.replica.GroupPlaces;
import io.vdfs.client.io.replica.NodeHealth;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.wire.WireIds;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * What all readers and writers of one cluster share in a client process. Thread-safe. The
 * connections belong to the caller, which closes them last.
 */
public final class ClientIo implements AutoCloseable {
  private final DataConnections connections;
  private final GroupPlaces placement;
  private final ClusterGeometry geometry;
  private final ByteString clusterId;
  private final IoSettings settings;
  private final LongSupplier nanoClock = System::nanoTime;
  private final AtomicLong nodeFailures = new AtomicLong();
  private final NodeHealth health;
  private final FailedTries tries;
  private final DamageTold damage;
  private final List<BlockDelivery> deliveries;
  private final BufferBudget budget;
  private final Counters<IoCounter> counters = new Counters<>(IoCounter.class);

  /**
   * @param deliveries makes the deliveries of this client, in the order in which they are tried
   */
  public ClientIo(
      DataConnections connections,
      GroupPlaces placement,
      ClusterGeometry geometry,
      UUID clusterId,
      IoSettings settings,
      Function<ClientIo, List<BlockDelivery>> deliveries) {
    this(connections, placement, geometry, clusterId, settings, deliveries, BufferBudget.JVM);
  }

  /**
   * @param budget of the memory for bytes on their way
   */
  ClientIo(
      DataConnections connections,
      GroupPlaces placement,
      ClusterGeometry geometry,
      UUID clusterId,
      IoSettings settings,
      Function<ClientIo, List<BlockDelivery>> deliveries,
      BufferBudget budget) {
    this.budget = budget;
    this.connections = connections;
    this.placement = placement;
    this.geometry = geometry;
    this.clusterId = WireIds.encode(clusterId);
    this.settings = settings;
    this.health = new NodeHealth(settings.badNodeMemory().toNanos(), nanoClock, nodeFailures);
    this.tries = new FailedTries(settings.badNodeMemory().toNanos(), nanoClock);
    this.damage = new DamageTold(connections, geometry, this.clusterId, counters);
    this.deliveries = List.copyOf(deliveries.apply(this));
  }

  public Counters<IoCounter> counters() {
    return counters;
  }

  public ClusterGeometry geometry() {
    return geometry;
  }

  public DataConnections connections() {
    return connections;
  }

  public GroupPlaces placement() {
    return placement;
  }

  public ByteString clusterId() {
    return clusterId;
  }

  public IoSettings settings() {
    return settings;
  }

  public NodeHealth health() {
    return health;
  }

  /** Tries of writers. */
  public FailedTries tries() {
    return tries;
  }

  /** Tells nodes what came damaged from them. */
  public DamageTold damage() {
    return damage;
  }

  /** In the order in which they are tried. */
  public List<BlockDelivery> deliveries() {
    return deliveries;
  }

  /** The delivery of that name; never AUTO. */
  public BlockDelivery delivery(Delivery name) {
    return deliveries.stream()
        .filter(delivery -> delivery.name() == name)
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no such delivery: name=" + name));
  }

  /** A memory for nodes that were of no use, as long as that for nodes that failed. */
  public NodeHealth doubts() {
    return new NodeHealth(settings.badNodeMemory().toNanos(), nanoClock, nodeFailures);
  }

  /**
   * How often a node failed or was of no use so far; the order of replicas that was found before it
   * changed may not hold any more.
   */
  public long nodeFailures() {
    return nodeFailures.get();
  }

  public BufferBudget budget() {
    return budget;
  }

  public long nanoTime() {
    return nanoClock.getAsLong();
  }

  /** Closes what its deliveries keep open. */
  @Override
  public void close() {
    deliveries.forEach(BlockDelivery::close);
  }
}
