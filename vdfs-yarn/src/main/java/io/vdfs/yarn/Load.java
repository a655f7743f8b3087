package io.vdfs.yarn;

import java.util.Locale;

/**
 * How much is asked of each part of a node, relative to what containers should ask of it: of the
 * processors 1 where {@value #THREADS} threads for each of them run or want to. Also sums of such
 * numbers. Immutable.
 */
record Load(double cpu, double disks, double memory) {
  static final Load NONE = new Load(0, 0, 0);

  /**
   * Threads for each processor above which further ones only wait longer. A container has several,
   * as it starts and compiles, and while they wait for bytes, or YARN for the next container, those
   * of others run.
   */
  static final int THREADS = 6;

  /** As {@link #BUSY_DISK}, of a processor that is never idle. */
  private static final double BUSY_PROCESSOR = 0.7;

  /** Below this share of waiting threads a long run queue is a burst, not a lack of processors. */
  private static final double CPU_PRESSURE = 0.2;

  /** Requests at a disk above which further ones only wait longer. */
  private static final double DISK_QUEUE = 16;

  /**
   * What a disk of the DataNode counts that always has a request: little enough for more
   * containers, which start and compute while it serves others, as the stream manager has it read
   * in order whatever their number; but they come in smaller steps.
   */
  private static final double BUSY_DISK = 0.6;

  /** Share of waiting for memory that is as bad as a processor that is always busy. */
  private static final double MEMORY_PRESSURE = 0.1;

  static Load of(Sample sample) {
    boolean pressed = sample.cpuPressure().orElse(1) >= CPU_PRESSURE;
    double waiting = pressed ? sample.runnable() / THREADS : 0;
    double busy = sample.cpuBusy();
    double cpu = Math.max(busy > 1 ? busy : busy * BUSY_PROCESSOR, waiting);
    double disks =
        sample
            .disks()
            .map(seen -> Math.max(seen.busy() * BUSY_DISK, seen.queue() / DISK_QUEUE))
            .orElseGet(() -> sample.ioPressure().orElse(0));
    return new Load(cpu, disks, sample.memoryPressure().orElse(0) / MEMORY_PRESSURE);
  }

  Load plus(Load other) {
    return new Load(cpu + other.cpu, disks + other.disks, memory + other.memory);
  }

  Load dividedBy(int count) {
    return new Load(cpu / count, disks / count, memory / count);
  }

  double most() {
    return Math.max(cpu, Math.max(disks, memory));
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "cpu=%.2f, disks=%.2f, memory=%.2f", cpu, disks, memory);
  }
}
