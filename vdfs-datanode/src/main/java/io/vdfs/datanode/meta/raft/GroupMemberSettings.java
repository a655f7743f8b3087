package io.vdfs.datanode.meta.raft;

import io.vdfs.common.cluster.MetadataGroup;
import io.vdfs.common.cluster.MetadataMember;
import io.vdfs.common.model.NodeId;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A member of the metadata group as it is to be started.
 *
 * @param group with the addresses of its members; a member keeps its Raft port for life
 * @param self this node; one of the members
 * @param directory for log and snapshots, on a disk of this node
 * @param bindAddress where this member listens, at its port
 * @param portKey the setting that names this member's port; told where the port can't be had
 * @param tuning limits
 */
public record GroupMemberSettings(
    MetadataGroup group,
    NodeId self,
    Path directory,
    String bindAddress,
    String portKey,
    Tuning tuning) {
  public GroupMemberSettings {
    if (!group.isInitialMember(self)) {
      throw new IllegalArgumentException(
          "this node must be one of the members: self=" + self + ", group=" + group);
    }
  }

  MetadataMember own() {
    return group.members().stream().filter(m -> m.id().equals(self)).findFirst().orElseThrow();
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
