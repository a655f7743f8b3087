package io.vdfs.datanode.meta.op.copies;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.GroupReplicas;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.datanode.meta.op.change.Checks;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.LeftOutNodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Helpers of the operations that record which nodes lack copies. */
public final class Repairs {
  private static final int MOST_GROUPS = 1000;

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

  /**
   * The exclusion of a node that is known to lack the group as it is under the file's write epoch.
   */
  public static ExclusionProto exclusion(InodeRecord file, ByteString node, int group) {
    return exclusion(node, group, file.getFile().getWriteEpoch());
  }

  /** The exclusion of a node that is known neither to have the group nor to lack it. */
  public static ExclusionProto doubt(ByteString node, int group) {
    return exclusion(node, group, 0);
  }

  private static ExclusionProto exclusion(ByteString node, int group, int epoch) {
    return ExclusionProto.newBuilder()
        .setNode(node)
        .setFirstGroup(group)
        .setEndGroup(group + 1)
        .setEpoch(epoch)
        .build();
  }

  /** Whether these alone are more than a file can take at once, so that it takes none of them. */
  public static boolean areTooMany(List<ExclusionProto> added, MetaContext context) {
    return added.size() > context.settings().limits().exclusions();
  }

  /**
   * The file with further exclusions; empty if it cannot have so many.
   *
   * @throws VdfsException never for their number
   */
  public static Optional<InodeRecord> with(
      InodeRecord file, List<ExclusionProto> added, MetaContext context) throws VdfsException {
    if (areTooMany(added, context)) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          withExclusions(
              file, new Exclusions(file.getFile().getExclusionsList()).withEpochs(added, context)));
    } catch (VdfsException e) {
      if (e.code() == ErrorCode.QUOTA_EXCEEDED) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /**
   * Refuses what no sound node asks of its copies.
   *
   * @throws VdfsException PERMISSION_DENIED, or INVALID_ARGUMENT
   */
  static void requireNode(ByteString node, int groups, MetaContext context) throws VdfsException {
    context.access().requireSuperuser("report of copies");
    Checks.id(node, "node");
    if (groups > MOST_GROUPS) {
      throw Refusals.invalid(
          "too many groups at once: groups=" + groups + ", limit=" + MOST_GROUPS);
    }
  }

  static InodeRecord withExclusions(InodeRecord file, Exclusions exclusions) {
    return file.toBuilder()
        .setFile(file.getFile().toBuilder().clearExclusions().addAllExclusions(exclusions.ranges()))
        .build();
  }

  /**
   * Those keepers of a group, and those spares that would step in for them, that are not known to
   * have it: they have to be left out, so that they get it. None if no node of the list is known to
   * have it, as readers need a node to ask.
   *
   * @param serving nodes of the group's arc in their order
   * @param holders nodes that have the group
   */
  public static List<ByteString> withoutCopy(
      InodeRecord file,
      int group,
      List<NodeId> serving,
      Set<NodeId> holders,
      LeftOutNodes leftOut) {
    int wanted = GroupReplicas.effectiveFactor(file.getFile().getReplication(), serving.size());
    List<ByteString> without = new ArrayList<>();
    int held = 0;
    for (NodeId node : serving) {
      if (held == wanted || leftOut.contains(node, group)) {
        continue;
      }
      if (holders.contains(node)) {
        held++;
      } else {
        without.add(WireIds.encode(node));
      }
    }
    return held == 0 ? List.of() : without;
  }
}
