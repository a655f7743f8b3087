package io.vdfs.datanode.meta.op;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.GroupReplicas;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.LeftOutNodes;
import io.vdfs.datanode.meta.state.MetaContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What the operations share that record who lacks copies. */
final class Repairs {
  private Repairs() {}

  /** The file with a path that has this key now. */
  static Optional<InodeRecord> find(FileKeyProto key, MetaContext context) {
    return context
        .namespace()
        .find(key.getFileId())
        .filter(inode -> !Inodes.isDirectory(inode))
        .filter(file -> Inodes.key(file).equals(key))
        .filter(context.namespace()::isAttached);
  }

  static ExclusionProto exclusion(InodeRecord file, ByteString node, int group) {
    return ExclusionProto.newBuilder()
        .setNode(node)
        .setFirstGroup(group)
        .setEndGroup(group + 1)
        .setEpoch(file.getFile().getWriteEpoch())
        .build();
  }

  /** Of a node that nobody knows to have the group, nor to lack it. */
  static ExclusionProto doubt(ByteString node, int group) {
    return ExclusionProto.newBuilder()
        .setNode(node)
        .setFirstGroup(group)
        .setEndGroup(group + 1)
        .build();
  }

  static InodeRecord withExclusions(InodeRecord file, Exclusions exclusions) {
    return file.toBuilder()
        .setFile(file.getFile().toBuilder().clearExclusions().addAllExclusions(exclusions.ranges()))
        .build();
  }

  /**
   * Those keepers of a group, and those spares that would step in for them, that are not known to
   * have it: they have to be left out, so that they get it.
   *
   * @param serving nodes of the group's arc in their order
   * @param holders nodes that have the group
   */
  static List<ExclusionProto> withoutCopy(
      InodeRecord file, int group, List<NodeId> serving, Set<NodeId> holders, LeftOutNodes leftOut)
      throws VdfsException {
    int wanted = GroupReplicas.effectiveFactor(file.getFile().getReplication(), serving.size());
    List<ExclusionProto> without = new ArrayList<>();
    int held = 0;
    for (NodeId node : serving) {
      if (held == wanted || leftOut.contains(node, group)) {
        continue;
      }
      if (holders.contains(node)) {
        held++;
      } else {
        without.add(doubt(WireIds.encode(node), group));
      }
    }
    return held == 0 ? List.of() : without;
  }
}
