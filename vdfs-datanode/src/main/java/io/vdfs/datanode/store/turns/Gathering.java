package io.vdfs.datanode.store.turns;

import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.status.StoreCounters;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Forces of a volume that nobody reads, which go together where they come together: the system then
 * has the disk flush once for several. Guarded by the gate's lock, which those that wait here
 * leave.
 */
final class Gathering {
  private static final int OTHERS_SHARE = 4;
  private static final double COMPANY_SHARE = 0.75;

  /** Not all threads of the node that force files should wait here. */
  private static final int MOST_IN_COMPANY = 8;

  private final Condition changed;
  private final StoreCounters counters;
  private final long othersNanos;
  private final Company company;
  private int underWay;
  private int waiting;
  private int inCompany;

  /** How often all that were under way had ended. */
  private long ended;

  /** Number of the small files' forces that go together next. */
  private long batch;

  Gathering(ReentrantLock lock, long patienceNanos, StoreCounters counters) {
    this.changed = lock.newCondition();
    this.counters = counters;
    this.othersNanos = patienceNanos / OTHERS_SHARE;
    this.company = new Company((long) (patienceNanos * COMPANY_SHARE));
  }

  int waiting() {
    return waiting;
  }

  void onBegin() {
    underWay++;
  }

  void onEnd() {
    underWay--;
    if (underWay == 0) {
      ended++;
      changed.signalAll();
    }
  }

  /** The force of a small file took so long. */
  void onSmallFileForced(long nanos) {
    company.onForced(nanos);
  }

  /** Those that wait go now; the reader begins. */
  void onReading() {
    letBatchGo();
  }

  /**
   * Waits for those that are under way, for a quarter of the patience at most, and takes along
   * those that wait for company. An interrupt does not end the wait.
   */
  void awaitOthers() {
    if (underWay > 0) {
      long came = System.nanoTime();
      long before = ended;
      await(() -> leftForOthers(came, before));
    }
    letBatchGo();
  }

  /**
   * Waits for those that are under way as {@link #awaitOthers} does, and for others like this one,
   * for three quarters of the patience at most, and until so many wait that it pays no more.
   */
  void awaitCompany() {
    long came = System.nanoTime();
    long before = ended;
    long mine = batch;
    company.onCame(came, underWay + waiting + 1);
    inCompany++;
    if (inCompany >= MOST_IN_COMPANY) {
      letBatchGo();
    }
    await(() -> batch == mine ? leftForCompany(came, before) : 0);
    inCompany--;
    if (batch == mine) {
      letBatchGo();
    }
  }

  private long leftForOthers(long came, long endedBefore) {
    return underWay > 0 && ended == endedBefore ? came + othersNanos - System.nanoTime() : 0;
  }

  private long leftForCompany(long came, long endedBefore) {
    return Math.max(leftForOthers(came, endedBefore), company.left(System.nanoTime(), came));
  }

  private void letBatchGo() {
    batch++;
    changed.signalAll();
  }

  private void await(LongSupplier leftNanos) {
    long left = leftNanos.getAsLong();
    if (left <= 0) {
      return;
    }
    counters.increment(StoreCounter.WRITES_GATHERED);
    waiting++;
    boolean interrupted = false;
    while (left > 0) {
      try {
        var unused = changed.awaitNanos(left);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      left = leftNanos.getAsLong();
    }
    waiting--;
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
