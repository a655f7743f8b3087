package io.vdfs.client.meta.retry;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long a call is tried. Immutable.
 *
 * @param total from the first attempt until the call fails as UNAVAILABLE
 * @param firstPause upper bound of the pause after the first fruitless round over all nodes; it
 *     doubles with each round
 * @param maxPause upper bound of every pause
 */
public record RetryPolicy(Duration total, Duration firstPause, Duration maxPause) {
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(Duration.ofSeconds(60), Duration.ofMillis(50), Duration.ofSeconds(2));

  private static final int MAX_DOUBLINGS = 10;

  public RetryPolicy {
    if (!isPositive(total) || !isPositive(firstPause) || maxPause.compareTo(firstPause) < 0) {
      throw new IllegalArgumentException(
          ("retry times must be positive and firstPause at most maxPause: total=%s,"
                  + " firstPause=%s, maxPause=%s")
              .formatted(total, firstPause, maxPause));
    }
  }

  /** The default pauses for a given time in all. */
  public static RetryPolicy within(Duration total) {
    return new RetryPolicy(total, DEFAULT.firstPause, DEFAULT.maxPause);
  }

  private static boolean isPositive(Duration duration) {
    return !duration.isNegative() && !duration.isZero();
  }

  /**
   * The pause after a fruitless round: between half of the bound and the bound, so that clients
   * that failed together don't come back together.
   *
   * @param round from 0
   */
  Duration pauseAfter(int round, RandomGenerator random) {
    long bound =
        Math.min(maxPause.toNanos(), firstPause.toNanos() << Math.min(round, MAX_DOUBLINGS));
    long half = Math.max(1, bound / 2);
    return Duration.ofNanos(half + random.nextLong(half));
  }
}
