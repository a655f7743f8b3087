package io.vdfs.datanode.host;

import io.vdfs.datanode.meta.ring.RingPatience;
import java.nio.file.Path;
import java.time.Duration;

/**
 * How a node hosts its member of the metadata group. Immutable.
 *
 * @param directory holds the Raft log and snapshots, and the index of blocks
 * @param bindAddress where the member listens
 * @param portKey names the setting of its port, for messages
 * @param insecure whether members believe every peer that connects to their Raft port
 * @param electionTimeoutMin shortest time without a leader before a member stands for election
 * @param electionTimeoutMax longest such time
 * @param snapshotEntries log entries between two snapshots of the state
 * @param replaceAfter how long a member may be missing until another node takes its place; zero for
 *     ever
 * @param ringPatience how long a missing node keeps its places in the ring
 */
public record HostSettings(
    Path directory,
    String bindAddress,
    String portKey,
    boolean insecure,
    Duration electionTimeoutMin,
    Duration electionTimeoutMax,
    int snapshotEntries,
    Duration replaceAfter,
    RingPatience ringPatience) {
  /** Where the member keeps its log and snapshots. */
  public Path home() {
    return directory.resolve("raft");
  }
}
