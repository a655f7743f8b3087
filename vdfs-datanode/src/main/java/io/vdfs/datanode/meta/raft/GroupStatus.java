package io.vdfs.datanode.meta.raft;

import io.vdfs.common.model.NodeId;
import java.util.Optional;

/**
 * What a member knows of itself and its group at one moment. Immutable.
 *
 * @param leader as far as known
 * @param last index of the newest entry in this member's log
 * @param committed index up to which a majority is known to have the log
 * @param applied index up to which this member's state has it
 */
public record GroupStatus(
    Role role,
    long term,
    Optional<NodeId> leader,
    GroupConfiguration configuration,
    long last,
    long committed,
    long applied) {
  /** What a member is doing. */
  public enum Role {
    LEADER,
    FOLLOWER,
    CANDIDATE,
    /** Not among the members as far as it knows: waits for a leader to take it up. */
    WAITING,
    /** Has ended, as Raft lets a member do that was removed. */
    ENDED
  }

  /** Whether the configuration can no longer be undone. */
  public boolean isSettled() {
    return configuration.isStable() && configuration.index() <= committed;
  }
}
