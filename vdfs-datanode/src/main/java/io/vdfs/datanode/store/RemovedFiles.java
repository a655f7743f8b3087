package io.vdfs.datanode.store;

import io.vdfs.common.model.FileKey;
import java.util.Iterator;
import java.util.LinkedHashSet;

/**
 * Which files were removed here. Of the latest it is known; of the others, those removed before the
 * last start among them, only that neither their ids nor the sequences of their deletions, which
 * both rise, are above a floor. Thread-safe.
 */
final class RemovedFiles {
  static final int REMEMBERED = 100_000;

  private final int capacity;
  private final LinkedHashSet<FileKey> latest = new LinkedHashSet<>();
  private RemovalMark floor;
  private RemovalMark highest;

  /**
   * @param capacity files to remember one by one: more than are removed between two calls of {@link
   *     #reached}
   * @param floor neither a file with a higher id was removed before, nor by a later deletion
   */
  RemovedFiles(int capacity, RemovalMark floor) {
    this.capacity = capacity;
    this.floor = floor;
    this.highest = floor;
  }

  synchronized void add(FileKey file) {
    highest = highest.orHigher(new RemovalMark(file.fileId(), 0));
    if (latest.add(file) && latest.size() > capacity) {
      Iterator<FileKey> oldest = latest.iterator();
      // its deletion is not above those that were reached since
      floor = floor.orHigher(new RemovalMark(oldest.next().fileId(), highest.lastDeletion()));
      oldest.remove();
    }
  }

  /** The deletions up to this one were tried. */
  synchronized void reached(long deletion) {
    highest = highest.orHigher(new RemovalMark(0, deletion));
  }

  /** Whether it is known to have been removed. */
  synchronized boolean contains(FileKey file) {
    return latest.contains(file);
  }

  /** Whether it may have been removed, for all that is known here. */
  synchronized boolean mayContain(FileKey file) {
    return latest.contains(file) || file.fileId() <= floor.highestId();
  }

  /**
   * Whether a file may have been removed that was there when a deletion was the last one, and it is
   * not known that it was.
   */
  synchronized boolean mustAsk(FileKey file, long lastDeletion) {
    return !latest.contains(file)
        && file.fileId() <= floor.highestId()
        && lastDeletion < floor.lastDeletion();
  }

  /** Whether it is known at all which deletions were carried out here. */
  synchronized boolean knowsSequences() {
    return !floor.equals(RemovalMark.ANYTHING);
  }

  /** Neither was a file with a higher id removed, nor by a later deletion. */
  synchronized RemovalMark mark() {
    return highest;
  }
}
