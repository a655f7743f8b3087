package io.vdfs.datanode.store;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Values of the {@link StoreCounter}s of one store. Thread-safe. */
public final class StoreCounters {
  private final Map<StoreCounter, AtomicLong> values = new EnumMap<>(StoreCounter.class);

  StoreCounters() {
    for (StoreCounter counter : StoreCounter.values()) {
      values.put(counter, new AtomicLong());
    }
  }

  public long get(StoreCounter counter) {
    return values.get(counter).get();
  }

  void add(StoreCounter counter, long amount) {
    values.get(counter).addAndGet(amount);
  }

  void increment(StoreCounter counter) {
    add(counter, 1);
  }
}
