package io.vdfs.datanode.host;

import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.cluster.record.LiveNode;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Decides which changes of the metadata members are safe. Pure. */
final class MemberChangeRules {
  private MemberChangeRules() {}

  /**
   * The members after a change.
   *
   * @param members now
   * @param cluster says which nodes live, and which of them clients can find
   * @throws VdfsException NOT_FOUND where the removed one is no member; ALREADY_EXISTS where the
   *     added one is; UNAVAILABLE where the added one does not live; INVALID_ARGUMENT where clients
   *     could not find it or too few of the members after the change live
   */
  static List<MetadataMember> membersAfter(
      List<MetadataMember> members,
      ClusterSnapshot cluster,
      Optional<NodeId> removed,
      Optional<NodeId> added)
      throws VdfsException {
    List<MetadataMember> after = new ArrayList<>(members);
    if (removed.isPresent() && !after.removeIf(member -> member.id().equals(removed.get()))) {
      throw new VdfsException(
          ErrorCode.NOT_FOUND,
          "not a metadata member: node=%s, members=%s".formatted(removed.get(), members));
    }
    if (added.isPresent()) {
      if (members.stream().anyMatch(member -> member.id().equals(added.get()))) {
        throw new VdfsException(
            ErrorCode.ALREADY_EXISTS,
            "a metadata member already: node=%s, members=%s".formatted(added.get(), members));
      }
      after.add(MetadataMember.of(joining(cluster, added.get())));
    }
    requireLivingMajority(cluster, after);
    return after;
  }

  /** Clients find nodes by the ring map, so a leader must be listed there. */
  static RingNode joining(ClusterSnapshot cluster, NodeId node) throws VdfsException {
    LiveNode live = cluster.liveNodes().get(node);
    if (live == null) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE,
          "the new metadata member does not live: node=%s, live=%s; start its DataNode"
              .formatted(node, cluster.liveRingNodes().stream().map(RingNode::host).toList()));
    }
    if (cluster.ringMap().flatMap(map -> map.node(node)).isEmpty()) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "clients could not find the new metadata member, as it is not in the ring map: node=%s,"
                  .formatted(node)
              + " host=%s; choose another one".formatted(live.node().host()));
    }
    return live.node();
  }

  private static void requireLivingMajority(ClusterSnapshot cluster, List<MetadataMember> members)
      throws VdfsException {
    long living =
        members.stream().filter(member -> cluster.liveNodes().containsKey(member.id())).count();
    if (living <= members.size() / 2) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "the metadata would have no majority that lives: members=%s, living=%d; replace the dead"
                  .formatted(members, living)
              + " members first");
    }
  }
}
