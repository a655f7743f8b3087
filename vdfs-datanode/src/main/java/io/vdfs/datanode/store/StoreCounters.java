package io.vdfs.datanode.store;

import java.util.concurrent.atomic.AtomicLongArray;

/** Values of the {@link StoreCounter}s of one store. Thread-safe. */
public final class StoreCounters {
  private final AtomicLongArray values = new AtomicLongArray(StoreCounter.values().length);

  public long get(StoreCounter counter) {
    return values.get(counter.ordinal());
  }

  void add(StoreCounter counter, long amount) {
    values.addAndGet(counter.ordinal(), amount);
  }

  void increment(StoreCounter counter) {
    add(counter, 1);
  }

  void raiseTo(StoreCounter counter, long value) {
    values.accumulateAndGet(counter.ordinal(), value, Math::max);
  }
}
