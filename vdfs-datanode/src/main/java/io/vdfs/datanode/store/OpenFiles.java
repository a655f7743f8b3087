package io.vdfs.datanode.store;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.store.CombinedFileHeader;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.DiskTransfer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Combined files of a volume that are open, each once and checked to be the right one when it was
 * opened. One with bytes that were not forced is leased all the time, so that a failure to write
 * them cannot be missed. Thread-safe: the monitor guards both maps and the lease counts.
 */
final class OpenFiles {
  private static final Logger LOG = LoggerFactory.getLogger(OpenFiles.class);
  private static final float LOAD = 0.75f;

  private final Disk disk;
  private final int maxIdle;
  private final StoreCounters counters;
  private final Map<CombinedFile, Entry> entries = new LinkedHashMap<>(16, LOAD, true);

  OpenFiles(Disk disk, int maxIdle, StoreCounters counters) {
    this.disk = disk;
    this.maxIdle = maxIdle;
    this.counters = counters;
  }

  /** Use of an open file until it is closed. */
  final class Lease implements AutoCloseable {
    private final Entry entry;
    private boolean closed;

    private Lease(Entry entry) {
      this.entry = entry;
    }

    DiskFile file() {
      return entry.file;
    }

    /** Gives the file back; a second call does nothing. */
    @Override
    public void close() {
      synchronized (OpenFiles.this) {
        if (!closed) {
          closed = true;
          entry.leases--;
          closeIfDone(entry);
          trim();
        }
      }
    }
  }

  private static final class Entry {
    private final DiskFile file;
    private int leases;
    private boolean forgotten;

    private Entry(DiskFile file) {
      this.file = file;
    }
  }

  /**
   * @throws VdfsException NOT_FOUND if the file was deleted, CORRUPT if it is not what it should be
   */
  synchronized Lease lease(CombinedFile part) throws VdfsException {
    if (part.isDeleted()) {
      throw new VdfsException(
          ErrorCode.NOT_FOUND, "combined file was deleted: file=" + part.path());
    }
    Entry entry = entries.get(part);
    if (entry == null) {
      entry = new Entry(open(part));
      entries.put(part, entry);
      counters.increment(StoreCounter.OPEN_FILES);
    }
    entry.leases++;
    trim();
    return new Lease(entry);
  }

  /** A lease of a file that is open anyway; never touches the disk. */
  synchronized Optional<Lease> leaseIfOpen(CombinedFile part) {
    Entry entry = entries.get(part);
    if (entry == null) {
      return Optional.empty();
    }
    entry.leases++;
    return Optional.of(new Lease(entry));
  }

  private DiskFile open(CombinedFile part) throws VdfsException {
    try {
      DiskFile file = disk.open(part.path());
      try {
        checkHeader(part, file);
        return file;
      } catch (IOException e) {
        file.close();
        throw e;
      }
    } catch (VdfsException e) {
      throw e;
    } catch (IOException e) {
      throw StoreErrors.of("cannot open combined file", part.volume().directory(), part.path(), e);
    }
  }

  private static void checkHeader(CombinedFile part, DiskFile file) throws IOException {
    ByteBuffer page = ByteBuffer.allocate(CombinedFileHeader.SIZE);
    DiskTransfer.readUpTo(file, page, 0);
    part.header().check(page.flip(), part.path().toString());
  }

  /** Closes the file as soon as nobody uses it; the next lease opens it anew. */
  synchronized void forget(CombinedFile part) {
    Entry entry = entries.remove(part);
    if (entry != null) {
      entry.forgotten = true;
      closeIfDone(entry);
    }
  }

  /** Closes all files, whoever uses them. */
  synchronized void closeAll() {
    for (Entry entry : entries.values()) {
      entry.forgotten = true;
      entry.leases = 0;
      closeIfDone(entry);
    }
    entries.clear();
  }

  private void trim() {
    Iterator<Entry> oldest = entries.values().iterator();
    while (entries.size() > maxIdle && oldest.hasNext()) {
      Entry entry = oldest.next();
      if (entry.leases == 0) {
        oldest.remove();
        entry.forgotten = true;
        closeIfDone(entry);
      }
    }
  }

  private void closeIfDone(Entry entry) {
    if (entry.forgotten && entry.leases == 0) {
      counters.add(StoreCounter.OPEN_FILES, -1);
      try {
        entry.file.close();
      } catch (IOException e) {
        LOG.warn("cannot close combined file: file={}", entry.file, e);
      }
    }
  }
}
