package io.vdfs.datanode.ledger;

import java.util.Arrays;

/**
 * Blocks of one node that no task owns yet, in disk order; filled at the end, then taken from both
 * ends. Kept as ranges of three ints, so that a node's share of 100 TB takes about a megabyte.
 * Confined to the ledger's owner.
 */
final class RangeDeque {
  private static final int CELLS = 3;

  private int[] cells = new int[4 * CELLS];
  private int head;
  private int tail;
  private long blocks;

  /** Blocks left. */
  long blocks() {
    return blocks;
  }

  /** Number of ranges left. */
  int ranges() {
    return (tail - head) / CELLS;
  }

  BlockRange range(int index) {
    int at = head + index * CELLS;
    return new BlockRange(cells[at], cells[at + 1], cells[at + 2]);
  }

  BlockRange front() {
    return range(0);
  }

  BlockRange back() {
    return range(ranges() - 1);
  }

  /** Adds blocks at the end; what continues the last range becomes part of it. */
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

  /** Removes the first {@code count} blocks of the first range. */
  void takeFront(int count) {
    blocks -= count;
    cells[head + 1] += count;
    cells[head + 2] -= count;
    if (cells[head + 2] == 0) {
      head += CELLS;
    }
  }

  /** Removes the last {@code count} blocks of the last range. */
  void takeBack(int count) {
    blocks -= count;
    cells[tail - 1] -= count;
    if (cells[tail - 1] == 0) {
      tail -= CELLS;
    }
  }

  private boolean continuesLast(int file, int first) {
    return cells[tail - 3] == file && cells[tail - 2] + cells[tail - 1] == first;
  }
}
