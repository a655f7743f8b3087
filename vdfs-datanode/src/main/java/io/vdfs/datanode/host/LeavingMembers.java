package io.vdfs.datanode.host;

import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.model.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Decides how the next node that leaves the cluster gives up its seat in the metadata group: to a
 * node that stays, or, where none can step in, to no node, as long as there are more than three
 * members. Stateless.
 */
final class LeavingMembers {
  private LeavingMembers() {}

  /** A seat that is given up. */
  record Move(NodeId leaving, Optional<NodeId> successor) {}

  /**
   * @param next knows which nodes to pass over
   */
  static Optional<Move> next(
      List<MetadataMember> members, Set<NodeId> leaving, ClusterSnapshot cluster, NextMember next) {
    Optional<NodeId> member =
        members.stream().map(MetadataMember::id).filter(leaving::contains).findFirst();
    if (member.isEmpty()) {
      return Optional.empty();
    }
    Optional<NodeId> successor = next.choose(members, cluster);
    return successor.isPresent() || members.size() > ClusterProperties.LEAST_MEMBERS
        ? Optional.of(new Move(member.get(), successor))
        : Optional.empty();
  }
}
