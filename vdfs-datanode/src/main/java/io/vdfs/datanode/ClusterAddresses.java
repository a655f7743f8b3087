package io.vdfs.datanode;

import io.vdfs.common.cluster.ClusterDirectory;
import io.vdfs.common.cluster.ClusterSnapshot;
import io.vdfs.common.cluster.LiveNode;
import io.vdfs.common.cluster.MetadataMember;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.ring.RingNode;
import io.vdfs.datanode.rpc.MetadataAddresses;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/** Where other nodes listen, as ZooKeeper shows it now. Thread-safe, never blocks. */
final class ClusterAddresses implements MetadataAddresses {
  private final ClusterDirectory directory;

  ClusterAddresses(ClusterDirectory directory) {
    this.directory = directory;
  }

  @Override
  public List<NodeId> members() {
    return directory
        .metadataGroup()
        .map(group -> group.members().stream().map(MetadataMember::id).toList())
        .orElse(List.of());
  }

  @Override
  public Optional<InetSocketAddress> controlAddress(NodeId node) {
    return node(node).map(found -> new InetSocketAddress(found.host(), found.controlPort()));
  }

  /** The data port of {@code node}; empty if the node was never seen. */
  Optional<DataAddress> dataAddress(NodeId node) {
    return node(node).map(found -> new DataAddress(found.host(), found.dataPort()));
  }

  private Optional<RingNode> node(NodeId id) {
    ClusterSnapshot snapshot = directory.snapshot();
    return Optional.ofNullable(snapshot.liveNodes().get(id))
        .map(LiveNode::node)
        .or(() -> snapshot.ringMap().flatMap(map -> map.node(id)));
  }
}
