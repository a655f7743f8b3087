package io.vdfs.datanode.ledger.state;

import io.vdfs.common.model.FileKey;
import java.util.Arrays;

/**
 * One input file as pinned by the client, with the block ranges to hand out, ascending. Ranges that
 * touch are one. Confined to the ledger's owner.
 */
public final class PinnedFile {
  private final FileKey key;
  private final long length;
  private final String path;
  private int[] cells = new int[2];
  private int ranges;

  PinnedFile(FileKey key, long length, String path) {
    this.key = key;
    this.length = length;
    this.path = path;
  }

  /** Which content it is. */
  public FileKey key() {
    return key;
  }

  /** Bytes, as pinned. */
  public long length() {
    return length;
  }

  /** The path by which the client named it. */
  public String path() {
    return path;
  }

  /** Number of ranges. */
  public int ranges() {
    return ranges;
  }

  /** First block of a range. */
  public int rangeFirst(int index) {
    return cells[2 * index];
  }

  /** Blocks of a range, at least 1. */
  public int rangeCount(int index) {
    return cells[2 * index + 1];
  }

  /** Block after the last one to hand out; 0 without ranges. */
  public int end() {
    return ranges == 0 ? 0 : rangeFirst(ranges - 1) + rangeCount(ranges - 1);
  }

  void addRange(int first, int count) {
    if (ranges > 0 && end() == first) {
      cells[2 * ranges - 1] += count;
      return;
    }
    if (cells.length == 2 * ranges) {
      cells = Arrays.copyOf(cells, 4 * ranges);
    }
    cells[2 * ranges] = first;
    cells[2 * ranges + 1] = count;
    ranges++;
  }

  @Override
  public String toString() {
    return path + " (" + key + ")";
  }
}
