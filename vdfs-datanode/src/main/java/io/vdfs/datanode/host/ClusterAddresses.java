package io.vdfs.datanode.host;

import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.cluster.record.LiveNode;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.ring.RingNode;
import io.vdfs.datanode.rpc.MetadataAddresses;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Where other nodes listen, as ZooKeeper and the metadata group show it now. Thread-safe, never
 * blocks.
 */
public final class ClusterAddresses implements MetadataAddresses {
  private final Supplier<ClusterSnapshot> cluster;

  /**
   * @param cluster as this node knows it now
   */
  public ClusterAddresses(Supplier<ClusterSnapshot> cluster) {
    this.cluster = cluster;
  }

  @Override
  public List<NodeId> members() {
    return cluster
        .get()
        .metadataGroup()
        .map(group -> group.members().stream().map(MetadataMember::id).toList())
        .orElse(List.of());
  }

  @Override
  public Optional<InetSocketAddress> controlAddress(NodeId node) {
    return node(node).map(found -> new InetSocketAddress(found.host(), found.controlPort()));
  }

  /** The data port of {@code node}; empty if the node was never seen. */
  public Optional<DataAddress> dataAddress(NodeId node) {
    return node(node).map(found -> new DataAddress(found.host(), found.dataPort()));
  }

  private Optional<RingNode> node(NodeId id) {
    ClusterSnapshot snapshot = cluster.get();
    return Optional.ofNullable(snapshot.liveNodes().get(id))
        .map(LiveNode::node)
        .or(() -> snapshot.ringMap().flatMap(map -> map.node(id)));
  }
}
