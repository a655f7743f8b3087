package io.vdfs.datanode.meta.raft;

import io.vdfs.common.model.NodeId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * A member of the metadata group as it is to be started.
 *
 * @param groupId the group; the cluster's id
 * @param self this node; one of the members
 * @param members of the group when it was formed; the log knows later changes
 * @param directory for log and snapshots, on a disk of this node
 * @param tuning limits
 */
public record MetadataGroupSettings(
    UUID groupId, NodeId self, List<MetadataMember> members, Path directory, Tuning tuning) {
  public MetadataGroupSettings {
    members = List.copyOf(members);
    if (members.stream().filter(m -> m.id().equals(self)).count() != 1) {
      throw new IllegalArgumentException(
          "this node must be one of the members: self=" + self + ", members=" + members);
    }
  }

  MetadataMember own() {
    return members.stream().filter(m -> m.id().equals(self)).findFirst().orElseThrow();
  }

  /**
   * @param electionTimeoutMin without a sign of the leader, before a member stands for election
   * @param electionTimeoutMax upper end of the random choice
   * @param requestLimit within which a request is answered
   * @param maxEntryBytes of a log entry, hence of one request
   * @param snapshotEntries log entries between snapshots
   */
  public record Tuning(
      Duration electionTimeoutMin,
      Duration electionTimeoutMax,
      Duration requestLimit,
      int maxEntryBytes,
      long snapshotEntries) {
    public static final Tuning DEFAULT =
        new Tuning(
            Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(10), 1 << 20, 100_000);

    public Tuning {
      if (electionTimeoutMin.toMillis() < 100
          || electionTimeoutMax.compareTo(electionTimeoutMin) <= 0) {
        throw new IllegalArgumentException(
            "election timeouts need 100 ms <= min < max: min=%s, max=%s"
                .formatted(electionTimeoutMin, electionTimeoutMax));
      }
      if (requestLimit.isNegative() || requestLimit.isZero()) {
        throw new IllegalArgumentException("the limit must be positive: limit=" + requestLimit);
      }
      if (maxEntryBytes < 4 << 10 || maxEntryBytes > 16 << 20) {
        throw new IllegalArgumentException(
            "a log entry has 4 KiB to 16 MiB: maxEntryBytes=" + maxEntryBytes);
      }
      if (snapshotEntries < 1) {
        throw new IllegalArgumentException(
            "snapshots need entries between them: snapshotEntries=" + snapshotEntries);
      }
    }
  }
}
