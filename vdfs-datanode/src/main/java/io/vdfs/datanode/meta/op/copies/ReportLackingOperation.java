package io.vdfs.datanode.meta.op.copies;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.GroupReplicas;
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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Records groups that a node found to lack, so that its copies are neither read nor counted, and
 * are made again. The last keeper that is not left out stays so, as it is read where it is and no
 * other node is known to have anything. A spare that steps in for the node has no copy yet and is
 * left out, too, so that it makes one at once. What changed meanwhile, or is nothing that the node
 * should hold, is passed over, and so is a file that cannot have so many exclusions: its groups are
 * copied again without a record.
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
        record(op, groups, context.ring().get(), context, changes, result);
      }
    }
    return MetaResponse.newBuilder().setReportLacking(result).build();
  }

  private static void record(
      ReportLackingOp op,
      List<GroupKeyProto> groups,
      RingMap ring,
      MetaContext context,
      Changes changes,
      ReportLackingResult.Builder result)
      throws VdfsException {
    NodeId id = WireIds.nodeId(op.getNode());
    Optional<InodeRecord> file = Repairs.find(groups.get(0).getFile(), context);
    if (file.isEmpty()) {
      return;
    }
    int end = GroupLengths.of(file.get(), context.settings().geometry()).groups();
    LeftOutNodes leftOut = new LeftOutNodes(file.get().getFile());
    List<ExclusionProto> added = new ArrayList<>();
    List<ExclusionProto> spares = new ArrayList<>();
    for (GroupKeyProto key : groups) {
      int group = key.getGroup();
      if (!key.getFile().equals(groups.get(0).getFile()) || group < 0 || group >= end) {
        continue;
      }
      List<NodeId> serving = ring.replicas(file.get().getId(), group).serving();
      Set<NodeId> holders = holders(op, file.get(), group, serving, leftOut);
      holders.remove(id);
      if (serving.contains(id) && !holders.isEmpty() && !leftOut.contains(id, group)) {
        added.add(exclusion(file.get(), op.getNode(), group));
        Repairs.withoutCopy(file.get(), group, serving, holders, leftOut).stream()
            .filter(spare -> !spare.equals(op.getNode()))
            .forEach(spare -> spares.add(Repairs.doubt(spare, group)));
      }
    }
    if (added.isEmpty()) {
      return;
    }
    List<ExclusionProto> all = new ArrayList<>(added);
    if (!Inodes.isOpen(file.get())) {
      // a writer may take a spare for a keeper at any time
      all.addAll(spares);
    }
    Optional<InodeRecord> without = Repairs.with(file.get(), all, context);
    if (without.isPresent()) {
      changes.put(without.get());
      result.setRecorded(result.getRecorded() + added.size());
    } else {
      result.setPassedOver(result.getPassedOver() + added.size());
    }
  }

  private static Set<NodeId> holders(
      ReportLackingOp op, InodeRecord file, int group, List<NodeId> serving, LeftOutNodes leftOut) {
    Set<NodeId> out = leftOut.of(group);
    int factor = op.getSparesLack() ? file.getFile().getReplication() : serving.size();
    return new HashSet<>(GroupReplicas.of(serving, factor, out).keepers());
  }

  /**
   * A node that was not left out of a closed file had all bytes, and whatever it has still is
   * right, as the bytes of a closed file do not change. Bytes of an open file may still be cut off.
   */
  private static ExclusionProto exclusion(InodeRecord file, ByteString node, int group) {
    return Inodes.isOpen(file) ? Repairs.exclusion(file, node, group) : Repairs.doubt(node, group);
  }
}
