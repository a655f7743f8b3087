package io.vdfs.datanode.stream;

import io.vdfs.datanode.store.CombinedFileId;

/** Bytes of a combined file, from {@code start} up to but without {@code end}. Immutable. */
record Extent(CombinedFileId file, long start, long end) implements Comparable<Extent> {
  Extent {
    if (start < 0 || end <= start) {
      throw new IllegalArgumentException("no bytes: start=" + start + ", end=" + end);
    }
  }

  long length() {
    return end - start;
  }

  boolean overlaps(Extent other) {
    return file.equals(other.file) && start < other.end && other.start < end;
  }

  /** In disk order. */
  @Override
  public int compareTo(Extent other) {
    int byFile = file.compareTo(other.file);
    int byStart = Long.compare(start, other.start);
    return byFile != 0 ? byFile : byStart != 0 ? byStart : Long.compare(end, other.end);
  }
}
