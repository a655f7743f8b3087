package io.vdfs.datanode.ledger.draw;

import io.vdfs.datanode.ledger.state.BlockRange;

/**
 * The number of blocks that a task gets at a time: one at first, so that every task starts soon and
 * its rate becomes known; then what it wants, but near the end no more than half of an equal share
 * of what is left (guided self-scheduling), so that a slow task never sits on much. Pure.
 */
public final class RunSize {
  private RunSize() {}

  /**
   * Most blocks of the next run.
   *
   * @param position runs the task owns already
   * @param wanted at least 1
   * @param remaining blocks of the stream that no task owns, at least 1
   * @param tasks that run at the same time
   */
  public static int limit(int position, int wanted, long remaining, int tasks) {
    if (position == 0) {
      return 1;
    }
    long shares = 2L * tasks;
    long guided = (remaining + shares - 1) / shares;
    return (int) Math.min(wanted, guided);
  }

  /** The first blocks of {@code range} up to {@code limit}, within one group. */
  static BlockRange front(BlockRange range, int limit, int groupBlocks) {
    int inGroup = groupBlocks - range.first() % groupBlocks;
    int count = Math.min(Math.min(limit, inGroup), range.count());
    return new BlockRange(range.file(), range.first(), count);
  }

  /** The last blocks of {@code range} up to {@code limit}, within one group. */
  static BlockRange back(BlockRange range, int limit, int groupBlocks) {
    int inGroup = (range.end() - 1) % groupBlocks + 1;
    int count = Math.min(Math.min(limit, inGroup), range.count());
    return new BlockRange(range.file(), range.end() - count, count);
  }
}
