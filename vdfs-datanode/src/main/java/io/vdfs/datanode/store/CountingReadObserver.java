package io.vdfs.datanode.store;

import io.vdfs.datanode.store.read.ReadObserver;
import io.vdfs.datanode.store.read.ReadTask;

/** Counts what the reader of a volume does. Thread-safe. */
final class CountingReadObserver implements ReadObserver {
  private final StoreCounters counters;

  CountingReadObserver(StoreCounters counters) {
    this.counters = counters;
  }

  @Override
  public void onQueue(int change) {
    counters.add(StoreCounter.READ_QUEUE, change);
  }

  @Override
  public void onRefused() {
    counters.increment(StoreCounter.READS_REFUSED);
  }

  @Override
  public void onRead(ReadTask task, boolean continues, long run) {
    counters.increment(StoreCounter.READS);
    counters.add(StoreCounter.READ_BYTES, task.length());
    if (!continues) {
      counters.increment(StoreCounter.DISCONTINUITIES);
    }
    counters.raiseTo(StoreCounter.LONGEST_RUN, run);
  }
}
