package io.vdfs.datanode.ledger.draw;

import io.vdfs.datanode.ledger.state.BlockRange;
import io.vdfs.datanode.ledger.state.RangeDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts runs off one edge of a pool, or out of it from a place on, in the order in which they will
 * be taken, without taking them. A run never goes over the end of a group or a file. Confined to
 * the ledger's owner.
 */
public final class RunCutter {
  private final RangeDeque pool;
  private final boolean fromFront;
  private final int groupBlocks;

  /** Cuts a pool that does not change meanwhile; runs come from its front or its back. */
  public RunCutter(RangeDeque pool, boolean fromFront, int groupBlocks) {
    this.pool = pool;
    this.fromFront = fromFront;
    this.groupBlocks = groupBlocks;
  }

  /**
   * Runs off the edge of the pool, which is not empty.
   *
   * @param blocks at most, in all runs together; at least 1
   * @param runs at most; at least 1
   * @return at least one run, as the pool is not empty
   */
  public List<BlockRange> cut(int blocks, int runs) {
    List<BlockRange> cut = new ArrayList<>();
    int left = blocks;
    for (int index = 0; index < pool.ranges() && left > 0 && cut.size() < runs; index++) {
      left = cut(pool.range(fromFront ? index : pool.ranges() - 1 - index), left, runs, cut);
    }
    return cut;
  }

  /**
   * Runs from a place on, in disk order; only for a cutter from the front.
   *
   * @param window where to begin, and how far to go
   * @param beyond whether to go on behind the window, in other files too
   * @return empty if nothing is left there
   */
  List<BlockRange> cutFrom(BlockRange window, boolean beyond, int blocks, int runs) {
    List<BlockRange> cut = new ArrayList<>();
    int left = blocks;
    int index = pool.firstBehind(window.file(), window.first());
    for (; index < pool.ranges() && left > 0 && cut.size() < runs; index++) {
      BlockRange range = pool.range(index);
      boolean inFile = range.file() == window.file();
      int first = inFile ? Math.max(range.first(), window.first()) : range.first();
      int windowEnd = inFile ? Math.min(range.end(), window.end()) : first;
      int end = beyond ? range.end() : windowEnd;
      if (end <= first) {
        return cut;
      }
      left = cut(new BlockRange(range.file(), first, end - first), left, runs, cut);
    }
    return cut;
  }

  /** Cuts up a range as far as wanted; returns how many blocks are wanted still. */
  private int cut(BlockRange range, int blocks, int runs, List<BlockRange> cut) {
    int left = blocks;
    BlockRange uncut = range;
    while (uncut.count() > 0 && left > 0 && cut.size() < runs) {
      BlockRange run =
          fromFront
              ? RunSize.front(uncut, left, groupBlocks)
              : RunSize.back(uncut, left, groupBlocks);
      cut.add(run);
      left -= run.count();
      int first = fromFront ? run.end() : uncut.first();
      uncut = new BlockRange(uncut.file(), first, uncut.count() - run.count());
    }
    return left;
  }
}
