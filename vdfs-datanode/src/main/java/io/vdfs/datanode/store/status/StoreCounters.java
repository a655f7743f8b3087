package io.vdfs.datanode.store.status;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Values of the {@link StoreCounter}s of one store. Thread-safe. */
public final class StoreCounters {
  private final Map<StoreCounter, AtomicLong> values = new EnumMap<>(StoreCounter.class);

  public StoreCounters() {
    for (StoreCounter counter : StoreCounter.values()) {
      values.put(counter, new AtomicLong());
    }
  }

  public long get(StoreCounter counter) {
    return values.get(counter).get();
  }

  public void add(StoreCounter counter, long amount) {
    values.get(counter).addAndGet(amount);
  }

  public void increment(StoreCounter counter) {
    add(counter, 1);
  }
}
