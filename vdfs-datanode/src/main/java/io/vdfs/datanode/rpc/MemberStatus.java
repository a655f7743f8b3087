package io.vdfs.datanode.rpc;

import com.google.protobuf.ByteString;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.MetadataMemberProto;
import io.vdfs.common.wire.proto.MetadataStatusResponse;
import io.vdfs.datanode.meta.group.GroupConfiguration;
import io.vdfs.datanode.meta.group.GroupStatus;
import io.vdfs.datanode.meta.group.LogDoubt;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the answers of {@link MemberHandlers} about a member. Stateless. */
public final class MemberStatus {
  private MemberStatus() {}

  /**
   * @return empty where the node hosts no member, or its answer makes no sense
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
              leader(response.getLeader()),
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
    } catch (IllegalArgumentException | VdfsException e) {
      return Optional.empty();
    }
  }

  private static Optional<NodeId> leader(ByteString id) throws VdfsException {
    return id.isEmpty() ? Optional.empty() : Optional.of(WireIds.nodeId(id));
  }

  private static List<MetadataMember> members(List<MetadataMemberProto> protos)
      throws VdfsException {
    List<MetadataMember> members = new ArrayList<>();
    for (MetadataMemberProto proto : protos) {
      members.add(
          new MetadataMember(WireIds.nodeId(proto.getId()), proto.getHost(), proto.getRaftPort()));
    }
    return members;
  }
}
