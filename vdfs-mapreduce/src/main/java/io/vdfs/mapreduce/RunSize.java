package io.vdfs.mapreduce;

/**
 * How many blocks to ask for next: what the task gets through in about two seconds at its measured
 * rate, so that a slow task never sits on much. The ledger shortens it near the end of the input.
 * Confined to the task's thread.
 */
final class RunSize {
  private static final double TARGET_NANOS = 2e9;
  private static final int MOST_BLOCKS = 64;

  private double nanosPerBlock;

  /** Blocks to ask for, 1 before anything was measured. */
  int wanted() {
    if (nanosPerBlock <= 0) {
      return 1;
    }
    return (int) Math.max(1, Math.min(MOST_BLOCKS, TARGET_NANOS / nanosPerBlock));
  }

  /** Takes a finished run into account; the recent past counts half. */
  void onRun(int blocks, long nanos) {
    double measured = (double) Math.max(1, nanos) / blocks;
    nanosPerBlock = nanosPerBlock <= 0 ? measured : (nanosPerBlock + measured) / 2;
  }
}
