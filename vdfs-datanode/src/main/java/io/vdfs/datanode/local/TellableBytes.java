package io.vdfs.datanode.local;

import io.vdfs.common.metrics.Counters;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A counter of bytes that readers report. Readers are not trusted: it never exceeds what the node
 * has granted. Thread-safe.
 */
final class TellableBytes {
  private final Counters<LocalCounter> counters;
  private final LocalCounter counter;
  private final AtomicLong untold = new AtomicLong();

  TellableBytes(Counters<LocalCounter> counters, LocalCounter counter) {
    this.counters = counters;
    this.counter = counter;
  }

  void allow(long bytes) {
    untold.addAndGet(bytes);
  }

  /** Counts {@code bytes}, as far as they were granted. */
  void onTold(long bytes) {
    long told = Math.max(0, bytes);
    long before = untold.getAndUpdate(left -> left - Math.min(told, left));
    counters.add(counter, Math.min(told, before));
  }
}
