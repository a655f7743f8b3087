package io.vdfs.client.place;

import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Finds the DataNode on this machine: the one whose host is the NodeManager's, as YARN tells its
 * containers, else one of this machine's own names. Immutable.
 */
public final class LocalNode {
  private final Optional<String> nodeManagerHost;
  private final Supplier<Set<String>> hostNames;

  /**
   * @param nodeManagerHost value of {@code NM_HOST}; empty outside of containers
   * @param hostNames names and addresses of this machine; asked for when needed
   */
  public LocalNode(Optional<String> nodeManagerHost, Supplier<Set<String>> hostNames) {
    this.nodeManagerHost = nodeManagerHost;
    this.hostNames = hostNames;
  }

  /** The live node on this machine; where there are several, the first by id. */
  public Optional<NodeId> find(ClusterDescription cluster) {
    Optional<NodeId> named = nodeManagerHost.flatMap(host -> find(cluster, Set.of(host)));
    return named.isPresent() ? named : find(cluster, hostNames.get());
  }

  /**
   * Whether a host is this machine, as {@link #find} sees it: if YARN named a host that has a node,
   * only that host is, so that several nodes on one machine can stand for several machines.
   */
  public boolean isHere(ClusterDescription cluster, String host) {
    Optional<String> named =
        nodeManagerHost.filter(
            name -> cluster.ring().nodes().values().stream().anyMatch(n -> n.host().equals(name)));
    return named.map(host::equals).orElseGet(() -> hostNames.get().contains(host));
  }

  private static Optional<NodeId> find(ClusterDescription cluster, Set<String> hosts) {
    return cluster.ring().nodes().values().stream()
        .filter(node -> hosts.contains(node.host()))
        .map(RingNode::id)
        .filter(cluster.live()::contains)
        .sorted()
        .findFirst();
  }
}
