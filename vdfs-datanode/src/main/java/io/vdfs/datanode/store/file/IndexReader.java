package io.vdfs.datanode.store.file;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.store.CombinedFileHeader;
import io.vdfs.datanode.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.Optional;

/**
 * Reads an index file from front to back through a window, however large the file is. Damage is
 * reported and skipped, and so is a page that cannot be read. Confined to one call.
 */
final class IndexReader {
  private static final int WINDOW = 256 << 10;
  private static final int PAGE = 4096;

  private final DiskFile file;
  private final CombinedFileHeader header;
  private final long end;
  private final int largestRecord;
  private final ByteBuffer window;

  /** Offset in the file of the first byte of the window. */
  private long windowStart;

  private boolean passingOver;
  private Optional<IOException> unread = Optional.empty();

  /**
   * @param header of the index kind, which the file should begin with
   * @param end where to stop, at most the size of the file
   */
  IndexReader(DiskFile file, CombinedFileHeader header, long end) {
    this.file = file;
    this.header = header;
    this.end = end;
    this.largestRecord = IndexRecord.settledSize(header.layout().chunksPerBlock());
    this.window = ByteBuffer.allocate(Math.max(WINDOW, 2 * largestRecord)).limit(0);
  }

  /** Receives what is found. */
  interface Sink {
    /**
     * @param offset where it begins in the file
     * @param size bytes it takes there
     */
    void onRecord(IndexRecord record, long offset, int size) throws IOException;

    /** Told once for each run of bytes that are no record. */
    void onDamage(String what);
  }

  void read(Sink sink) throws IOException {
    fill();
    header.problemWith(window).ifPresent(sink::onDamage);
    window.position(Math.min(window.limit(), CombinedFileHeader.SIZE));
    while (hasMore()) {
      Optional<Integer> size = IndexRecord.sizeAt(window, largestRecord);
      if (size.isPresent()) {
        readRecord(sink, size.get());
      } else {
        passOver(sink);
      }
    }
  }

  private boolean hasMore() throws IOException {
    if (window.remaining() < largestRecord) {
      fill();
    }
    return window.hasRemaining();
  }

  /** Moves the window on to its position, and reads as much as it takes. */
  private void fill() throws IOException {
    windowStart += window.position();
    window.compact();
    long left = end - windowStart - window.position();
    window.limit((int) Math.min(window.capacity(), window.position() + Math.max(0, left)));
    boolean more = true;
    while (more && window.hasRemaining()) {
      more = readOn();
    }
    window.flip();
  }

  /** Zeros, which are no record, stand for a page that cannot be read. */
  private boolean readOn() throws IOException {
    long at = windowStart + window.position();
    try {
      return file.read(window, at) >= 0;
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      unread = Optional.of(e);
      window.put(new byte[(int) Math.min(window.remaining(), PAGE - at % PAGE)]);
      return true;
    }
  }

  private void readRecord(Sink sink, int size) throws IOException {
    passingOver = false;
    long offset = windowStart + window.position();
    Optional<IndexRecord> record = Optional.empty();
    try {
      record = Optional.of(IndexRecord.decode(window, header));
    } catch (VdfsException e) {
      sink.onDamage(e.getMessage() + " at offset=" + offset);
    }
    if (record.isPresent()) {
      sink.onRecord(record.get(), offset, size);
    }
    window.position(window.position() + size);
  }

  private void passOver(Sink sink) {
    if (!passingOver) {
      String cause = unread.map(e -> ", cause=" + e.getMessage()).orElse("");
      sink.onDamage("no record at offset=" + (windowStart + window.position()) + cause);
      passingOver = true;
    }
    int next = IndexRecord.nextBegin(window, window.position() + IndexRecord.ALIGNMENT);
    window.position(Math.min(next, window.limit()));
  }
}
