package io.vdfs.datanode.store.volume;

import io.vdfs.common.model.FileKey;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Names taken out of a volume's directories that may come back in a power cut. A directory that was
 * not forced since the start counts as one with such names: an earlier process may have taken some
 * out. Thread-safe.
 */
public final class RemovedNames {
  /** Stands for the directory of blank files. */
  private static final int BLANKS = CombinedFileName.LEAVES;

  private final Disk disk;
  private final Path volume;
  private final ReentrantLock forcing = new ReentrantLock();
  private final BitSet forced = new BitSet(CombinedFileName.LEAVES + 1);
  private final Map<Integer, Path> unforced = new TreeMap<>();

  RemovedNames(Disk disk, Path volume) {
    this.disk = disk;
    this.volume = volume;
  }

  /** To be called before a name goes. */
  public synchronized void onRemoval(FileKey file) {
    forced.clear(CombinedFileName.leaf(file));
    onAskedFor(file);
  }

  /** To be called where a caller relies on nothing of the file being here. */
  public synchronized void onAskedFor(FileKey file) {
    if (!forced.get(CombinedFileName.leaf(file))) {
      unforced.put(
          CombinedFileName.leaf(file),
          new CombinedFileName(file, BlockRole.PRIMARY).directory(volume));
    }
    if (!forced.get(BLANKS)) {
      unforced.put(BLANKS, BlankFiles.directoryOf(volume));
    }
  }

  /** To be called before the name of a file that was made ahead goes. */
  public synchronized void onBlankRemoval() {
    forced.clear(BLANKS);
    unforced.put(BLANKS, BlankFiles.directoryOf(volume));
  }

  /** Returns when all names that were taken out before stay out. */
  void force() throws IOException {
    forcing.lock();
    try {
      for (int leaf : leaves()) {
        force(leaf, take(leaf));
      }
    } finally {
      forcing.unlock();
    }
  }

  private void force(int leaf, Path directory) throws IOException {
    boolean done = false;
    try {
      if (disk.exists(directory)) {
        disk.forceDirectory(directory);
      }
      done = true;
    } finally {
      onForced(leaf, directory, done);
    }
  }

  private synchronized List<Integer> leaves() {
    return List.copyOf(unforced.keySet());
  }

  /** Names that go from now on need another force. */
  private synchronized Path take(int leaf) {
    return unforced.remove(leaf);
  }

  private synchronized void onForced(int leaf, Path directory, boolean done) {
    if (!done) {
      unforced.put(leaf, directory);
    } else if (!unforced.containsKey(leaf)) {
      forced.set(leaf);
    }
  }
}
