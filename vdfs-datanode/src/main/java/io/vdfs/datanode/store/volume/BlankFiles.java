package io.vdfs.datanode.store.volume;

import io.vdfs.common.model.FileKey;
import io.vdfs.common.store.CombinedFileLayout;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.DiskFullException;
import io.vdfs.datanode.store.disk.TooManyOpenFilesException;
import io.vdfs.datanode.store.status.StoreCounter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Combined files of a volume that were made ahead, many at a time, and whose names survive a power
 * cut before they are written to: so a small file is durable after one force, of its bytes. Its
 * header and footers say what such a file is used for. Once a batch of them is used up they get
 * their own names, which takes one force for all of a directory. See decision 30.
 *
 * <pre>
 *   blank --take--> used --renew: linked, own names forced--> blank names removed
 * </pre>
 *
 * Thread-safe: the monitor guards all fields but {@code renew}'s own, which one thread runs; it is
 * not held while the disk works.
 */
public final class BlankFiles {
  /** Below the directory of blocks. */
  public static final String DIRECTORY = "blank";

  private static final Logger LOG = LoggerFactory.getLogger(BlankFiles.class);
  private static final int LARGEST = 64 << 10;

  /** Time in which others may use the open files that the process may have. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Share of a batch of which more need no renewal. */
  private static final double ENOUGH = 0.75;

  private final StoreContext context;
  private final Home home;
  private final Disk disk;
  private final Path directory;
  private final int size;
  private final Deque<Blank> free = new ArrayDeque<>();
  private final List<BlankUse> used = new ArrayList<>();
  private long number;
  private boolean off;
  private boolean closed;

  /** Of the thread that renews. */
  private boolean linkable;

  /** Of the thread that renews: time before which none are made. */
  private long noneBefore = System.nanoTime();

  /** Files that have their own names, as far as those of the blank ones may come back. */
  private final List<BlankUse> renamed = new ArrayList<>(); // of the thread that renews

  /**
   * A pair of files without contents.
   *
   * @param size bytes of the data file, all zero, that lie in their place already
   * @param open keeps the inode of the data file in memory: if it had to be read anew, ext4 would
   *     take the file for one that was just changed; closed by the user of the pair
   */
  public record Blank(Path data, Path index, int size, DiskFile open) {}

  /** The volume that they lie on. Thread-safe. */
  interface Home {
    Path directory();

    /** Has {@link BlankFiles#renew} called on the background thread; never blocks. */
    void requestBlanks();

    /** Whether there is room, and the disk is not suspect. */
    boolean acceptsGroup();

    /** Whether names of a file that is not here may come back in a power cut. */
    boolean mayComeBack(FileKey file);

    /** Returns when the names in a directory survive a power cut. */
    void forceNames(Path leaf) throws IOException;

    /** Something on the disk went wrong. */
    void markSuspect(String why);
  }

  BlankFiles(StoreContext context, Home home) {
    this.context = context;
    this.home = home;
    this.disk = context.disk();
    this.directory = directoryOf(home.directory());
    CombinedFileLayout layout = context.layout();
    this.size = (int) Math.min(LARGEST, layout.dataOffset(0) + layout.blockSize());
    this.off = context.config().blankFiles() == 0 || size <= layout.dataOffset(0);
  }

  public static Path directoryOf(Path volume) {
    return volume.resolve(VolumeDirectory.BLOCKS).resolve(DIRECTORY);
  }

  /** Numbers up to this one were in use when the volume was opened. */
  public synchronized void startAfter(long highest) {
    number = highest;
  }

  /**
   * A blank file for a combined file of so many bytes in all; asks for more blank files in time.
   *
   * @param file of which nothing is here
   * @return empty if the file is too large for one, if there is none, or if a start after a power
   *     cut could find names of an earlier combined file of this one, which would count there
   */
  public Optional<Blank> take(FileKey file, long bytes) {
    if (bytes <= 0 || bytes > size - context.layout().dataOffset(0)) {
      return Optional.empty();
    }
    boolean usable = !home.mayComeBack(file);
    Optional<Blank> blank;
    boolean few;
    synchronized (this) {
      if (off) {
        return Optional.empty();
      }
      blank = usable ? Optional.ofNullable(free.poll()) : Optional.empty();
      few = areFew();
    }
    if (few) {
      home.requestBlanks();
    }
    context
        .counters()
        .increment(blank.isPresent() ? StoreCounter.BLANKS_USED : StoreCounter.BLANKS_MISSED);
    return blank;
  }

  /** Says what a blank file was taken for. */
  public synchronized void onUsed(BlankUse use) {
    used.add(use);
  }

  /**
   * Gives used files their own names and makes new ones, where few are left. Called by one thread
   * at a time.
   */
  void renew() {
    if (!areFew()) {
      return;
    }
    nameUsed();
    List<Blank> made = make();
    try {
      if (!renamed.isEmpty() || !made.isEmpty()) {
        home.forceNames(directory);
      }
    } catch (IOException e) {
      onNamesNotForced("a force failed", e);
      made.forEach(this::takeBack);
      return;
    }
    renamed.forEach(BlankUse::onRenamed);
    renamed.clear();
    synchronized (this) {
      if (!closed) {
        free.addAll(made);
        return;
      }
    }
    made.forEach(BlankFiles::close);
  }

  /** Closes the files; none is given out any more. */
  void close() {
    List<Blank> left;
    synchronized (this) {
      closed = true;
      left = List.copyOf(free);
      free.clear();
    }
    left.forEach(BlankFiles::close);
  }

  /** Closes a pair that was not given out, and deletes its files, as no other takes their names. */
  private void takeBack(Blank blank) {
    close(blank);
    try {
      disk.delete(blank.data());
      disk.delete(blank.index());
    } catch (IOException e) {
      LOG.warn("cannot delete blank file: file={}", blank.data(), e);
    }
  }

  private static void close(Blank blank) {
    try {
      blank.open().close();
    } catch (IOException e) {
      LOG.warn("cannot close blank file: file={}", blank.data(), e);
    }
  }

  /** What could not be opened is forced by the next renewal. */
  private void onNamesNotForced(String what, IOException cause) {
    if (cause instanceof TooManyOpenFilesException) {
      LOG.warn("{}: directory={}, cause={}", what, directory, cause.toString());
    } else {
      home.markSuspect(what + ": directory=" + directory + ", cause=" + cause);
    }
  }

  private void nameUsed() {
    List<BlankUse> linked = new ArrayList<>();
    Set<Path> leaves = new LinkedHashSet<>();
    for (BlankUse one : snapshot()) {
      switch (one.link()) {
        case DONE -> {
          linked.add(one);
          leaves.add(one.directory());
        }
        case GONE -> forget(List.of(one));
        case LATER -> {}
      }
    }
    try {
      for (Path leaf : leaves) {
        home.forceNames(leaf);
      }
      for (BlankUse one : linked) {
        one.dropBlankNames();
      }
    } catch (IOException e) {
      onNamesNotForced("small files were not renamed", e);
      return;
    }
    forget(linked);
    context.counters().add(StoreCounter.BLANKS_NAMED, linked.size());
    renamed.addAll(linked);
  }

  private synchronized List<BlankUse> snapshot() {
    return List.copyOf(used);
  }

  private synchronized void forget(List<BlankUse> ones) {
    used.removeAll(ones);
  }

  /** New ones, whose names are not forced yet; none if there is no room. */
  private List<Blank> make() {
    List<Blank> made = new ArrayList<>();
    if (isOff() || !home.acceptsGroup() || System.nanoTime() - noneBefore < 0) {
      return made;
    }
    try {
      disk.createDirectories(directory);
      for (int count = 0; count < context.config().blankFiles(); count++) {
        made.add(makeOne());
      }
    } catch (UnsupportedOperationException e) {
      turnOff(e);
    } catch (TooManyOpenFilesException e) {
      LOG.warn("no blank files are made for a while: directory={}", directory, e);
      noneBefore = System.nanoTime() + PAUSE_NANOS;
      made.forEach(this::takeBack);
      made.clear();
    } catch (DiskFullException e) {
      LOG.debug("no room for more blank files: directory={}", directory, e);
    } catch (IOException e) {
      LOG.warn("no blank files are made: directory={}", directory, e);
      turnOff(e);
    }
    return made;
  }

  /** So many are left that writers in a hurry do not run out while others are made. */
  private synchronized boolean areFew() {
    return free.size() < context.config().blankFiles() * ENOUGH;
  }

  private synchronized boolean isOff() {
    return off;
  }

  private Blank makeOne() throws IOException {
    long next = nextNumber();
    Path data = directory.resolve(next + CombinedFileName.DATA_SUFFIX);
    Path index = directory.resolve(next + CombinedFileName.INDEX_SUFFIX);
    DiskFile open = disk.createFilled(data, size);
    try {
      if (!linkable) {
        // where files have one name only, this one could not get its own name later
        disk.link(index, data);
        disk.delete(index);
        linkable = true;
      }
      disk.create(index).close();
      return new Blank(data, index, size, open);
    } catch (IOException | UnsupportedOperationException e) {
      takeBack(new Blank(data, index, size, open));
      throw e;
    }
  }

  private synchronized long nextNumber() {
    return ++number;
  }

  private synchronized void turnOff(Exception why) {
    off = true;
    LOG.info("small files get names of their own at once: directory={}, why={}", directory, why);
  }
}
