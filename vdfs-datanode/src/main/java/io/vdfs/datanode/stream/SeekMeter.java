package io.vdfs.datanode.stream;

import io.vdfs.common.metrics.Counters;

/** Tells runs from seeks by where a volume was read last. Confined to its queue. */
final class SeekMeter {
  private static final long MIB = 1 << 20;
  private static final double USUAL_RATE = 150e6;
  private static final double WEIGHT_BYTES = 64 * MIB;

  private final Counters<StreamManagerCounter> counters;
  private final long skip;
  private Extent last;
  private long run;
  private double bytesPerSecond = USUAL_RATE;

  /**
   * @param skip bytes that may lie between two reads of a run
   */
  SeekMeter(Counters<StreamManagerCounter> counters, long skip) {
    this.counters = counters;
    this.skip = skip;
  }

  /** Counts a read that has ended. */
  void onRead(Extent read, long bytes, long nanos) {
    counters.increment(StreamManagerCounter.DISK_READS);
    counters.add(StreamManagerCounter.DISK_BYTES, bytes);
    if (!continues(read)) {
      counters.increment(StreamManagerCounter.DISCONTINUITIES);
      endRun();
    }
    run += bytes;
    last = read;
    if (nanos > 0) {
      double weight = bytes / (bytes + WEIGHT_BYTES);
      bytesPerSecond += weight * (bytes * 1e9 / nanos - bytesPerSecond);
    }
  }

  private boolean continues(Extent read) {
    return last != null
        && read.file().equals(last.file())
        && read.start() >= last.end()
        && read.start() <= last.end() + skip;
  }

  /** Whether there is a run that may go on. */
  boolean isInRun() {
    return run > 0;
  }

  /** Counts the run by its length, if there is one; what continues it is another run. */
  void endRun() {
    if (run > 0) {
      counters.increment(lengthClass(run));
    }
    run = 0;
  }

  private static StreamManagerCounter lengthClass(long bytes) {
    if (bytes < MIB) {
      return StreamManagerCounter.RUNS_BELOW_1M;
    }
    if (bytes < 8 * MIB) {
      return StreamManagerCounter.RUNS_1M_TO_8M;
    }
    return bytes < 32 * MIB
        ? StreamManagerCounter.RUNS_8M_TO_32M
        : StreamManagerCounter.RUNS_FROM_32M;
  }

  /** The recent speed of the disk. */
  double bytesPerSecond() {
    return bytesPerSecond;
  }
}
