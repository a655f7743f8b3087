package io.vdfs.datanode.meta.op;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.wire.proto.CompleteOp;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.common.wire.proto.GroupSyncProto;
import io.vdfs.datanode.meta.state.Refusals;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The proof that what a writer wrote is durable: for each of its groups, the nodes that fsynced it.
 * Immutable.
 */
final class SyncedGroups {
  private final CompleteOp op;
  private final FileRecord content;
  private final ClusterGeometry geometry;

  SyncedGroups(CompleteOp op, FileRecord content, ClusterGeometry geometry) {
    this.op = op;
    this.content = content;
    this.geometry = geometry;
  }

  /**
   * Requires exactly the groups written, in order, each on enough nodes that are not excluded.
   *
   * @throws VdfsException INVALID_ARGUMENT
   */
  void check() throws VdfsException {
    long start = content.getLease().getStartLength();
    boolean wroteNothing = op.getLength() == start;
    if (wroteNothing && op.getSyncedCount() == 0) {
      return;
    }
    // a writer of nothing may have written the last partial chunk again
    int first = geometry.groupAt(wroteNothing ? Math.max(start - 1, 0) : start);
    int end = geometry.groupCount(op.getLength());
    if (op.getSyncedCount() != end - first) {
      throw Refusals.invalid(
          "synced groups must be those written: firstGroup="
              + first
              + ", endGroup="
              + end
              + ", synced="
              + op.getSyncedCount());
    }
    Map<ByteString, List<ExclusionProto>> exclusions =
        new Exclusions(content.getExclusionsList()).byNode();
    for (int i = 0; i < op.getSyncedCount(); i++) {
      checkGroup(op.getSynced(i), first + i, exclusions);
    }
  }

  private void checkGroup(
      GroupSyncProto synced, int group, Map<ByteString, List<ExclusionProto>> exclusions)
      throws VdfsException {
    if (synced.getGroup() != group) {
      throw Refusals.invalid(
          "synced groups must be in order: group="
              + Integer.toUnsignedString(synced.getGroup())
              + ", expected="
              + group);
    }
    Set<ByteString> nodes = new HashSet<>();
    for (ByteString node : synced.getNodesList()) {
      nodes.add(Checks.id(node, "nodes"));
      if (exclusions.getOrDefault(node, List.of()).stream()
          .anyMatch(range -> Exclusions.contains(range, group))) {
        throw Refusals.invalid("an excluded node does not count as synced: group=" + group);
      }
    }
    int required = Math.max(1, Math.min(op.getRequiredCopies(), content.getReplication()));
    if (nodes.size() < required) {
      throw Refusals.invalid(
          "too few nodes synced a group: group="
              + group
              + ", nodes="
              + nodes.size()
              + ", required="
              + required);
    }
  }
}
