package io.vdfs.client.read;

import io.vdfs.client.io.ClientIo;
import io.vdfs.client.io.ReadTally;
import io.vdfs.client.io.replica.FileView;
import io.vdfs.common.error.VdfsException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads one file. Thread-safe: positional reads run side by side. No byte is handed out that was
 * not verified against its writer's checksum. Bytes that no replica can give are asked for again
 * with fresh metadata, and at the nodes' new addresses if these changed. Where nodes do not answer,
 * that goes on for a while before it fails, as they may be starting.
 */
public final class FileReader {
  private final ClientIo io;
  private final FileRanges ranges;

  /**
   * Contacts no node; for a file that is being written, call {@link #refreshLength} to see more
   * than the recorded length.
   */
  public FileReader(ClientIo io, FileView view, ViewSource source) {
    this.io = io;
    this.ranges = new FileRanges(io, view, source);
  }

  /** Reports what is fetched from now on to a listener. */
  public void listen(FetchListener listener) {
    ranges.listen(listener);
  }

  /** Bytes that can be read; never becomes less. */
  public long length() {
    return ranges.length();
  }

  /**
   * Finds out how far the file can be read now. Asks metadata and replicas if it is being written,
   * else no node.
   */
  public long refreshLength() throws IOException {
    return ranges.refreshLength();
  }

  /**
   * Reads bytes at {@code position} to the target's position, which advances; may read less than
   * there is room for at the end of a block, before bytes that no replica can give, or where memory
   * is short.
   *
   * @return how many bytes, at least one; -1 at the end of the file; 0 if there is no room
   * @throws VdfsException UNAVAILABLE or CORRUPT naming all replicas asked and why they failed;
   *     NOT_FOUND or FILE_CHANGED if, after that, the metadata service says that the content is
   *     gone; the target's position stays
   */
  public int read(long position, ByteBuffer target) throws IOException {
    return read(position, target, ReadTally.NONE);
  }

  /**
   * As {@link #read(long, ByteBuffer)}, for a caller that wants to know from which nodes bytes
   * came.
   */
  public int read(long position, ByteBuffer target, ReadTally tally) throws IOException {
    FileRanges.checkPosition(position);
    if (!target.hasRemaining()) {
      return 0;
    }
    if (position >= length()) {
      return -1;
    }
    int readable = (int) Math.min(target.remaining(), ranges.rangeAt(position));
    BlockRead fetched = ranges.fetch(position, readable);
    int before = target.position();
    ranges.copy(fetched, position, target, readable, tally).close();
    return target.position() - before;
  }

  /** As {@link #read(long, ByteBuffer)}. */
  public int read(long position, byte[] target, int offset, int length) throws IOException {
    return read(position, ByteBuffer.wrap(target, offset, length));
  }

  /**
   * Reads exactly {@code length} bytes at {@code position}.
   *
   * @throws EOFException if the file ends before
   */
  public void readFully(long position, byte[] target, int offset, int length) throws IOException {
    int done = 0;
    while (done < length) {
      int read = read(position + done, target, offset + done, length - done);
      if (read < 0) {
        throw new EOFException(
            "read past the end: position=%s, length=%s, file length=%s"
                .formatted(position, length, length()));
      }
      done += read;
    }
  }

  /** A cursor at the start of the file, for one thread. */
  public ReadCursor cursor() {
    return cursor(ReadPattern.ADAPTIVE);
  }

  /** As {@link #cursor()}, for a caller that says how it will read. */
  public ReadCursor cursor(ReadPattern pattern) {
    return cursor(pattern, ReadTally.NONE);
  }

  /**
   * As {@link #cursor(ReadPattern)}, for a caller that wants to know from which nodes bytes came.
   */
  public ReadCursor cursor(ReadPattern pattern, ReadTally tally) {
    return new ReadCursor(ranges, io.settings(), io.counters(), pattern, tally);
  }
}
