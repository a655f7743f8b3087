package io.vdfs.client.meta.retry;

import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** The time one call may take, and its growing pauses. Confined to the calling thread. */
public final class RetryTimer {
  private final RetryPolicy policy;
  private final RetryClock clock;
  private final RandomGenerator random;
  private final long startNanos;
  private int rounds;

  /** The time begins now. */
  public RetryTimer(RetryPolicy policy, RetryClock clock, RandomGenerator random) {
    this.policy = policy;
    this.clock = clock;
    this.random = random;
    this.startNanos = clock.nanoTime();
  }

  /**
   * Waits before the next round.
   *
   * @return false, without waiting, if the time is up
   */
  public boolean pause() throws InterruptedIOException {
    Duration pause = policy.pauseAfter(rounds++, random);
    if (left().compareTo(pause) <= 0) {
      return false;
    }
    try {
      clock.pause(pause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw TransportErrors.interrupted(e);
    }
    return true;
  }

  /** Whether the time is up, so that no further node is asked. */
  public boolean isOver() {
    return left().isNegative() || left().isZero();
  }

  /** Time that is left; not positive if it is up. */
  public Duration left() {
    return policy.total().minusNanos(clock.nanoTime() - startNanos);
  }
}
