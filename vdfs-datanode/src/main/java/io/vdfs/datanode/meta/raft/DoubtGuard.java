package io.vdfs.datanode.meta.raft;

import io.vdfs.datanode.meta.group.LogDoubt;
import java.util.Optional;
import org.apache.ratis.server.protocol.TermIndex;

/**
 * Decides which candidates a member may vote for, and whether it may stand for election itself,
 * while its log may lack entries that it acknowledged. Thread-safe.
 *
 * <p>An entry counts as committed because a majority acknowledged it, this member perhaps among
 * them. An elected leader must have it; in Raft that follows from what the voters hold. A member
 * that may have lost it votes for no candidate until it knows of an entry such that a candidate
 * with that entry has all.
 */
final class DoubtGuard {
  private volatile State state;

  /**
   * @param cause empty where the log lacks nothing
   * @param bound entry such that a log which ends there or further on lacks nothing; empty where
   *     none is known
   */
  private record State(Optional<LogDoubt> cause, Optional<TermIndex> bound, boolean mayStand) {}

  /**
   * @param cause empty where the log lacks nothing
   */
  DoubtGuard(Optional<LogDoubt> cause) {
    this.state = new State(cause, Optional.empty(), cause.isEmpty());
  }

  /** Empty where the log lacks nothing. */
  Optional<LogDoubt> cause() {
    return state.cause();
  }

  /** Whether this member may vote for a candidate whose newest entry is this. */
  boolean mayVoteFor(TermIndex candidate) {
    State now = state;
    return now.cause().isEmpty()
        || now.bound().map(bound -> candidate.compareTo(bound) >= 0).orElse(false);
  }

  boolean mayStand() {
    return state.mayStand();
  }

  /**
   * @param bound entry such that a log which ends there or further on lacks nothing
   * @param own newest entry of this member's log
   */
  void limit(TermIndex bound, TermIndex own) {
    state = new State(state.cause(), Optional.of(bound), own.compareTo(bound) >= 0);
  }

  /** The log lacks nothing any more. */
  void settle() {
    state = new State(Optional.empty(), Optional.empty(), true);
  }
}
