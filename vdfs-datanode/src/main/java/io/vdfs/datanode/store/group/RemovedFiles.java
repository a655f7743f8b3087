package io.vdfs.datanode.store.group;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.store.volume.RemovalMark;
import java.util.Iterator;
import java.util.LinkedHashSet;

/**
 * The files that were removed here. The latest ones are known one by one; of all others, those
 * removed before the last start among them, it is known only that neither their ids nor the
 * sequences of their deletions, which both rise, are above a floor. Thread-safe.
 */
public final class RemovedFiles {
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
  public RemovedFiles(int capacity, RemovalMark floor) {
    this.capacity = capacity;
    this.floor = floor;
    this.highest = floor;
  }

  public synchronized void add(FileKey file) {
    highest = highest.orHigher(new RemovalMark(file.fileId(), 0));
    if (latest.add(file) && latest.size() > capacity) {
      Iterator<FileKey> oldest = latest.iterator();
      // its deletion is not above those that were reached since
      floor = floor.orHigher(new RemovalMark(oldest.next().fileId(), highest.lastDeletion()));
      oldest.remove();
    }
  }

  /** The deletions up to this one were tried. */
  public synchronized void reached(long deletion) {
    highest = highest.orHigher(new RemovalMark(0, deletion));
  }

  /** Whether it is known to have been removed. */
  public synchronized boolean contains(FileKey file) {
    return latest.contains(file);
  }

  /** Whether it may have been removed, for all that is known here. */
  public synchronized boolean mayContain(FileKey file) {
    return latest.contains(file) || file.fileId() <= floor.highestId();
  }

  /**
   * Whether a file that existed when a deletion was the last one may have been removed here since,
   * without that being known for certain.
   */
  public synchronized boolean mustAsk(FileKey file, long lastDeletion) {
    return !latest.contains(file)
        && file.fileId() <= floor.highestId()
        && lastDeletion < floor.lastDeletion();
  }

  /** Whether it is known at all which deletions were carried out here. */
  synchronized boolean knowsSequences() {
    return !floor.equals(RemovalMark.ANYTHING);
  }

  /** Neither was a file with a higher id removed, nor by a later deletion. */
  public synchronized RemovalMark mark() {
    return highest;
  }

  /**
   * The error for a writer whose file may have been removed since the metadata told the writer of
   * it.
   */
  static VdfsException staleTicket(FileKey file, long lastDeletion, long reached) {
    return new VdfsException(
        ErrorCode.STALE_TICKET,
        ("file may have been deleted since the ticket was given out: file=%s, deletions"
                + " known to the ticket=%s, carried out here=%s")
            .formatted(file, lastDeletion, reached));
  }

  /** The error for a call that would make a removed file again. */
  static VdfsException refusal(FileKey file) {
    return new VdfsException(ErrorCode.FENCED, "file was deleted: file=" + file);
  }
}
