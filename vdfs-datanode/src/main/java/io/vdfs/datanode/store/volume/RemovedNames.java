package io.vdfs.datanode.store.volume;

import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.store.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Names taken out of a volume's directories that may come back in a power cut. A directory that was
 * not forced since the start counts as one with such names: an earlier process may have taken some
 * out. Thread-safe: the monitor guards the fields; it is not held while the disk works.
 */
public final class RemovedNames {
  /** Stands for the directory of blank files. */
  private static final int BLANKS = CombinedFileName.LEAVES;

  private final Disk disk;
  private final Path volume;

  /** Directories that were forced since the start. */
  private final BitSet forced = new BitSet(CombinedFileName.LEAVES + 1);

  /** Directories to be forced: which files had names there, and the number of the last removal. */
  private final Map<Integer, Map<FileKey, Long>> unforced = new TreeMap<>();

  private long removals;

  RemovedNames(Disk disk, Path volume) {
    this.disk = disk;
    this.volume = volume;
  }

  /** To be called once a name went: a force that began before does not count for it. */
  public synchronized void onRemoval(FileKey file) {
    removals++;
    filesIn(CombinedFileName.leaf(file)).put(file, removals);
    onAskedFor(file);
  }

  /** To be called where a caller relies on nothing of the file being here. */
  public synchronized void onAskedFor(FileKey file) {
    for (int directory : List.of(CombinedFileName.leaf(file), BLANKS)) {
      if (!forced.get(directory)) {
        filesIn(directory);
      }
    }
  }

  /** As {@link #onRemoval}, of the name of a file that was made ahead. */
  public synchronized void onBlankRemoval(FileKey file) {
    removals++;
    filesIn(BLANKS).put(file, removals);
  }

  private Map<FileKey, Long> filesIn(int directory) {
    return unforced.computeIfAbsent(directory, first -> new HashMap<>());
  }

  /**
   * Whether names of a file may come back that is not here: its own, or those of blank files that
   * it was in.
   */
  boolean mayComeBack(FileKey file) {
    int leaf = CombinedFileName.leaf(file);
    synchronized (this) {
      if (isUnforced(leaf, file) || isUnforced(BLANKS, file)) {
        return true;
      }
      if (forced.get(leaf)) {
        return false;
      }
    }
    try {
      // directories are never removed: where there is none yet, nothing was taken out
      return disk.exists(CombinedFileName.directory(volume, leaf));
    } catch (IOException e) {
      // the caller meets the failure when it makes the file in that directory
      return true;
    }
  }

  private boolean isUnforced(int directory, FileKey file) {
    return unforced.getOrDefault(directory, Map.of()).containsKey(file);
  }

  /** Returns when all names that were taken out before stay out. */
  void force() throws IOException {
    for (int number : unforced()) {
      Path directory =
          number == BLANKS
              ? BlankFiles.directoryOf(volume)
              : CombinedFileName.directory(volume, number);
      if (disk.exists(directory)) {
        force(number, directory);
      } else {
        onForced(number, lastRemoval());
      }
    }
  }

  /**
   * Returns when the names in a directory survive a power cut, and those taken out stay out.
   *
   * @param directory of combined files, or that of blank files
   */
  void forceDirectory(Path directory) throws IOException {
    boolean isOfBlanks = directory.equals(BlankFiles.directoryOf(volume));
    force(isOfBlanks ? BLANKS : CombinedFileName.leaf(directory), directory);
  }

  private void force(int number, Path directory) throws IOException {
    long last = lastRemoval();
    disk.forceDirectory(directory);
    onForced(number, last);
  }

  private synchronized List<Integer> unforced() {
    return List.copyOf(unforced.keySet());
  }

  private synchronized long lastRemoval() {
    return removals;
  }

  /**
   * @param last number of the last removal before the force began
   */
  private synchronized void onForced(int directory, long last) {
    forced.set(directory);
    Map<FileKey, Long> files = filesIn(directory);
    files.values().removeIf(removal -> removal <= last);
    if (files.isEmpty()) {
      unforced.remove(directory);
    }
  }
}
