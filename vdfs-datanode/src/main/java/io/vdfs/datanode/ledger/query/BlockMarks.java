package io.vdfs.datanode.ledger.query;

import io.vdfs.datanode.ledger.state.PinnedFile;
import java.util.BitSet;

/**
 * Marks blocks of one file. Takes a bit for each block to hand out and nothing for those between,
 * however far apart in the file they stand. A question takes time for the blocks that it is about,
 * not for those of the file. Used for one audit.
 */
final class BlockMarks {
  private final PinnedFile file;

  /** Blocks to hand out before each range. */
  private final int[] before;

  private final BitSet marked = new BitSet();

  BlockMarks(PinnedFile file) {
    this.file = file;
    this.before = new int[file.ranges()];
    for (int range = 1; range < before.length; range++) {
      before[range] = before[range - 1] + file.rangeCount(range - 1);
    }
  }

  /** The first of some consecutive blocks that is not to be handed out; -1 if all are. */
  int firstOutside(int first, int end) {
    int block = first;
    for (int range = firstBehind(first); block < end; range++) {
      if (range == before.length || file.rangeFirst(range) > block) {
        return block;
      }
      block = end(range);
    }
    return -1;
  }

  /** The first of some consecutive blocks that is marked; -1 if none is. */
  int firstMarked(int first, int end) {
    for (int range = firstBehind(first); reaches(range, end); range++) {
      int from = ordinal(range, Math.max(first, file.rangeFirst(range)));
      int bit = marked.get(from, ordinal(range, Math.min(end, end(range)))).nextSetBit(0);
      if (bit >= 0) {
        return file.rangeFirst(range) + from + bit - before[range];
      }
    }
    return -1;
  }

  /** Marks those of some consecutive blocks that are to be handed out. */
  void mark(int first, int end) {
    for (int range = firstBehind(first); reaches(range, end); range++) {
      marked.set(
          ordinal(range, Math.max(first, file.rangeFirst(range))),
          ordinal(range, Math.min(end, end(range))));
    }
  }

  /** The first block of a range that is not marked; -1 if all are. */
  int firstUnmarked(int range) {
    int bit = marked(range).nextClearBit(0);
    return bit < file.rangeCount(range) ? file.rangeFirst(range) + bit : -1;
  }

  /** Number of blocks of a range that are not marked. */
  int unmarked(int range) {
    return file.rangeCount(range) - marked(range).cardinality();
  }

  /** The marks of a range alone: a search in all of them would go far beyond it. */
  private BitSet marked(int range) {
    return marked.get(before[range], before[range] + file.rangeCount(range));
  }

  private boolean reaches(int range, int end) {
    return range < before.length && file.rangeFirst(range) < end;
  }

  private int ordinal(int range, int block) {
    return before[range] + block - file.rangeFirst(range);
  }

  private int end(int range) {
    return file.rangeFirst(range) + file.rangeCount(range);
  }

  /** Index of the first range that ends behind a block; the number of ranges if there is none. */
  private int firstBehind(int block) {
    int low = 0;
    int high = before.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (end(middle) > block) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
}
