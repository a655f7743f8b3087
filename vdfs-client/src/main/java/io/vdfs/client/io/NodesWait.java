package io.vdfs.client.io;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * How long a writer or a reader waits for nodes that it cannot do without, and how often it tries
 * them meanwhile: at first at once, then less and less often. The time runs from the first try
 * without progress, however often the nodes seem to recover. A full disk is given less of it: it
 * comes back only if an operator makes room. Confined to its writer or reader.
 */
public final class NodesWait {
  private static final int MOST_DELAYS = 8;
  private static final long FULL_LIMIT_NANOS = Duration.ofSeconds(10).toNanos();

  private final long limitNanos;
  private final Duration firstDelay;
  private OptionalLong begun = OptionalLong.empty();
  private int delays = 1;

  /**
   * @param firstDelay pause before the second try
   */
  public NodesWait(Duration limit, Duration firstDelay) {
    this.limitNanos = limit.toNanos();
    this.firstDelay = firstDelay;
  }

  /** Begins the wait before the first try, whose time counts then. */
  public void begin(long now) {
    begun = OptionalLong.of(now);
  }

  /**
   * Whether there is time for another try; the first question begins the wait.
   *
   * @param full whether a node that cannot be spared has no space
   */
  public boolean mayGoOn(long now, boolean full) {
    if (begun.isEmpty()) {
      begun = OptionalLong.of(now);
    }
    long limit = full ? Math.min(limitNanos, FULL_LIMIT_NANOS) : limitNanos;
    return now - begun.getAsLong() < limit;
  }

  /** Pause before the next try. */
  public Duration nextPause() {
    Duration pause = firstDelay.multipliedBy(delays);
    delays = Math.min(MOST_DELAYS, 2 * delays);
    return pause;
  }

  /** The nodes took bytes: the wait is over. */
  public void onProgress() {
    begun = OptionalLong.empty();
    delays = 1;
  }
}
