package io.vdfs.datanode.membership;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vdfs.common.cluster.ClusterProperties;
import io.vdfs.common.cluster.ClusterSnapshot;
import io.vdfs.common.cluster.MetadataGroup;
import io.vdfs.common.cluster.MetadataMember;
import io.vdfs.common.ring.NodeOrder;
import io.vdfs.common.ring.RingNode;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Decides with which members the metadata group begins: the first live nodes in ring order, as soon
 * as there are enough, so that they lie in different racks where possible. The group's id follows
 * from the cluster's. Pure.
 *
 * <p>The group is founded before the first ring map is published, and never afterwards: where there
 * is a ring map, a missing record of the group is damage, and a second group would be another,
 * empty namespace.
 */
final class MetadataGroupBootstrap {
  private final ClusterProperties properties;

  MetadataGroupBootstrap(ClusterProperties properties) {
    this.properties = properties;
  }

  /** The group to found; empty if it is founded, too few nodes live, or it is too late. */
  Optional<MetadataGroup> foundation(ClusterSnapshot snapshot) {
    List<RingNode> live = snapshot.liveRingNodes();
    if (snapshot.metadataGroup().isPresent()
        || snapshot.ringMap().isPresent()
        || live.size() < properties.metadataMembers()) {
      return Optional.empty();
    }
    List<MetadataMember> members =
        NodeOrder.of(live).nodes().stream()
            .limit(properties.metadataMembers())
            .map(MetadataMember::of)
            .toList();
    return Optional.of(new MetadataGroup(groupId(), members));
  }

  private UUID groupId() {
    return UUID.nameUUIDFromBytes(("metadata of " + properties.clusterId()).getBytes(UTF_8));
  }
}
