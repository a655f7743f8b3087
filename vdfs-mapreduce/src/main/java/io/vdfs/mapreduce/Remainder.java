package io.vdfs.mapreduce;

/**
 * Whether a slow task should leave the rest of the job's blocks to the others, as they would be
 * through with all of it before this task is through with its next block. Else the whole job would
 * wait for that block.
 *
 * <p>How fast the others draw follows from how the number of remaining blocks falls between two
 * answers of the ledger. Each of the others counts as one block more than remains, for the run it
 * is at; so tasks of equal speed never leave anything. Example: three tasks, of which two need 3 s
 * for a block and this one 30 s. The others draw a block every 1.5 s, 20 while this task is at one,
 * so it leaves the last 17 to them. Confined to the task's thread.
 */
final class Remainder {
  /** Tasks that get through a block faster than this don't keep a job waiting. */
  private static final double SLOW_NANOS_PER_BLOCK = 2e9;

  private final int otherTasks;
  private boolean answered;
  private long firstNanos;
  private long firstRemaining;
  private long lastNanos;
  private long lastRemaining;
  private long ownBlocks;

  /**
   * @param otherTasks that draw from the same stream
   */
  Remainder(int otherTasks) {
    this.otherTasks = otherTasks;
  }

  /**
   * @param remaining blocks that no task owns
   * @param drawn blocks this task got with the answer
   */
  void onAnswer(long remaining, int drawn, long nanos) {
    if (answered) {
      ownBlocks += drawn;
    } else {
      answered = true;
      firstNanos = nanos;
      firstRemaining = remaining;
    }
    lastNanos = nanos;
    lastRemaining = remaining;
  }

  /**
   * @param nanosPerBlock what this task needs
   * @param nanos when it could begin with another block
   */
  boolean isForOthers(double nanosPerBlock, long nanos) {
    long elapsed = lastNanos - firstNanos;
    if (otherTasks == 0 || elapsed <= 0 || nanosPerBlock < SLOW_NANOS_PER_BLOCK) {
      return false;
    }
    double othersPerNano = (double) (firstRemaining - lastRemaining - ownBlocks) / elapsed;
    double left = Math.max(0, lastRemaining - othersPerNano * (nanos - lastNanos));
    return othersPerNano * nanosPerBlock > left + otherTasks;
  }
}
