package io.vdfs.client.hadoop.streams;

import java.io.EOFException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.fs.FileRange;

/**
 * Ranges of a file that are read as one, in the order of their offsets. Hadoop's own classes for
 * this differ from release to release. Confined to its maker until it is handed on whole.
 */
final class JoinedRanges {
  private final List<FileRange> ranges = new ArrayList<>();
  private final long offset;
  private int length;

  private JoinedRanges(FileRange first) {
    this.offset = first.getOffset();
    this.length = first.getLength();
    this.ranges.add(first);
  }

  /**
   * Joins what lies close together.
   *
   * @param asked in any order
   * @param fileLength which no range may reach past
   * @param gap that is too wide to be read over
   * @param most bytes that are read at once, unless one range is longer
   * @throws IllegalArgumentException if ranges overlap or have a negative length
   * @throws EOFException if a range starts below zero or reaches past the end
   */
  static List<JoinedRanges> of(List<? extends FileRange> asked, long fileLength, int gap, int most)
      throws EOFException {
    List<FileRange> sorted = new ArrayList<>(asked);
    for (FileRange range : sorted) {
      check(range, fileLength);
    }
    sorted.sort(Comparator.comparingLong(FileRange::getOffset));
    List<JoinedRanges> joined = new ArrayList<>();
    FileRange previous = null;
    for (FileRange range : sorted) {
      if (previous != null && range.getOffset() < end(previous)) {
        throw new IllegalArgumentException("ranges overlap: " + previous + " and " + range);
      }
      previous = range;
      if (joined.isEmpty() || !joined.get(joined.size() - 1).takes(range, gap, most)) {
        joined.add(new JoinedRanges(range));
      }
    }
    return joined;
  }

  private static void check(FileRange range, long fileLength) throws EOFException {
    Objects.requireNonNull(range, "range");
    if (range.getLength() < 0) {
      throw new IllegalArgumentException("a range's length is below zero: " + range);
    }
    if (range.getOffset() < 0) {
      throw new EOFException("a range starts below zero: " + range);
    }
    if (range.getOffset() >= fileLength || end(range) > fileLength) {
      throw new EOFException(
          "a range reaches past the end of the file: " + range + ", fileLength=" + fileLength);
    }
  }

  private static long end(FileRange range) {
    return range.getOffset() + range.getLength();
  }

  private boolean takes(FileRange next, int gap, int most) {
    if (next.getOffset() - (offset + length) >= gap || end(next) - offset > most) {
      return false;
    }
    length = Math.toIntExact(end(next) - offset);
    ranges.add(next);
    return true;
  }

  long offset() {
    return offset;
  }

  int length() {
    return length;
  }

  List<FileRange> ranges() {
    return ranges;
  }

  /**
   * The bytes of one of the ranges.
   *
   * @param filled those of all of them; left as it is
   */
  ByteBuffer slice(ByteBuffer filled, FileRange range) {
    return filled.slice(Math.toIntExact(range.getOffset() - offset), range.getLength());
  }
}
