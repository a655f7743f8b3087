package io.vdfs.common.cluster;

import io.vdfs.common.model.NodeId;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/**
 * The Raft group that hosts the metadata and the members it began with; later members are known to
 * the group itself. Immutable.
 */
public record MetadataGroup(UUID groupId, List<MetadataMember> members) {
  /**
   * @throws IllegalArgumentException if there are no members or one is listed twice
   */
  public MetadataGroup {
    Objects.requireNonNull(groupId, "groupId");
    members = List.copyOf(members);
    if (members.isEmpty()) {
      throw new IllegalArgumentException("a metadata group needs members: group=" + groupId);
    }
    if (members.stream().map(MetadataMember::id).distinct().count() != members.size()) {
      throw new IllegalArgumentException(
          "a node is listed twice in a metadata group: members=" + members);
    }
  }

  /** Whether the node founded the group: it starts a member, any other node waits to be added. */
  public boolean isInitialMember(NodeId node) {
    return members.stream().anyMatch(member -> member.id().equals(node));
  }
}
