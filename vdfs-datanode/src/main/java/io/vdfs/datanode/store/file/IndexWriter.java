package io.vdfs.datanode.store.file;

import io.vdfs.common.store.CombinedFileHeader;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.DiskTransfer;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Writes a new index file from front to back, many records at a time. Confined to one call. */
final class IndexWriter {
  private static final int WINDOW = 64 << 10;

  private final DiskFile file;
  private final CombinedFileHeader header;
  private ByteBuffer waiting = ByteBuffer.allocate(WINDOW);
  private long end;

  IndexWriter(DiskFile file, CombinedFileHeader header) throws IOException {
    this.file = file;
    this.header = header;
    append(header.encode());
  }

  void append(IndexRecord record) throws IOException {
    append(record.encode(header));
  }

  private void append(ByteBuffer bytes) throws IOException {
    if (bytes.remaining() > waiting.remaining()) {
      write();
    }
    if (bytes.remaining() > waiting.capacity()) {
      waiting = ByteBuffer.allocate(bytes.remaining());
    }
    waiting.put(bytes);
  }

  private void write() throws IOException {
    waiting.flip();
    int length = waiting.remaining();
    DiskTransfer.writeFully(file, waiting, end);
    end += length;
    waiting.clear();
  }

  /**
   * Makes all of it durable, except for the file's name.
   *
   * @return the size of the file
   */
  long finish() throws IOException {
    write();
    file.force();
    return end;
  }
}
