package io.vdfs.datanode.store.turns;

/**
 * Says how long the force of a small file that is being closed should wait for others to come,
 * where nothing is read: the disk flushes about twice for all that go together. It waits only where
 * some came together lately, as one writer alone never does, and then until nobody has come for a
 * few times what a force takes. So little is waited for on a disk that is quick. Not thread-safe.
 */
final class Company {
  /** So many together take fewer flushes than each by itself. */
  private static final int CROWD = 3;

  /** A gap between two that come, in multiples of what a force takes. */
  private static final int FORCES = 5;

  /** Of the forces before, in the mean of what they take. */
  private static final double WEIGHT_BEFORE = 0.8;

  private final long mostNanos;
  private boolean expected;
  private long lastCrowd;
  private long lastCame;
  private double forceNanos;

  /**
   * @param mostNanos how long one waits at most
   */
  Company(long mostNanos) {
    this.mostNanos = mostNanos;
  }

  /**
   * One came.
   *
   * @param together those that wait or force now, with this one
   */
  void onCame(long now, int together) {
    lastCame = now;
    if (together >= CROWD) {
      expected = true;
      lastCrowd = now;
    }
  }

  /** A force of one that was awaited ended. */
  void onForced(long nanos) {
    forceNanos = forceNanos == 0 ? nanos : WEIGHT_BEFORE * forceNanos + (1 - WEIGHT_BEFORE) * nanos;
  }

  /**
   * Nanoseconds for which one should wait before it asks again.
   *
   * @param came when it came
   * @return 0 or less if it should go
   */
  long left(long now, long came) {
    if (!expected || now - lastCrowd > 2 * mostNanos) {
      return 0;
    }
    long gap = (long) Math.min(FORCES * forceNanos, mostNanos / 2.0);
    return Math.min(lastCame + gap, came + mostNanos) - now;
  }
}
