package io.vdfs.datanode.ledger.state;

import java.util.Arrays;

/**
 * Blocks of one node that no task owns yet, in disk order; filled at the end, then taken anywhere,
 * mostly at both ends. Kept as ranges of three ints, so that a node's share of 100 TB takes about a
 * megabyte. Confined to the ledger's owner.
 */
public final class RangeDeque {
  private static final int CELLS = 3;

  private int[] cells = new int[4 * CELLS];
  private int head;
  private int tail;
  private long blocks;

  /** Blocks left. */
  public long blocks() {
    return blocks;
  }

  /** Number of ranges left. */
  public int ranges() {
    return (tail - head) / CELLS;
  }

  /** A range by its place, from 0. */
  public BlockRange range(int index) {
    int at = head + index * CELLS;
    return new BlockRange(cells[at], cells[at + 1], cells[at + 2]);
  }

  BlockRange front() {
    return range(0);
  }

  BlockRange back() {
    return range(ranges() - 1);
  }

  /** Adds blocks at the end; blocks that continue the last range become part of it. */
  void append(int file, int first, int count) {
    blocks += count;
    if (tail > head && continuesLast(file, first)) {
      cells[tail - 1] += count;
      return;
    }
    if (tail + CELLS > cells.length) {
      cells = Arrays.copyOf(cells, cells.length * 2);
    }
    cells[tail] = file;
    cells[tail + 1] = first;
    cells[tail + 2] = count;
    tail += CELLS;
  }

  /** Whether these blocks are left, all of them in one range. */
  boolean contains(BlockRange blocks) {
    return indexOf(blocks) >= 0;
  }

  /** Removes blocks that it {@link #contains}. */
  void take(BlockRange taken) {
    int index = indexOf(taken);
    BlockRange range = range(index);
    blocks -= taken.count();
    int at = head + index * CELLS;
    boolean atFront = taken.first() == range.first();
    boolean atBack = taken.end() == range.end();
    if (atFront && atBack) {
      remove(at);
    } else if (atFront) {
      cells[at + 1] += taken.count();
      cells[at + 2] -= taken.count();
    } else {
      cells[at + 2] = taken.first() - range.first();
      if (!atBack) {
        insert(at + CELLS, taken.end(), range.end() - taken.end());
      }
    }
  }

  private int indexOf(BlockRange wanted) {
    if (ranges() == 0 || wanted.count() < 1) {
      return -1;
    }
    for (int edge : new int[] {0, ranges() - 1}) {
      if (covers(range(edge), wanted)) {
        return edge;
      }
    }
    int index = firstBehind(wanted.file(), wanted.first());
    return index < ranges() && covers(range(index), wanted) ? index : -1;
  }

  private static boolean covers(BlockRange range, BlockRange wanted) {
    return range.file() == wanted.file()
        && range.first() <= wanted.first()
        && wanted.end() <= range.end();
  }

  /** Index of the first range that ends behind a block; the number of ranges if there is none. */
  public int firstBehind(int file, int block) {
    int low = 0;
    int high = ranges();
    while (low < high) {
      int middle = (low + high) >>> 1;
      BlockRange range = range(middle);
      if (range.file() > file || (range.file() == file && range.end() > block)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  private void remove(int at) {
    if (at - head <= tail - at) {
      System.arraycopy(cells, head, cells, head + CELLS, at - head);
      head += CELLS;
    } else {
      System.arraycopy(cells, at + CELLS, cells, at, tail - at - CELLS);
      tail -= CELLS;
    }
  }

  /** Adds a range of the same file as the one before {@code at}. */
  private void insert(int at, int first, int count) {
    int file = cells[at - CELLS];
    int place = at;
    if (head > 0) {
      System.arraycopy(cells, head, cells, head - CELLS, at - head);
      head -= CELLS;
      place -= CELLS;
    } else {
      if (tail + CELLS > cells.length) {
        cells = Arrays.copyOf(cells, cells.length * 2);
      }
      System.arraycopy(cells, at, cells, at + CELLS, tail - at);
      tail += CELLS;
    }
    cells[place] = file;
    cells[place + 1] = first;
    cells[place + 2] = count;
  }

  private boolean continuesLast(int file, int first) {
    return cells[tail - 3] == file && cells[tail - 2] + cells[tail - 1] == first;
  }
}
