package io.vdfs.datanode.meta.op.writing;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.GroupSyncProto;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.datanode.meta.op.copies.Exclusions;
import io.vdfs.datanode.meta.op.copies.Repairs;
import io.vdfs.datanode.meta.state.LeftOutNodes;
import io.vdfs.datanode.meta.state.MetaContext;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The keepers of written groups, by the recorded ring map, that their writer does not name. It went
 * by an older map, so they lack what it wrote, whatever they hold of the groups from before.
 * Confined to one operation.
 */
final class UnnamedKeepers {
  private final InodeRecord file;
  private final MetaContext context;

  UnnamedKeepers(InodeRecord file, MetaContext context) {
    this.file = file;
    this.context = context;
  }

  /**
   * The file's exclusions, and those of the keepers that are not named. A file that could not take
   * so many keeps those that it has, and is closed all the same: the nodes find out by themselves.
   *
   * @param written what the writer says of its groups, checked
   */
  Exclusions added(List<GroupSyncProto> written) throws VdfsException {
    Exclusions exclusions = new Exclusions(file.getFile().getExclusionsList());
    if (context.ring().isEmpty() || written.isEmpty()) {
      return exclusions;
    }
    LeftOutNodes leftOut = new LeftOutNodes(file.getFile());
    List<ExclusionProto> unnamed = new ArrayList<>();
    for (GroupSyncProto group : written) {
      Set<NodeId> named = new HashSet<>();
      for (ByteString node : group.getNodesList()) {
        named.add(WireIds.nodeId(node));
      }
      List<NodeId> serving =
          context.ring().get().replicas(file.getId(), group.getGroup()).serving();
      for (ByteString node : Repairs.withoutCopy(file, group.getGroup(), serving, named, leftOut)) {
        unnamed.add(Repairs.exclusion(file, node, group.getGroup()));
      }
    }
    return unnamed.isEmpty()
        ? exclusions
        : Repairs.with(file, unnamed, context)
            .map(after -> new Exclusions(after.getFile().getExclusionsList()))
            .orElse(exclusions);
  }
}
