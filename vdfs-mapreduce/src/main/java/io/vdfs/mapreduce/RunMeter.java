package io.vdfs.mapreduce;

import io.vdfs.client.ledger.DrawnRun;
import java.util.function.LongSupplier;

/**
 * Turns what a task does with its runs into counters. Times are added up in nanoseconds, so that
 * many short waits do not vanish. Confined to the task's thread.
 */
public final class RunMeter {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Sink counters;
  private final LongSupplier nanoTime;
  private final LongSupplier fetchedBytes;
  private final long startNanos;
  private long fetchedCounted;
  private boolean waited;
  private long waitNanos;
  private long allWaitNanos;
  private long toldMillis;

  /** Takes the counters of a job; a call also shows that the task is alive. */
  @FunctionalInterface
  public interface Sink {
    void add(StreamCounter counter, long amount);
  }

  /**
   * @param nanoTime as {@link System#nanoTime}
   * @param fetchedBytes bytes that came from the disk so far for reads of block files
   */
  RunMeter(Sink counters, LongSupplier nanoTime, LongSupplier fetchedBytes) {
    this.counters = counters;
    this.nanoTime = nanoTime;
    this.fetchedBytes = fetchedBytes;
    this.fetchedCounted = fetchedBytes.getAsLong();
    this.startNanos = nanoTime.getAsLong();
  }

  long nanoTime() {
    return nanoTime.getAsLong();
  }

  /** How long the task has worked. */
  long taskNanos() {
    return nanoTime() - startNanos;
  }

  void onCall() {
    counters.add(StreamCounter.LEDGER_CALLS, 1);
  }

  /** The task waited for a run or the end from {@code sinceNanos} until now. */
  void onWaited(long sinceNanos) {
    long nanos = nanoTime() - sinceNanos;
    allWaitNanos += nanos;
    if (!waited) {
      waited = true;
      counters.add(StreamCounter.FIRST_WAIT_MILLIS, nanos / NANOS_PER_MILLI);
      return;
    }
    long before = waitNanos / NANOS_PER_MILLI;
    waitNanos += nanos;
    counters.add(StreamCounter.LEDGER_WAIT_MILLIS, waitNanos / NANOS_PER_MILLI - before);
  }

  /** The task left the rest of the blocks to others from {@code sinceNanos} until now. */
  void onHeldBack(long sinceNanos) {
    counters.add(StreamCounter.HELD_BACK_MILLIS, (nanoTime() - sinceNanos) / NANOS_PER_MILLI);
  }

  /** How long the task has waited, as far as that is not reported to the node yet. */
  long untoldWaitMillis() {
    return allWaitNanos / NANOS_PER_MILLI - toldMillis;
  }

  /** The node has answered a question that reported the wait. */
  void onToldWait(long millis) {
    toldMillis += millis;
  }

  void onProcessed(DrawnRun run, boolean askedAhead) {
    counters.add(StreamCounter.RUNS, 1);
    counters.add(StreamCounter.RUNS_ASKED_AHEAD, askedAhead ? 1 : 0);
    counters.add(StreamCounter.BLOCKS, run.blockCount());
    counters.add(StreamCounter.BYTES, run.bytes());
    counters.add(StreamCounter.STOLEN_BLOCKS, run.stolen() ? run.blockCount() : 0);
  }

  /** The task ends for the sake of another job. */
  void onYielded() {
    counters.add(StreamCounter.YIELDED_TASKS, 1);
  }

  /** The task's mapper wants no more records. */
  void onStopped() {
    counters.add(StreamCounter.STOPPED_TASKS, 1);
    onEnd();
  }

  /** The task reads no more; may be called again. */
  void onClosed() {
    long fetched = fetchedBytes.getAsLong();
    counters.add(StreamCounter.BYTES_FETCHED_FROM_DISK, fetched - fetchedCounted);
    fetchedCounted = fetched;
  }

  void onEnd() {
    counters.add(StreamCounter.TASK_MILLIS, (nanoTime() - startNanos) / NANOS_PER_MILLI);
  }
}
