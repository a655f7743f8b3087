package io.vdfs.datanode.meta.service.ring;

import com.google.protobuf.ByteString;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.GiveUpVolumesOp;
import io.vdfs.common.wire.proto.KnownVolumeProto;
import io.vdfs.common.wire.proto.MarkNodesOp;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.VolumeStateProto;
import io.vdfs.datanode.meta.ring.Presence;
import io.vdfs.datanode.meta.service.ring.RingKeeper.Recorded;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Refuses decisions of operators about nodes that do not suit the nodes alive: no node leaves a
 * cluster that misses another one, or whose metadata would then have too few members, no node that
 * is alive is gone, no volume that such a node serves is given up, and no node gets another weight
 * while others are missing. Unknown nodes are left to the operation. Made for one answer.
 */
public final class DecisionCheck {
  private final Optional<Presence> seen;
  private final Optional<Recorded> recorded;
  private final Set<NodeId> members;

  /**
   * @param seen of the nodes, what the leader saw last; empty while nothing can be seen
   * @param recorded of the nodes, what is recorded; empty before a ring map is recorded
   * @param members of the metadata group
   */
  public DecisionCheck(Optional<Presence> seen, Optional<Recorded> recorded, Set<NodeId> members) {
    this.seen = seen;
    this.recorded = recorded;
    this.members = members;
  }

  /**
   * @throws VdfsException PERMISSION_DENIED, INVALID_ARGUMENT, or UNAVAILABLE where the leader does
   *     not see which nodes are alive
   */
  public void check(MetaRequest request) throws VdfsException {
    if (!request.getCaller().getSuperuser()) {
      throw new VdfsException(
          ErrorCode.PERMISSION_DENIED,
          "only a superuser decides about nodes: user=" + request.getCaller().getUser());
    }
    if (seen.isEmpty() || recorded.isEmpty()) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE, "the leader does not see yet which nodes are alive");
    }
    if (request.hasWeighNodes()) {
      requireNobodyMissing("no node gets another weight while others are missing");
    } else if (request.hasGiveUpVolumes()) {
      checkVolumes(request.getGiveUpVolumes());
    } else {
      checkMark(request.getMarkNodes());
    }
  }

  private void checkMark(MarkNodesOp op) throws VdfsException {
    Set<NodeId> nodes = new TreeSet<>();
    for (ByteString node : op.getNodesList()) {
      nodes.add(WireIds.nodeId(node));
    }
    switch (op.getMark()) {
      case MARK_LEAVING -> checkLeaving(nodes);
      case MARK_GONE -> checkGone(nodes);
      case MARK_STAYING, UNRECOGNIZED -> {
        // fits whichever nodes are alive
      }
    }
  }

  private void checkLeaving(Set<NodeId> nodes) throws VdfsException {
    Set<NodeId> missing = missing();
    for (NodeId node : nodes) {
      if (missing.contains(node)) {
        throw invalid(
            "only a node that is alive can leave: node=%s; start it, or say 'vdfs node remove --gone'"
                .formatted(node));
      }
    }
    requireNobodyMissing("no node may leave while others are missing");
    Set<NodeId> leaving = new TreeSet<>(recorded.get().marks().leaving());
    leaving.addAll(nodes);
    checkMembers(leaving);
  }

  private Set<NodeId> missing() {
    Set<NodeId> missing = new TreeSet<>(seen.get().missing().keySet());
    missing.removeAll(recorded.get().notAwaited());
    return missing;
  }

  private void requireNobodyMissing(String rule) throws VdfsException {
    Set<NodeId> missing = missing();
    if (!missing.isEmpty()) {
      throw invalid(
          "%s: missing=%s; start them, or say 'vdfs node remove --gone' of them"
              .formatted(rule, missing));
    }
  }

  private void checkMembers(Set<NodeId> leaving) throws VdfsException {
    Set<NodeId> staying = new TreeSet<>(members);
    staying.removeAll(leaving);
    Set<NodeId> spares = new TreeSet<>(seen.get().live());
    spares.retainAll(recorded.get().map().nodes().keySet());
    spares.removeAll(members);
    spares.removeAll(leaving);
    int least = Math.min(ClusterProperties.LEAST_MEMBERS, members.size());
    if (staying.size() < members.size() && staying.size() + spares.size() < least) {
      throw invalid(
          "the metadata would have too few members: members=%d, staying=%d, to step in=%d, least=%d; add a node, or see 'vdfs metadata remove'"
              .formatted(members.size(), staying.size(), spares.size(), least));
    }
  }

  private void checkGone(Set<NodeId> nodes) throws VdfsException {
    for (NodeId node : nodes) {
      if (seen.get().live().contains(node)) {
        throw invalid(
            "a node that is alive is not gone: node=%s; say 'vdfs node decommission' of it, or stop it first; one that just died counts as alive until its session ends"
                .formatted(node));
      }
    }
  }

  private void checkVolumes(GiveUpVolumesOp op) throws VdfsException {
    NodeId node = WireIds.nodeId(op.getNode());
    Map<UUID, KnownVolumeProto> volumes = recorded.get().volumes().of(node);
    for (ByteString bytes : op.getVolumesList()) {
      UUID id = WireIds.uuid("volume id", bytes);
      KnownVolumeProto volume = volumes.get(id);
      if (volume != null
          && volume.getState() == VolumeStateProto.VOLUME_SERVING
          && seen.get().live().contains(node)) {
        throw invalid(
            "a volume that a node serves is not lost: node=%s, volume=%s, directory=%s; stop the node's daemon, take the disk out and say so again; one that was just stopped counts as alive until its session ends"
                .formatted(node, id, volume.getDirectory()));
      }
    }
  }

  private static VdfsException invalid(String message) {
    return new VdfsException(ErrorCode.INVALID_ARGUMENT, message);
  }
}
