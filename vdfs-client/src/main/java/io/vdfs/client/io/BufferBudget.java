package io.vdfs.client.io;

import io.vdfs.common.net.DataBuffers;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Direct memory that the readers and writers of a JVM may use for bytes on their way. No caller
 * waits here: one that gets nothing more makes do with less, and one that must have memory takes it
 * in any case, so that a caller that holds much never waits for itself. Writers wait for their own
 * acknowledgements while the budget is overdrawn; readers ask for a chunk at a time.
 *
 * <p>Thread-safe.
 */
public final class BufferBudget {
  /** The usual part of the direct memory; the rest is for the network's own buffers. */
  public static final int USUAL_PERCENT = 50;

  /** The budget that all clients of this JVM share. */
  public static final BufferBudget JVM = new BufferBudget(() -> ofDirectMemory(USUAL_PERCENT));

  private final AtomicLong used = new AtomicLong();
  private volatile LongSupplier limit;

  /**
   * @param limit in bytes
   */
  BufferBudget(long limit) {
    this(() -> limit);
  }

  /**
   * @param limit in bytes; asked for only when memory is first wanted, as finding out how much a
   *     JVM has is expensive
   */
  private BufferBudget(LongSupplier limit) {
    this.limit = limit;
  }

  private static long ofDirectMemory(int percent) {
    return DataBuffers.maxMemory() / 100 * percent;
  }

  /**
   * @param percent of the JVM's direct memory that may be used from now on
   */
  public void setLimit(int percent) {
    limit = () -> ofDirectMemory(percent);
  }

  /** What is in use, or at least may be. */
  long used() {
    return used.get();
  }

  public boolean isOverdrawn() {
    return used.get() > limit.getAsLong();
  }

  /** A share without memory yet. */
  public Share share() {
    return new Share();
  }

  private boolean tryTake(long bytes) {
    long most = limit.getAsLong();
    long before = used.get();
    while (before + bytes <= most) {
      if (used.compareAndSet(before, before + bytes)) {
        return true;
      }
      before = used.get();
    }
    return false;
  }

  /** The share that one buffer, or one request, has of the budget. Thread-safe: one lock. */
  public final class Share {
    private long bytes;

    private Share() {}

    /** Takes more, if that much is left. */
    public synchronized boolean tryTake(long more) {
      boolean taken = BufferBudget.this.tryTake(more);
      bytes += taken ? more : 0;
      return taken;
    }

    /** Takes more, whether that much is left or not. */
    public synchronized void take(long more) {
      used.addAndGet(more);
      bytes += more;
    }

    /** Takes what is missing to {@code least}, whether that much is left or not. */
    public synchronized void takeUpTo(long least) {
      take(Math.max(0, least - bytes));
    }

    /** Gives everything back; the share may be used again. Idempotent. */
    public synchronized void release() {
      used.addAndGet(-bytes);
      bytes = 0;
    }
  }
}
