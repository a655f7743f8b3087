package io.vdfs.client.meta.retry;

import java.time.Duration;

/** Time as retries see it; a test moves it by hand. */
public interface RetryClock {
  /** Monotonic nanoseconds of no particular origin. */
  long nanoTime();

  /** Lets at least {@code pause} pass. */
  void pause(Duration pause) throws InterruptedException;

  /** The machine's clock. */
  static RetryClock system() {
    return SystemRetryClock.INSTANCE;
  }
}
