package io.vdfs.common.cluster.record;

import io.vdfs.common.model.NodeId;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/**
 * The Raft group that hosts the metadata, as ZooKeeper shows it to processes outside of it. The
 * truth about the members is the group's own configuration; its leader publishes each change here.
 * Immutable.
 *
 * @param version 0 as the group was founded; else one more than the index of the log entry that
 *     made these nodes the members
 * @param formerGroups ids that the group gave up when a majority of it was lost; a node that still
 *     has a log of one of them is no member
 */
public record MetadataGroup(
    UUID groupId, List<MetadataMember> members, long version, List<UUID> formerGroups) {
  /**
   * @throws IllegalArgumentException if there are no members, one is listed twice or the version is
   *     negative
   */
  public MetadataGroup {
    Objects.requireNonNull(groupId, "groupId");
    members = List.copyOf(members);
    formerGroups = List.copyOf(formerGroups);
    if (members.isEmpty()) {
      throw new IllegalArgumentException("a metadata group needs members: group=" + groupId);
    }
    if (members.stream().map(MetadataMember::id).distinct().count() != members.size()) {
      throw new IllegalArgumentException(
          "a node is listed twice in a metadata group: members=" + members);
    }
    if (version < 0) {
      throw new IllegalArgumentException("a version is not negative: version=" + version);
    }
  }

  /** A group as it is founded. */
  public MetadataGroup(UUID groupId, List<MetadataMember> members) {
    this(groupId, members, 0, List.of());
  }

  /** The same group after a change of its members. */
  public MetadataGroup withMembers(List<MetadataMember> changed, long changedVersion) {
    return new MetadataGroup(groupId, changed, changedVersion, formerGroups);
  }

  /** Whether this is a later state of the same group, or of one that took its place. */
  public boolean isNewerThan(MetadataGroup other) {
    return groupId.equals(other.groupId)
        ? version > other.version
        : formerGroups.contains(other.groupId);
  }

  public boolean hasMember(NodeId node) {
    return members.stream().anyMatch(member -> member.id().equals(node));
  }
}
