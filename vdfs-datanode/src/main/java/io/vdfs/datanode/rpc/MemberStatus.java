package io.vdfs.datanode.rpc;

import io.vdfs.common.cluster.MetadataMember;
import io.vdfs.common.rpc.NodeIds;
import io.vdfs.common.wire.proto.MetadataMemberProto;
import io.vdfs.common.wire.proto.MetadataStatusResponse;
import io.vdfs.datanode.meta.raft.GroupConfiguration;
import io.vdfs.datanode.meta.raft.GroupStatus;
import io.vdfs.datanode.meta.raft.LogDoubt;
import java.util.List;
import java.util.Optional;

/** Reads what {@link MemberHandlers} answers of a member. Stateless. */
public final class MemberStatus {
  private MemberStatus() {}

  /**
   * @return empty where the node hosts no member, or answered what makes no sense
   */
  public static Optional<GroupStatus> decode(MetadataStatusResponse response) {
    if (!response.getMember()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new GroupStatus(
              GroupStatus.Role.valueOf(response.getRole()),
              response.getTerm(),
              Optional.of(response.getLeader()).filter(id -> !id.isEmpty()).map(NodeIds::parse),
              new GroupConfiguration(
                  response.getConfigurationIndex(),
                  members(response.getMembersList()),
                  members(response.getLeavingList())),
              response.getLastTerm(),
              response.getLastIndex(),
              response.getCommittedIndex(),
              response.getAppliedIndex(),
              Optional.of(response.getDoubt())
                  .filter(doubt -> !doubt.isEmpty())
                  .map(LogDoubt::valueOf)));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static List<MetadataMember> members(List<MetadataMemberProto> members) {
    return members.stream()
        .map(
            member ->
                new MetadataMember(
                    NodeIds.parse(member.getId()), member.getHost(), member.getRaftPort()))
        .toList();
  }
}
