package io.vdfs.datanode.store;

import io.vdfs.common.model.FileKey;
import java.util.Iterator;
import java.util.LinkedHashSet;

/**
 * Which files were removed here. Of the latest it is known; of the others, those removed before the
 * last start among them, only that their ids, which rise, are not above a floor. Thread-safe.
 */
final class RemovedFiles {
  static final int REMEMBERED = 100_000;

  private final int capacity;
  private final LinkedHashSet<FileKey> latest = new LinkedHashSet<>();
  private long floor;
  private long highest;

  /**
   * @param capacity files to remember one by one
   * @param floor no file with a higher id was removed before
   */
  RemovedFiles(int capacity, long floor) {
    this.capacity = capacity;
    this.floor = floor;
    this.highest = floor;
  }

  synchronized void add(FileKey file) {
    highest = Math.max(highest, file.fileId());
    if (latest.add(file) && latest.size() > capacity) {
      Iterator<FileKey> oldest = latest.iterator();
      floor = Math.max(floor, oldest.next().fileId());
      oldest.remove();
    }
  }

  /** Whether it is known to have been removed. */
  synchronized boolean contains(FileKey file) {
    return latest.contains(file);
  }

  /** Whether it may have been removed, for all that is known here. */
  synchronized boolean mayContain(FileKey file) {
    return latest.contains(file) || file.fileId() <= floor;
  }

  /** No file with a higher id was ever removed. */
  synchronized long highest() {
    return highest;
  }
}
