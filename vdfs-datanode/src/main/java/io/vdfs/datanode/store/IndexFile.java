package io.vdfs.datanode.store;

import io.vdfs.common.store.CombinedFileHeader;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.DiskTransfer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * The index file beside a combined file: appended to rarely, so it is opened for each append. A
 * record that did not get through whole is overwritten by the next one. Guarded by the lock of the
 * stored file.
 */
final class IndexFile {
  private final Disk disk;
  private final Path file;
  private final CombinedFileHeader header;
  private long end;

  /**
   * @param header of the index kind
   * @param end size of the file; 0 before {@link #rewrite}
   */
  IndexFile(Disk disk, Path file, CombinedFileHeader header, long end) {
    this.disk = disk;
    this.file = file;
    this.header = header;
    this.end = end;
  }

  Path path() {
    return file;
  }

  /** Makes the file anew, durably but for its name, replacing what was there. */
  void rewrite(List<? extends IndexRecord> records) throws IOException {
    Path temporary = file.resolveSibling(file.getFileName() + CombinedFileName.TEMPORARY_SUFFIX);
    disk.delete(temporary);
    long size = CombinedFileHeader.SIZE;
    try (DiskFile open = disk.create(temporary)) {
      DiskTransfer.writeFully(open, header.encode(), 0);
      for (IndexRecord record : records) {
        ByteBuffer bytes = record.encode();
        int length = bytes.remaining();
        DiskTransfer.writeFully(open, bytes, size);
        size += length;
      }
      open.force();
    }
    disk.rename(temporary, file);
    end = size;
  }

  /** Writes records behind those there are; {@link #force} makes them durable. */
  void append(List<? extends IndexRecord> records) throws IOException {
    long to = end;
    try (DiskFile open = disk.open(file)) {
      for (IndexRecord record : records) {
        ByteBuffer bytes = record.encode();
        int length = bytes.remaining();
        DiskTransfer.writeFully(open, bytes, to);
        to += length;
      }
    }
    end = to;
  }

  /** Returns when all records survive a power cut. */
  void force() throws IOException {
    try (DiskFile open = disk.open(file)) {
      open.force();
    }
  }

  /** Makes a new file that holds the header only; nothing of it is durable yet. */
  void create() throws IOException {
    try (DiskFile open = disk.create(file)) {
      DiskTransfer.writeFully(open, header.encode(), 0);
    }
    end = CombinedFileHeader.SIZE;
  }
}
