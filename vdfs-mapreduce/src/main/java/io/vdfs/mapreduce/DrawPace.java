package io.vdfs.mapreduce;

/**
 * How many blocks to ask for next, and when: what the task gets through in about two seconds at its
 * measured rate, asked for so late that the answer arrives just before the current run ends. So a
 * slow task never holds many blocks. The ledger shortens runs near the end of the input. Confined
 * to the task's thread.
 */
final class DrawPace {
  private static final double TARGET_NANOS = 2e9;
  private static final int MOST_BLOCKS = 64;
  private static final long LEAST_LEAD_NANOS = 50_000_000;
  private static final int ROUNDS_OF_LEAD = 4;

  private double nanosPerBlock;
  private double nanosPerRound;

  /** Blocks to ask for, 1 before anything was measured. */
  int wanted() {
    if (!measured()) {
      return 1;
    }
    return (int) Math.max(1, Math.min(MOST_BLOCKS, TARGET_NANOS / nanosPerBlock));
  }

  /** Whether a run was processed, so that the rate is known. */
  boolean measured() {
    return nanosPerBlock > 0;
  }

  /** Time that a block takes; 0 before anything was measured. */
  double nanosPerBlock() {
    return nanosPerBlock;
  }

  /** How long a run should take. */
  long expectedNanos(int blocks) {
    return (long) (blocks * nanosPerBlock);
  }

  /** How long after the beginning of a run the next one should be asked for. */
  long askAheadAfterNanos(int blocks) {
    double lead = Math.max(LEAST_LEAD_NANOS, ROUNDS_OF_LEAD * nanosPerRound);
    return (long) Math.max(0, blocks * nanosPerBlock - lead);
  }

  /** Takes a finished run into account; the recent past counts half. */
  void onRun(int blocks, long nanos) {
    nanosPerBlock = smoothed(nanosPerBlock, (double) Math.max(1, nanos) / blocks);
  }

  /** Takes a call to the ledger into account. */
  void onRound(long nanos) {
    nanosPerRound = smoothed(nanosPerRound, (double) Math.max(1, nanos));
  }

  private static double smoothed(double past, double now) {
    return past <= 0 ? now : (past + now) / 2;
  }
}
