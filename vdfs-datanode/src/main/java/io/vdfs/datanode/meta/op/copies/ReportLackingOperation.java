package io.vdfs.datanode.meta.op.copies;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.GroupKeyProto;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.ReportLackingOp;
import io.vdfs.common.wire.proto.ReportLackingResult;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.GroupLengths;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.LeftOutNodes;
import io.vdfs.datanode.meta.state.MetaContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Records groups that a node found to lack, so that its copies are neither read nor counted, and
 * are made again. The last node of a list that is not left out stays so. What changed meanwhile, or
 * is nothing that the node should hold, is passed over, and so is a file that cannot have so many
 * exclusions: its groups are copied again without a record.
 */
final class ReportLackingOperation implements Operation {
  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    ReportLackingOp op = request.getReportLacking();
    Repairs.requireNode(op.getNode(), op.getGroupsCount(), context);
    changes.countOnly();
    ReportLackingResult.Builder result = ReportLackingResult.newBuilder();
    if (context.ring().isPresent()) {
      Map<Long, List<GroupKeyProto>> byFile = new LinkedHashMap<>();
      op.getGroupsList()
          .forEach(
              group ->
                  byFile
                      .computeIfAbsent(group.getFile().getFileId(), id -> new ArrayList<>())
                      .add(group));
      for (List<GroupKeyProto> groups : byFile.values()) {
        record(op.getNode(), groups, context.ring().get(), context, changes, result);
      }
    }
    return MetaResponse.newBuilder().setReportLacking(result).build();
  }

  private static void record(
      ByteString node,
      List<GroupKeyProto> groups,
      RingMap ring,
      MetaContext context,
      Changes changes,
      ReportLackingResult.Builder result)
      throws VdfsException {
    NodeId id = WireIds.nodeId(node);
    Optional<InodeRecord> file = Repairs.find(groups.get(0).getFile(), context);
    if (file.isEmpty()) {
      return;
    }
    int end = GroupLengths.of(file.get(), context.settings().geometry()).groups();
    LeftOutNodes leftOut = new LeftOutNodes(file.get().getFile());
    List<ExclusionProto> added = new ArrayList<>();
    for (GroupKeyProto key : groups) {
      int group = key.getGroup();
      if (!key.getFile().equals(groups.get(0).getFile()) || group < 0 || group >= end) {
        continue;
      }
      List<NodeId> serving = ring.replicas(file.get().getId(), group).serving();
      boolean othersRemain =
          serving.stream().anyMatch(other -> !other.equals(id) && !leftOut.contains(other, group));
      if (serving.contains(id) && othersRemain && !leftOut.contains(id, group)) {
        added.add(exclusion(file.get(), node, group));
      }
    }
    if (added.isEmpty()) {
      return;
    }
    Optional<InodeRecord> without = Repairs.with(file.get(), added, context);
    if (without.isPresent()) {
      changes.put(without.get());
      result.setRecorded(result.getRecorded() + added.size());
    } else {
      result.setPassedOver(result.getPassedOver() + added.size());
    }
  }

  /**
   * A node that was not left out of a closed file had all bytes, and whatever it has still is
   * right, as the bytes of a closed file do not change. Bytes of an open file may still be cut off.
   */
  private static ExclusionProto exclusion(InodeRecord file, ByteString node, int group) {
    return Inodes.isOpen(file) ? Repairs.exclusion(file, node, group) : Repairs.doubt(node, group);
  }
}
