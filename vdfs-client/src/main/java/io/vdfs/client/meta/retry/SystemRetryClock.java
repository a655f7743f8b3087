package io.vdfs.client.meta.retry;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The machine's monotonic clock. Thread-safe. */
final class SystemRetryClock implements RetryClock {
  static final SystemRetryClock INSTANCE = new SystemRetryClock();

  private SystemRetryClock() {}

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void pause(Duration pause) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(pause.toNanos());
  }
}
