package io.vdfs.client.delivery;

import io.vdfs.client.io.BlockPart;
import io.vdfs.client.io.ClientIo;
import io.vdfs.client.io.IoCounter;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;

/**
 * Bytes that stay in the node's own file until they are wanted. They are read into a private window
 * of a few chunks, verified there, and only then handed on, so what happens to the file meanwhile
 * never reaches the user; nothing is mapped, so a file that is cut gives an error and no signal.
 * The window is small enough to stay in the processor's cache between reading, verifying and
 * copying; it is the file's, and goes from part to part with it. Confined to its reader.
 */
public final class FilePart implements BlockPart {
  /** Bytes of a window, where a chunk is not larger. */
  static final int WINDOW = 256 << 10;

  /**
   * Windows of which one is asked what it cost the disk: asking before and after it takes a third
   * of the time of reading one that is in memory. A part that is a whole block is asked twice.
   */
  static final int WINDOWS_PER_SAMPLE = 16;

  private final ClientIo io;
  private final Range range;
  private final LocalFiles.Handle file;
  private final DiskReads diskReads;
  private final Owner owner;

  /** The file's; not known before bytes are read. */
  private ByteBuffer window;

  private int windowStart;
  private int windowEnd;
  private int windows;

  /** Bytes from the disk for the last window that was asked. */
  private long fetched;

  /**
   * Whole chunks of a block that lie one after the other in a file. Immutable.
   *
   * @param position of the first byte in the file
   * @param offset of it in the block
   * @param checksums of the chunks; the last one may be partial
   */
  public record Range(
      String path, long position, int offset, int length, ChunkChecksums checksums) {}

  /** The side that had the bytes laid into the file. Called by the part's reader. */
  public interface Owner {
    /**
     * A window was read and verified.
     *
     * @param fetched bytes that had to come from the disk for that; for most windows what the last
     *     one that was asked took
     */
    void onRead(int bytes, long fetched);

    /**
     * The file ends before bytes that were laid there.
     *
     * @param where they lay
     * @return what the reader is told
     */
    VdfsException onCut(String where);

    /** As {@link BlockPart#isEarly}. */
    boolean isEarly();

    /** Called once, when the file is no longer read. */
    void onClosed();
  }

  /**
   * @param range checked for shape
   * @param file owned by the part
   * @param diskReads read before and after some of the reads of the file
   */
  public FilePart(
      ClientIo io, Range range, LocalFiles.Handle file, DiskReads diskReads, Owner owner) {
    this.io = io;
    this.range = range;
    this.file = file;
    this.diskReads = diskReads;
    this.owner = owner;
  }

  @Override
  public int start() {
    return range.offset();
  }

  @Override
  public int end() {
    return range.offset() + range.length();
  }

  @Override
  public void copy(int from, ByteBuffer target) throws IOException {
    int at = from;
    while (target.hasRemaining()) {
      if (at < windowStart || at >= windowEnd) {
        fill(at);
      }
      int copied = Math.min(target.remaining(), windowEnd - at);
      target.put(verified(at, copied));
      at += copied;
    }
  }

  @Override
  public boolean copyFromMemory(int from, ByteBuffer target) {
    if (from < windowStart || target.remaining() > windowEnd - from) {
      return false;
    }
    target.put(verified(from, target.remaining()));
    return true;
  }

  /** Bytes of the block that are in the window. */
  private ByteBuffer verified(int from, int length) {
    int start = from - windowStart;
    return window.limit(start + length).position(start);
  }

  /** Makes the window begin with the chunk of byte {@code at}. */
  private void fill(int at) throws IOException {
    int chunkSize = io.geometry().chunkSize();
    if (window == null) {
      window = file.window(Math.max(chunkSize, WINDOW));
    }
    int start = at - at % chunkSize;
    int end = Math.min(end(), start + window.capacity());
    windowEnd = windowStart;
    ByteBuffer bytes = window.clear().limit(end - start);
    long position = range.position() + (start - start());
    if (windows++ % WINDOWS_PER_SAMPLE == 0) {
      long before = diskReads.bytes();
      read(bytes, position);
      fetched = Math.max(0, diskReads.bytes() - before);
    } else {
      read(bytes, position);
    }
    verify(bytes.flip(), start);
    windowStart = start;
    windowEnd = end;
    io.counters().add(IoCounter.BYTES_READ_LOCAL, end - start);
    owner.onRead(end - start, fetched);
  }

  private void read(ByteBuffer target, long from) throws IOException {
    long position = from;
    while (target.hasRemaining()) {
      int read;
      try {
        read = file.channel().read(target, position);
      } catch (ClosedByInterruptException e) {
        InterruptedIOException interrupted =
            new InterruptedIOException("interrupted while reading: path=" + range.path());
        interrupted.initCause(e);
        throw interrupted;
      } catch (IOException e) {
        throw new VdfsException(
            ErrorCode.IO_ERROR, "cannot read: " + where(position) + ", cause=" + e, e);
      }
      if (read < 0) {
        throw owner.onCut(where(position));
      }
      position += read;
    }
  }

  private void verify(ByteBuffer bytes, int start) throws VdfsException {
    int chunkSize = io.geometry().chunkSize();
    int first = (start - start()) / chunkSize;
    int chunks = ChunkChecksums.countFor(bytes.remaining(), chunkSize);
    int bad = range.checksums().range(first, first + chunks).firstMismatch(bytes, chunkSize);
    if (bad >= 0) {
      if (!isEarly()) {
        io.counters().increment(IoCounter.CORRUPT_CHUNKS);
      }
      long position = range.position() + (start - start()) + (long) bad * chunkSize;
      throw new VdfsException(ErrorCode.CORRUPT, "checksum mismatch: " + where(position));
    }
  }

  private String where(long position) {
    return "path=" + range.path() + ", position=" + position;
  }

  @Override
  public boolean isEarly() {
    return owner.isEarly();
  }

  @Override
  public void close() {
    window = null;
    windowEnd = windowStart;
    file.release();
    owner.onClosed();
  }
}
