package io.vdfs.client.dataplane;

import io.vdfs.client.files.ContentAccess;
import io.vdfs.client.files.ContentReader;
import io.vdfs.client.files.ContentWriter;
import io.vdfs.client.io.ClientIo;
import io.vdfs.client.io.IoCounter;
import io.vdfs.client.io.IoSettings;
import io.vdfs.client.io.ReadTally;
import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.meta.ClientLeases;
import io.vdfs.client.meta.MetadataCalls;
import io.vdfs.client.meta.cluster.ClusterAccess;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.client.names.FileInfo;
import io.vdfs.client.place.LocalNode;
import io.vdfs.client.place.RingPlacement;
import io.vdfs.client.read.BlockChecksums;
import io.vdfs.client.read.BlockDeliveries;
import io.vdfs.client.read.FileReader;
import io.vdfs.client.read.PartChecksums;
import io.vdfs.client.read.ViewSource;
import io.vdfs.client.write.FileWriter;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.wire.proto.WriteTicketProto;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The bytes of files as the DataNodes hold them. Thread-safe: {@code io} and its connections are
 * made once, under this object's lock, at the first opening; no node is asked under it. A client
 * that only asks for names never needs the network of the data plane.
 */
public final class DataPlaneContent implements ContentAccess {
  private final MetadataCalls metadata;
  private final ClusterAccess cluster;
  private final ViewSource views;
  private final LocalNode local;
  private final Duration connectTimeout;
  private final IoSettings settings;
  private DataConnections connections; // guarded by this
  private volatile ClientIo io;

  /**
   * @param local finds the node on this machine, whose replicas are read first
   * @param connectTimeout of a connection to a data port
   */
  public DataPlaneContent(
      MetadataCalls metadata,
      ClusterAccess cluster,
      LocalNode local,
      Duration connectTimeout,
      IoSettings settings) {
    this.metadata = metadata;
    this.cluster = cluster;
    this.local = local;
    this.settings = settings;
    this.connectTimeout = connectTimeout;
    this.views = new MetadataViews(metadata, cluster);
  }

  @Override
  public ContentReader reader(FileInfo file) throws IOException {
    FileReader reader = new FileReader(io(), file.view(), views);
    if (file.isUnderConstruction()) {
      reader.refreshLength();
    }
    return new DataPlaneReader(reader, ReadTally.NONE);
  }

  @Override
  public ContentWriter writer(FileInfo file, WriteTicketProto ticket, ClientLeases lease)
      throws IOException {
    FileView view = file.view();
    MetadataCoordinator coordinator = new MetadataCoordinator(metadata, cluster, lease, ticket);
    FileWriter writer =
        view.length() == 0
            ? FileWriter.create(io(), view, coordinator)
            : FileWriter.append(io(), view, coordinator);
    return new DataPlaneWriter(writer);
  }

  @Override
  public int checksum(FileInfo file) throws IOException {
    return new BlockChecksums(io()).ofFile(file.view());
  }

  @Override
  public Optional<byte[]> partChecksums(FileInfo file, long start, long length, int partBytes)
      throws IOException {
    ClientIo data = io();
    return data.geometry().chunkSize() % partBytes == 0
        ? Optional.of(new PartChecksums(data).of(file.view(), start, length, partBytes))
        : Optional.empty();
  }

  private ClientIo io() throws IOException {
    // asked at each opening, so that the ring map stays young
    return io(cluster.current().properties());
  }

  private synchronized ClientIo io(ClusterProperties properties) {
    if (io == null) {
      connections = new DataConnections(connectTimeout, new Counters<>(NetCounter.class));
      io =
          new ClientIo(
              connections,
              placement(),
              properties.geometry(),
              properties.clusterId(),
              settings,
              BlockDeliveries::of);
    }
    return io;
  }

  private RingPlacement placement() {
    return new RingPlacement(
        () -> known().ring(),
        node -> known().live().contains(node),
        host -> local.isHere(known(), host));
  }

  private ClusterDescription known() {
    return cluster
        .known()
        .orElseThrow(
            () -> new IllegalStateException("placement asked before the cluster is known"));
  }

  @Override
  public Map<String, Long> counters() {
    ClientIo made = io;
    Map<String, Long> values = new TreeMap<>();
    for (IoCounter counter : IoCounter.values()) {
      values.put(
          counter.name().toLowerCase(Locale.ROOT), made == null ? 0 : made.counters().get(counter));
    }
    return values;
  }

  @Override
  public synchronized void close() {
    if (io != null) {
      io.close();
      connections.close();
    }
  }
}
