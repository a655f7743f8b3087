package io.vdfs.datanode.meta.raft;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Tells a group whose members are being started from one that has lost its majority. Thread-safe.
 */
final class StartWatch {
  /** Within which operators start all members of a cluster. */
  static final Duration LIMIT = Duration.ofMinutes(2);

  private final LongSupplier nanoClock;
  private final long begun;

  private volatile boolean led;

  StartWatch(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.begun = nanoClock.getAsLong();
  }

  /** There is a leader. */
  void onLeader() {
    led = true;
  }

  boolean isStarting() {
    return !led && nanoClock.getAsLong() - begun < LIMIT.toNanos();
  }
}
