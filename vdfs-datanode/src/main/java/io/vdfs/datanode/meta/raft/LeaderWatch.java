package io.vdfs.datanode.meta.raft;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * Tells an election, which passes by itself, from a group without a majority: the latter is without
 * a leader for long. Looks only when asked. Thread-safe.
 */
final class LeaderWatch {
  private final long patienceNanos;
  private final LongSupplier nanoClock;

  /** When it was first found that there is no leader; null while one is known. */
  private final AtomicReference<Long> leaderlessSince = new AtomicReference<>();

  LeaderWatch(Duration patience, LongSupplier nanoClock) {
    this.patienceNanos = patience.toNanos();
    this.nanoClock = nanoClock;
  }

  /**
   * @param leaderKnown what is seen now
   * @return whether no leader has been seen for longer than an election takes
   */
  boolean isLeaderless(boolean leaderKnown) {
    if (leaderKnown) {
      leaderlessSince.set(null);
      return false;
    }
    long now = nanoClock.getAsLong();
    Long since = leaderlessSince.compareAndExchange(null, now);
    return since != null && now - since > patienceNanos;
  }
}
