package io.vdfs.datanode.meta.op.writing;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.common.wire.proto.GroupSyncProto;
import io.vdfs.datanode.meta.op.change.Checks;
import io.vdfs.datanode.meta.op.copies.Exclusions;
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
  private final List<GroupSyncProto> synced;
  private final int requiredCopies;
  private final FileRecord content;
  private final ClusterGeometry geometry;

  /**
   * @param requiredCopies as the leader put it into the request
   */
  SyncedGroups(
      List<GroupSyncProto> synced,
      int requiredCopies,
      FileRecord content,
      ClusterGeometry geometry) {
    this.synced = synced;
    this.requiredCopies = requiredCopies;
    this.content = content;
    this.geometry = geometry;
  }

  /**
   * Requires the groups written up to a length, in order, each on enough nodes; those left out of
   * it do not count. Those that are recorded already may be left out.
   *
   * @throws VdfsException INVALID_ARGUMENT
   */
  void checkUpTo(long length) throws VdfsException {
    long start = content.getLease().getStartLength();
    boolean wroteNothing = length == start;
    if (wroteNothing && synced.isEmpty()) {
      return;
    }
    // a writer of nothing may have written the last partial chunk again
    int first = geometry.groupAt(wroteNothing ? Math.max(start - 1, 0) : start);
    int end = geometry.groupCount(length);
    int named = end - synced.size();
    if (named < first || named > Math.max(first, content.getLease().getRecordedGroups())) {
      throw Refusals.invalid(
          ("synced groups must be those written: firstGroup=%s, recordedGroups=%s,"
                  + " endGroup=%s, synced=%s")
              .formatted(first, content.getLease().getRecordedGroups(), end, synced.size()));
    }
    checkFrom(named);
  }

  /**
   * Requires whole groups, in order, without a gap behind those recorded; some of them may be
   * recorded already.
   *
   * @return the end of the groups that are recorded then
   * @throws VdfsException INVALID_ARGUMENT
   */
  int checkWholeGroups() throws VdfsException {
    int recorded = content.getLease().getRecordedGroups();
    if (synced.isEmpty()) {
      return recorded;
    }
    int start = geometry.groupAt(content.getLease().getStartLength());
    int first = synced.get(0).getGroup();
    if (first < start || first > Math.max(start, recorded)) {
      throw Refusals.invalid(
          ("synced groups must follow those recorded: firstGroup=%s, recordedGroups=%s,"
                  + " startGroup=%s")
              .formatted(Integer.toUnsignedString(first), recorded, start));
    }
    checkFrom(first);
    return Math.max(recorded, first + synced.size());
  }

  private void checkFrom(int first) throws VdfsException {
    Map<ByteString, List<ExclusionProto>> exclusions =
        new Exclusions(content.getExclusionsList()).byNode();
    for (int i = 0; i < synced.size(); i++) {
      checkGroup(synced.get(i), first + i, exclusions);
    }
  }

  private void checkGroup(
      GroupSyncProto named, int group, Map<ByteString, List<ExclusionProto>> exclusions)
      throws VdfsException {
    if (named.getGroup() != group) {
      throw Refusals.invalid(
          "synced groups must be in order: group=%s, expected=%s"
              .formatted(Integer.toUnsignedString(named.getGroup()), group));
    }
    Set<ByteString> nodes = new HashSet<>();
    for (ByteString node : named.getNodesList()) {
      boolean leftOut =
          exclusions.getOrDefault(Checks.id(node, "nodes"), List.of()).stream()
              .anyMatch(range -> Exclusions.contains(range, group));
      // one that came to serve the arc meanwhile may be left out without the writer's knowing
      if (!leftOut) {
        nodes.add(node);
      }
    }
    int required = Math.max(1, Math.min(requiredCopies, content.getCountedCopies()));
    if (nodes.size() < required) {
      throw Refusals.invalid(
          "too few nodes synced a group: group=%s, nodes=%s, required=%s"
              .formatted(group, nodes.size(), required));
    }
  }
}
