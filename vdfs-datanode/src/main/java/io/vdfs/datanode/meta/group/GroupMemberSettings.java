package io.vdfs.datanode.meta.group;

import io.vdfs.common.cluster.record.MetadataGroup;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.security.MacKey;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A member of the metadata group as it is to be started.
 *
 * @param founders the members to begin with if this one's directory is empty; without any the
 *     member waits until a leader takes it up
 * @param own this node as a member; it keeps its Raft port for life
 * @param directory for log and snapshots, on a disk of this node
 * @param bindAddress where this member listens, at its port
 * @param portKey the setting that names this member's port; named where the port can't be had
 * @param peerKey by which members prove themselves to each other, made from the cluster key; none
 *     where every peer that connects is believed
 * @param tuning limits
 */
public record GroupMemberSettings(
    UUID groupId,
    List<MetadataMember> founders,
    MetadataMember own,
    Path directory,
    String bindAddress,
    String portKey,
    Optional<MacKey> peerKey,
    Tuning tuning) {
  public GroupMemberSettings {
    founders = List.copyOf(founders);
    if (!founders.isEmpty() && !founders.contains(own)) {
      throw new IllegalArgumentException(
          "this node must be one of the founders: own=" + own + ", founders=" + founders);
    }
  }

  /** A member that founds the group together with the others. */
  public static GroupMemberSettings founding(
      MetadataGroup group,
      NodeId self,
      Path directory,
      String bindAddress,
      String portKey,
      Optional<MacKey> peerKey,
      Tuning tuning) {
    return new GroupMemberSettings(
        group.groupId(),
        group.members(),
        group.members().stream().filter(m -> m.id().equals(self)).findFirst().orElseThrow(),
        directory,
        bindAddress,
        portKey,
        peerKey,
        tuning);
  }

  public NodeId self() {
    return own.id();
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
