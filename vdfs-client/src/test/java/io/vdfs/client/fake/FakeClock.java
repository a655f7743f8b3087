package io.vdfs.client.fake;

import io.vdfs.client.meta.retry.RetryClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;

/** Time that passes only in pauses, in each of which an event may happen. Thread-safe. */
public final class FakeClock implements RetryClock {
  private final AtomicLong nanos = new AtomicLong();
  private final Queue<Runnable> duringPauses = new ArrayDeque<>();
  private int pauses;

  @Override
  public long nanoTime() {
    return nanos.get();
  }

  @Override
  public synchronized void pause(Duration pause) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted in a pause");
    }
    pauses++;
    nanos.addAndGet(pause.toNanos());
    Runnable event = duringPauses.poll();
    if (event != null) {
      event.run();
    }
  }

  public void advance(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  /** Runs {@code event} in the next pause that has none yet. */
  public synchronized void inNextPause(Runnable event) {
    duringPauses.add(event);
  }

  public synchronized int pauses() {
    return pauses;
  }
}
