package io.vdfs.datanode.machine;

import io.vdfs.common.metrics.CounterName;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;

/** How much of the machine's memory the daemon's heap may still take. */
public enum HeapLevel implements CounterName {
  HEAP_GROWTH_BYTES;

  /** Heap that has been used once is in memory already. */
  public static long read() {
    long used =
        ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .mapToLong(pool -> pool.getPeakUsage().getUsed())
            .sum();
    return Math.max(0, Runtime.getRuntime().maxMemory() - used);
  }

  @Override
  public String label() {
    return "bytes by which the heap may still grow over what was once used";
  }

  @Override
  public boolean isLevel() {
    return true;
  }
}
