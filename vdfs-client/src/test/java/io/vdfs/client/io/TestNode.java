package io.vdfs.client.io;

import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.ring.RingNode;
import io.vdfs.datanode.transfer.DataPeers;
import io.vdfs.datanode.transfer.StoreFaults;
import io.vdfs.datanode.transfer.TestPeers;
import io.vdfs.datanode.transfer.TransferSettings;
import io.vdfs.datanode.transfer.server.TransferServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/** A data port with a store that fails to order, behind a proxy that can break it. */
public final class TestNode implements AutoCloseable {
  public final NodeId id = NodeId.random();
  public final StoreFaults store;
  public final DataConnections connections;
  public final TransferServer server;
  public final FaultProxy proxy;

  public TestNode(
      StoreKind kind,
      UUID cluster,
      ClusterGeometry geometry,
      TransferSettings settings,
      Function<NodeId, Optional<DataAddress>> addresses)
      throws IOException {
    store = kind.open(cluster, id, geometry);
    connections = new DataConnections(Duration.ofMillis(800), new Counters<>(NetCounter.class));
    server = start(TestPeers.of(cluster, id, addresses), geometry, settings);
    proxy = new FaultProxy(server.port());
  }

  private TransferServer start(DataPeers peers, ClusterGeometry geometry, TransferSettings settings)
      throws VdfsException {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return TransferServer.start(
        any, peers, geometry, store.store(), store.reads(), connections, settings);
  }

  /** Takes no connections any more. */
  public void refuse() {
    proxy.refuse();
  }

  public ReplicaNode replica() {
    return new ReplicaNode(id, new DataAddress("127.0.0.1", proxy.port()), true, false);
  }

  public RingNode ringNode() {
    return new RingNode(id, "127.0.0.1", 1, proxy.port(), 2, 0, "/rack", 2, 1);
  }

  @Override
  public void close() throws IOException {
    proxy.close();
    store.goOn();
    server.close();
    connections.close();
    store.close();
  }
}
