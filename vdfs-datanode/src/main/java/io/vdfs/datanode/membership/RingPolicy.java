package io.vdfs.datanode.membership;

import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.ring.RingPlanner;
import java.util.Collection;
import java.util.Optional;

/**
 * Decides the first ring map, which waits for the expected number of nodes and is dealt over all
 * that live. Pure.
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
        RingPlanner.plan(Optional.empty(), live, properties.replication(), arcs)
            .map()
            .placing(properties.placement()));
  }
}
