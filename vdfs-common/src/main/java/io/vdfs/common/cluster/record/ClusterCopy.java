package io.vdfs.common.cluster.record;

import io.vdfs.common.ring.RingMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The records that a founded cluster cannot do without, as one node saw them last: enough to give
 * them back to a ZooKeeper that lost them. Immutable.
 */
public record ClusterCopy(ClusterProperties properties, RingMap ring, MetadataGroup group) {
  public ClusterCopy {
    Objects.requireNonNull(properties, "properties");
    Objects.requireNonNull(ring, "ring");
    Objects.requireNonNull(group, "group");
  }

  /** Empty until the cluster is founded. */
  public static Optional<ClusterCopy> of(ClusterProperties properties, ClusterSnapshot snapshot) {
    return snapshot
        .ringMap()
        .flatMap(
            ring ->
                snapshot.metadataGroup().map(group -> new ClusterCopy(properties, ring, group)));
  }

  /** The snapshot of a cluster of which only this copy is known. */
  public ClusterSnapshot snapshot() {
    return new ClusterSnapshot(Optional.of(ring), Map.of(), Optional.of(group), true);
  }

  /** This copy with the newer parts of another one of the same cluster. */
  public ClusterCopy newest(ClusterCopy other) {
    return new ClusterCopy(
        properties,
        other.ring.epoch() > ring.epoch() ? other.ring : ring,
        other.group.isNewerThan(group) ? other.group : group);
  }
}
