package io.vdfs.client;

import io.vdfs.client.io.Placement;
import io.vdfs.client.io.ReplicaNode;
import io.vdfs.client.meta.ClusterAccess;
import io.vdfs.client.meta.ClusterSnapshot;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.ring.RingNode;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Where groups lie by the newest ring map the client has. Thread-safe; never blocks. */
final class RingPlacement implements Placement {
  private final ClusterAccess cluster;
  private final Set<String> localHosts;

  /**
   * @param cluster known already
   * @param localHosts names and addresses of this machine
   */
  RingPlacement(ClusterAccess cluster, Set<String> localHosts) {
    this.cluster = cluster;
    this.localHosts = localHosts;
  }

  @Override
  public List<ReplicaNode> replicas(FileKey file, int group) {
    ClusterSnapshot snapshot = known();
    return snapshot.ring().replicas(file, group).serving().stream()
        .map(snapshot.ring()::node)
        .flatMap(Optional::stream)
        .map(node -> replica(snapshot, node))
        .toList();
  }

  private ReplicaNode replica(ClusterSnapshot snapshot, RingNode node) {
    return new ReplicaNode(
        node.id(),
        new DataAddress(node.host(), node.dataPort()),
        snapshot.live().contains(node.id()),
        localHosts.contains(node.host()));
  }

  @Override
  public int nodeCount() {
    return known().ring().members().size();
  }

  @Override
  public long ringEpoch() {
    return known().ring().epoch();
  }

  private ClusterSnapshot known() {
    return cluster
        .known()
        .orElseThrow(
            () -> new IllegalStateException("placement asked before the cluster is known"));
  }
}
