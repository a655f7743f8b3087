package io.vdfs.it.bench.costly;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Makes work last a given time: it ends when that has passed since it began, or since the work
 * before it ended. Waits in steps of some milliseconds, as no thread sleeps for microseconds.
 * Confined to one thread.
 */
final class Pace {
  private static final long STEP_NANOS = 5_000_000;

  private final LongSupplier nanoTime;
  private long owed;
  private long since;

  Pace(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.since = nanoTime.getAsLong();
  }

  /** The caller has done, or will do, work that is to last so long. */
  void spend(long nanos) {
    owed += nanos;
    if (owed >= STEP_NANOS) {
      settle();
    }
  }

  /** Waits until all work so far has lasted as long as it should. */
  void settle() {
    long end = since + owed;
    owed = 0;
    for (long left = end - nanoTime.getAsLong(); left > 0; left = end - nanoTime.getAsLong()) {
      LockSupport.parkNanos(left);
    }
    // time lost in waiting for input is not made up for; a wait that was a little too long is
    long now = nanoTime.getAsLong();
    since = now - end > STEP_NANOS ? now : end;
  }
}
