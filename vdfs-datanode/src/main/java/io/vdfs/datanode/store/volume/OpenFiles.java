package io.vdfs.datanode.store.volume;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.status.StoreCounters;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Combined files of a volume that are open, each once and checked to be the right one when it was
 * opened. One with bytes that were not forced is leased all the time, so that a failure to write
 * them cannot be missed. Thread-safe: the monitor guards the map, its entries and {@code
 * allClosed}; it is never held while the disk works. The first thread that wants a file opens it,
 * and the others wait.
 *
 * <pre>
 *   OPENING --opened--> OPEN --forgotten and no longer leased, or all closed--> CLOSED
 *      +--failed, deleted or all closed meanwhile--> FAILED, for all that wait
 * </pre>
 */
public final class OpenFiles {
  private static final Logger LOG = LoggerFactory.getLogger(OpenFiles.class);
  private static final float LOAD = 0.75f;

  private final Disk disk;
  private final Path volume;
  private final int maxIdle;
  private final StoreCounters counters;
  private final Map<FileToOpen, Entry> entries = new LinkedHashMap<>(16, LOAD, true);
  private boolean allClosed;

  OpenFiles(Disk disk, Path volume, int maxIdle, StoreCounters counters) {
    this.disk = disk;
    this.volume = volume;
    this.maxIdle = maxIdle;
    this.counters = counters;
  }

  /** Use of an open file until it is closed. */
  public final class Lease implements AutoCloseable {
    private final Entry entry;
    private boolean closed;

    private Lease(Entry entry) {
      this.entry = entry;
    }

    public DiskFile file() {
      return entry.file();
    }

    /** Gives the file back; a second call does nothing. */
    @Override
    public void close() {
      List<DiskFile> done = new ArrayList<>();
      synchronized (OpenFiles.this) {
        if (!closed) {
          closed = true;
          entry.leases--;
          takeIfDone(entry, done);
          trim(done);
        }
      }
      closeFiles(done);
    }
  }

  /** Leased by all that wait for it, too; no lease is given back before the file is open. */
  private static final class Entry {
    /** Completed with the monitor held. */
    private final CompletableFuture<DiskFile> opened = new CompletableFuture<>();

    private int leases;
    private boolean forgotten;

    private boolean isOpen() {
      return opened.isDone() && !opened.isCompletedExceptionally();
    }

    /** Only once it is open. */
    private DiskFile file() {
      return opened.join();
    }
  }

  /**
   * Opens the file if need be, or waits for the thread that is opening it.
   *
   * @throws VdfsException NOT_FOUND if the file was deleted, CORRUPT if it is not what it should
   *     be, UNAVAILABLE if all files were closed
   */
  public Lease lease(FileToOpen wanted) throws VdfsException {
    Entry entry;
    boolean isFirst;
    synchronized (this) {
      checkNotDeleted(wanted);
      checkNotClosed(wanted);
      entry = entries.get(wanted);
      isFirst = entry == null;
      if (isFirst) {
        entry = new Entry();
        entries.put(wanted, entry);
      }
      entry.leases++;
    }
    if (isFirst) {
      open(wanted, entry);
    } else {
      await(wanted, entry);
    }
    return new Lease(entry);
  }

  /** A lease of a file that is open anyway; never waits for the disk. */
  public synchronized Optional<Lease> leaseIfOpen(FileToOpen wanted) {
    Entry entry = entries.get(wanted);
    if (entry == null || !entry.isOpen()) {
      return Optional.empty();
    }
    entry.leases++;
    return Optional.of(new Lease(entry));
  }

  private static void checkNotDeleted(FileToOpen wanted) throws VdfsException {
    if (wanted.isDeleted()) {
      throw new VdfsException(
          ErrorCode.NOT_FOUND, "combined file was deleted: file=" + wanted.path());
    }
  }

  private void checkNotClosed(FileToOpen wanted) throws VdfsException {
    if (allClosed) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE, "block store is closed: file=" + wanted.path());
    }
  }

  private void open(FileToOpen wanted, Entry entry) throws VdfsException {
    try {
      DiskFile file = openFile(wanted);
      boolean kept = false;
      try {
        onOpened(wanted, entry, file);
        kept = true;
      } finally {
        if (!kept) {
          close(file);
        }
      }
    } catch (VdfsException | RuntimeException | Error e) {
      onFailed(wanted, entry, e);
      throw e;
    }
    closeIdle();
  }

  private synchronized void onOpened(FileToOpen wanted, Entry entry, DiskFile file)
      throws VdfsException {
    checkNotClosed(wanted);
    entry.opened.complete(file);
    counters.increment(StoreCounter.OPEN_FILES);
  }

  private synchronized void onFailed(FileToOpen wanted, Entry entry, Throwable cause) {
    entries.remove(wanted, entry);
    entry.opened.completeExceptionally(cause);
  }

  private static void await(FileToOpen wanted, Entry entry) throws VdfsException {
    try {
      entry.opened.join();
    } catch (CompletionException e) {
      Throwable cause = e.getCause();
      throw cause instanceof VdfsException known
          ? new VdfsException(known.code(), known.getMessage(), known)
          : new VdfsException(
              ErrorCode.INTERNAL, "cannot open combined file: file=" + wanted.path(), cause);
    }
  }

  /**
   * The file itself. A deletion is noted before the name goes: if none was noted by now, the name
   * was still that of this file and not of one made after it.
   */
  private DiskFile openFile(FileToOpen wanted) throws VdfsException {
    try {
      DiskFile file = openByName(wanted);
      boolean right = false;
      try {
        new HeaderRepair(file, wanted.header(), wanted.path(), counters).ensure();
        checkNotDeleted(wanted);
        right = true;
        return file;
      } finally {
        if (!right) {
          close(file);
        }
      }
    } catch (IOException e) {
      checkNotDeleted(wanted);
      throw e instanceof VdfsException known
          ? known
          : StoreErrors.of("cannot open combined file", volume, wanted.path(), e);
    }
  }

  private DiskFile openByName(FileToOpen wanted) throws IOException {
    Path name = wanted.path();
    try {
      return disk.open(name);
    } catch (NoSuchFileException e) {
      if (wanted.path().equals(name)) {
        throw e;
      }
      // it got its own name meanwhile
      return disk.open(wanted.path());
    }
  }

  /** Closes the file as soon as it is not in use; the next lease opens it anew. */
  public void forget(FileToOpen wanted) {
    List<DiskFile> done = new ArrayList<>();
    synchronized (this) {
      Entry entry = entries.remove(wanted);
      if (entry != null) {
        entry.forgotten = true;
        takeIfDone(entry, done);
      }
    }
    closeFiles(done);
  }

  /** Closes all files, even those in use; none is opened again. */
  void closeAll() {
    List<DiskFile> open = new ArrayList<>();
    synchronized (this) {
      allClosed = true;
      entries.values().stream().filter(Entry::isOpen).map(Entry::file).forEach(open::add);
      entries.clear();
    }
    closeFiles(open);
  }

  private void closeIdle() {
    List<DiskFile> idle = new ArrayList<>();
    synchronized (this) {
      trim(idle);
    }
    closeFiles(idle);
  }

  private void trim(List<DiskFile> done) {
    Iterator<Entry> oldest = entries.values().iterator();
    while (entries.size() > maxIdle && oldest.hasNext()) {
      Entry entry = oldest.next();
      if (entry.leases == 0) {
        oldest.remove();
        entry.forgotten = true;
        takeIfDone(entry, done);
      }
    }
  }

  private static void takeIfDone(Entry entry, List<DiskFile> done) {
    if (entry.forgotten && entry.leases == 0) {
      done.add(entry.file());
    }
  }

  private void closeFiles(List<DiskFile> files) {
    for (DiskFile file : files) {
      counters.add(StoreCounter.OPEN_FILES, -1);
      close(file);
    }
  }

  private static void close(DiskFile file) {
    try {
      file.close();
    } catch (IOException e) {
      LOG.warn("cannot close combined file: file={}", file, e);
    }
  }
}
