package io.vdfs.client.meta.retry;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Time as retries see it; a test moves it by hand. */
public interface RetryClock {
  /** The machine's monotonic clock. Thread-safe. */
  RetryClock SYSTEM =
      new RetryClock() {
        @Override
        public long nanoTime() {
          return System.nanoTime();
        }

        @Override
        public void pause(Duration pause) throws InterruptedException {
          TimeUnit.NANOSECONDS.sleep(pause.toNanos());
        }
      };

  /** Monotonic nanoseconds of no particular origin. */
  long nanoTime();

  /** Lets at least {@code pause} pass. */
  void pause(Duration pause) throws InterruptedException;
}
