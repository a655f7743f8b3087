package io.vdfs.datanode.meta.group;

import io.vdfs.common.model.NodeId;
import java.util.Optional;

/**
 * What a member knows of itself and its group at one moment. Immutable.
 *
 * @param leader as far as known
 * @param lastTerm term of the newest entry in this member's log; 0 where there is none
 * @param last index of that entry; -1 where there is none
 * @param committed index up to which a majority is known to have the log
 * @param applied index up to which this member's state has it
 * @param doubt why this member's log may lack what the member acknowledged; empty where it does not
 */
public record GroupStatus(
    Role role,
    long term,
    Optional<NodeId> leader,
    GroupConfiguration configuration,
    long lastTerm,
    long last,
    long committed,
    long applied,
    Optional<LogDoubt> doubt) {
  /** What a member is doing. */
  public enum Role {
    LEADER,
    FOLLOWER,
    CANDIDATE,
    /** Not among the members as far as it knows: waits for a leader to take it up. */
    WAITING,
    /** Has ended, as Raft lets a removed member do. */
    ENDED
  }

  /** Whether the configuration can no longer be undone. */
  public boolean isSettled() {
    return configuration.isStable() && configuration.index() <= committed;
  }
}
