package io.vdfs.datanode.membership;

import io.vdfs.common.cluster.ClusterProperties;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.ring.RingPlanner;
import java.util.Collection;
import java.util.Optional;

/**
 * Decides which ring map follows the one in force. Pure. In order:
 *
 * <ol>
 *   <li>The first map waits for the expected number of nodes and is dealt over all that live.
 *   <li>A known node that publishes another address is followed at once; arcs stay as they are.
 *   <li>Nodes that come or go do not change the arcs: a missing node stays listed, others serve.
 * </ol>
 */
final class RingPolicy {
  private final ClusterProperties properties;

  RingPolicy(ClusterProperties properties) {
    this.properties = properties;
  }

  /** The first map of a cluster; empty if too few nodes live. */
  Optional<RingMap> first(Collection<RingNode> live) {
    if (live.size() < properties.expectedNodes()) {
      return Optional.empty();
    }
    int arcs = properties.geometry().arcs();
    return Optional.of(
        RingPlanner.plan(Optional.empty(), live, properties.replication(), arcs).map());
  }

  /** Empty if the map in force stays. */
  Optional<RingMap> successor(RingMap current, Collection<RingNode> live) {
    return Optional.of(current.withAddresses(live)).filter(map -> map.epoch() > current.epoch());
  }
}
