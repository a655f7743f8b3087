package io.vdfs.datanode.membership;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vdfs.common.cluster.ClusterRestore;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.cluster.record.MetadataGroup;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.ring.RingNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Decides with what a cluster begins: as soon as the expected nodes live, a ring over all of them
 * and a metadata group, whose members {@link MemberSpread} chooses and whose id follows from the
 * cluster's. Pure.
 *
 * <p>A cluster begins once. Where anything says that it has begun, whether the group, the ring map,
 * the cluster's own record or what a node remembers, any missing part is damage: a second group
 * would be another, empty namespace, and a second deal would look for all files in the wrong
 * places.
 */
final class FoundationPolicy {
  private final ClusterProperties properties;
  private final RingPolicy ringPolicy;

  FoundationPolicy(ClusterProperties properties) {
    this.properties = properties;
    this.ringPolicy = new RingPolicy(properties);
  }

  /** The foundation to begin with; empty if the cluster has begun or too few nodes live. */
  Optional<Foundation> foundation(ClusterSnapshot snapshot) {
    if (hasBegun(snapshot)) {
      return Optional.empty();
    }
    List<RingNode> live = snapshot.liveRingNodes();
    return ringPolicy.first(live).map(ring -> new Foundation(group(live), ring));
  }

  /**
   * The missing parts of a cluster that has begun, and what to do about them; empty if nothing is
   * missing.
   */
  Optional<String> damage(ClusterSnapshot snapshot) {
    List<String> missing = new ArrayList<>();
    if (snapshot.ringMap().isEmpty()) {
      missing.add("ring map");
    }
    if (snapshot.metadataGroup().isEmpty()) {
      missing.add("metadata group");
    }
    return !hasBegun(snapshot) || missing.isEmpty()
        ? Optional.empty()
        : Optional.of(
            ("ZooKeeper lost records of the cluster, which is not founded anew: missing=%s,"
                    + " id=%s; %s")
                .formatted(missing, properties.clusterId(), ClusterRestore.CURE));
  }

  private static boolean hasBegun(ClusterSnapshot snapshot) {
    return snapshot.founded()
        || snapshot.ringMap().isPresent()
        || snapshot.metadataGroup().isPresent()
        || snapshot.liveNodes().values().stream().anyMatch(node -> node.knowsFoundation());
  }

  private MetadataGroup group(List<RingNode> live) {
    List<MetadataMember> members =
        MemberSpread.choose(live, properties.membersFor(live.size())).stream()
            .map(MetadataMember::of)
            .toList();
    return new MetadataGroup(groupId(), members);
  }

  private UUID groupId() {
    return UUID.nameUUIDFromBytes(("metadata of " + properties.clusterId()).getBytes(UTF_8));
  }
}
