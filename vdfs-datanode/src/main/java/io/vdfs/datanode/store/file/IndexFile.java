package io.vdfs.datanode.store.file;

import io.vdfs.common.store.CombinedFileHeader;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.DiskFullException;
import io.vdfs.datanode.store.disk.DiskRefusalException;
import io.vdfs.datanode.store.disk.DiskTransfer;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.status.StoreCounters;
import io.vdfs.datanode.store.volume.CombinedFileName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The index file beside a combined file: appended to rarely, so it is opened for each append. A
 * record that was not written as a whole is overwritten by the next one. Once later records have
 * taken back most of the file, it is made anew from those that count. Guarded by the guard of the
 * stored file, except for its path, which the force of a writer looks up without it.
 */
public final class IndexFile {
  /** Bytes of records taken back that are not worth a new file. */
  static final long SLACK = 64 << 10;

  /** How much further the file may grow after making it anew failed. */
  private static final long RETRY_STEP = 16 << 10;

  private final Disk disk;
  private volatile Path file;
  private final CombinedFileHeader header;
  private final StoreCounters counters;
  private long end;
  private long retryAt;

  /** Held while the file is replaced or its name is forced. */
  private final Object name = new Object();

  /** Guarded by {@link #name}. */
  private boolean nameForced = true;

  /** What the file is to hold, and for which there was no room yet. */
  private Optional<List<IndexRecord>> lacking = Optional.empty();

  /**
   * @param header of the index kind
   * @param end size of the file; 0 before {@link #create} or {@link #rewrite}
   */
  IndexFile(Disk disk, Path file, CombinedFileHeader header, StoreCounters counters, long end) {
    this.disk = disk;
    this.file = file;
    this.header = header;
    this.counters = counters;
    this.end = end;
  }

  Path path() {
    return file;
  }

  /** Bytes of the file, up to the end of its last whole record. */
  long size() {
    return end;
  }

  /**
   * Largest size of an index file before it is made anew: twice what its records that count may
   * take, whatever happened before.
   *
   * @param slots given out in the combined file
   * @param fences groups with a fence
   */
  public static long bound(CombinedFileHeader header, int slots, int fences) {
    long settled = IndexRecord.settledSize(header.layout().chunksPerBlock());
    return CombinedFileHeader.SIZE
        + SLACK
        + 2 * (slots * settled + (long) fences * IndexRecord.fenceSize());
  }

  /** Makes the file anew, durably, replacing what was there, which stays if there is no room. */
  public void rewrite(List<? extends IndexRecord> records) throws IOException {
    Path temporary = temporary();
    disk.delete(temporary);
    long size;
    try (DiskFile open = disk.create(temporary)) {
      IndexWriter writer = new IndexWriter(open, header);
      for (IndexRecord record : records) {
        writer.append(record);
      }
      size = writer.finish();
    } catch (DiskRefusalException e) {
      disk.delete(temporary);
      throw e;
    }
    replace(temporary, size);
    lacking = Optional.empty();
  }

  /**
   * As {@link #rewrite}; where there is no room, the next {@link #append} does so first, and fails
   * if there still is none.
   *
   * @return whether there was room
   */
  public boolean rewriteOrWait(List<IndexRecord> records) throws IOException {
    try {
      rewrite(records);
      return true;
    } catch (DiskRefusalException e) {
      counters.increment(StoreCounter.FAILED_WRITES);
      lacking = Optional.of(records);
      return false;
    }
  }

  private Path temporary() {
    return file.resolveSibling(file.getFileName() + CombinedFileName.TEMPORARY_SUFFIX);
  }

  private void replace(Path temporary, long size) throws IOException {
    synchronized (name) {
      disk.rename(temporary, file);
      nameForced = false;
    }
    end = size;
    retryAt = 0;
    forceName();
  }

  /** Until then either file may be there after a power cut. */
  private void forceName() throws IOException {
    synchronized (name) {
      if (nameForced) {
        return;
      }
      try {
        disk.forceDirectory(file.getParent());
      } catch (DiskFullException e) {
        // it is not known which one, so that neither may be appended to
        throw new IOException("name of a new index file not forced: file=" + file, e);
      }
      nameForced = true;
    }
  }

  /**
   * Makes the file anew of the records that count, if it has grown beyond its {@link #bound}. Where
   * there is no room for that the file stays as it is.
   */
  void compactIfDue(int slots, int fences) throws IOException {
    if (lacking.isPresent() || end <= Math.max(bound(header, slots, fences), retryAt)) {
      return;
    }
    Path temporary = temporary();
    try {
      disk.delete(temporary);
      long size;
      try (DiskFile from = disk.open(file);
          DiskFile to = disk.create(temporary)) {
        size = IndexCompaction.copy(from, end, to, header);
      }
      if (size > 0) {
        replace(temporary, size);
        counters.increment(StoreCounter.COMPACTED_INDEXES);
        return;
      }
    } catch (DiskRefusalException e) {
      counters.increment(StoreCounter.FAILED_WRITES);
    }
    disk.delete(temporary);
    retryAt = end + RETRY_STEP;
  }

  /** Writes records behind those there are; {@link #force} makes them durable. */
  public void append(List<? extends IndexRecord> records) throws IOException {
    if (lacking.isPresent()) {
      List<IndexRecord> all = new ArrayList<>(lacking.get());
      all.addAll(records);
      rewrite(all);
      return;
    }
    long to = end;
    try (DiskFile open = disk.open(file)) {
      for (IndexRecord record : records) {
        ByteBuffer bytes = record.encode(header);
        int length = bytes.remaining();
        DiskTransfer.writeFully(open, bytes, to);
        to += length;
      }
    }
    end = to;
  }

  /** Returns when all records survive a power cut. */
  public void force() throws IOException {
    try (DiskFile open = disk.open(file)) {
      open.force();
    }
    forceName();
  }

  /** Begins in a file without contents that is there; nothing of it is durable yet. */
  void createIn() throws IOException {
    try (DiskFile open = disk.open(file)) {
      DiskTransfer.writeFully(open, header.encode(), 0);
    }
    end = CombinedFileHeader.SIZE;
  }

  /** Takes note of another name. */
  void rename(Path name) {
    file = name;
  }

  /** Makes a new file that holds the header only; nothing of it is durable yet. */
  void create() throws IOException {
    try (DiskFile open = disk.create(file)) {
      DiskTransfer.writeFully(open, header.encode(), 0);
    }
    end = CombinedFileHeader.SIZE;
  }
}
