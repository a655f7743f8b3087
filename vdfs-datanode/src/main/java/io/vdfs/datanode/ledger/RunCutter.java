package io.vdfs.datanode.ledger;

import java.util.ArrayList;
import java.util.List;

/**
 * Cuts runs off one edge of a pool, in the order in which they will be taken, without taking them.
 * A run never goes over the end of a group or a file. Confined to the ledger's owner.
 */
final class RunCutter {
  private final RangeDeque pool;
  private final boolean fromFront;
  private final int groupBlocks;

  RunCutter(RangeDeque pool, boolean fromFront, int groupBlocks) {
    this.pool = pool;
    this.fromFront = fromFront;
    this.groupBlocks = groupBlocks;
  }

  /**
   * @param blocks at most, in all runs together; at least 1
   * @param runs at most; at least 1
   * @return at least one run, as the pool is not empty
   */
  List<BlockRange> cut(int blocks, int runs) {
    List<BlockRange> cut = new ArrayList<>();
    int left = blocks;
    for (int index = 0; index < pool.ranges(); index++) {
      BlockRange uncut = pool.range(fromFront ? index : pool.ranges() - 1 - index);
      while (uncut.count() > 0) {
        if (left == 0 || cut.size() == runs) {
          return cut;
        }
        BlockRange run =
            fromFront
                ? RunSize.front(uncut, left, groupBlocks)
                : RunSize.back(uncut, left, groupBlocks);
        cut.add(run);
        left -= run.count();
        int first = fromFront ? run.end() : uncut.first();
        uncut = new BlockRange(uncut.file(), first, uncut.count() - run.count());
      }
    }
    return cut;
  }
}
