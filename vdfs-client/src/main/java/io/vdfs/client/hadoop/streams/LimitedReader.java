package io.vdfs.client.hadoop.streams;

import io.vdfs.client.files.ContentCursor;
import io.vdfs.client.files.ContentReader;
import io.vdfs.client.hadoop.terms.HadoopErrors;
import io.vdfs.client.io.ReadTally;
import io.vdfs.client.read.FetchListener;
import io.vdfs.client.read.ReadPattern;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads the first bytes of a file and nothing that was appended later. Content that is gone is
 * FILE_CHANGED, as the reader is bound to it; the message names the path. Thread-safe.
 */
public final class LimitedReader implements ContentReader {
  private final String path;
  private final ContentReader delegate;
  private final long limit;

  /**
   * Reads the first bytes of what another reader reads.
   *
   * @param path for messages
   * @param limit in bytes; the file is at least as long
   */
  public LimitedReader(String path, ContentReader delegate, long limit) {
    this.path = path;
    this.delegate = delegate;
    this.limit = limit;
  }

  @Override
  public int read(long position, ByteBuffer target) throws IOException {
    return read(path, limit - position, target, part -> delegate.read(position, part));
  }

  @Override
  public ContentCursor cursor(ReadPattern pattern) {
    return new Cursor(path, delegate.cursor(pattern), limit);
  }

  @Override
  public ContentReader telling(ReadTally tally) {
    return new LimitedReader(path, delegate.telling(tally), limit);
  }

  @Override
  public long length() {
    return limit;
  }

  @Override
  public void listen(FetchListener listener) {
    delegate.listen(listener);
  }

  /** Some read of the delegate. */
  @FunctionalInterface
  private interface Read {
    int to(ByteBuffer target) throws IOException;
  }

  /** Reads no more than what is left before the limit. */
  private static int read(String path, long left, ByteBuffer target, Read read) throws IOException {
    if (target.hasRemaining() && left <= 0) {
      return -1;
    }
    int room = (int) Math.min(target.remaining(), Math.max(0, left));
    int count = bound(path, read, target.slice(target.position(), room));
    target.position(target.position() + Math.max(0, count));
    return count;
  }

  private static int bound(String path, Read read, ByteBuffer target) throws IOException {
    try {
      return read.to(target);
    } catch (VdfsException e) {
      if (HadoopErrors.saysGone(e)) {
        throw new VdfsException(
            ErrorCode.FILE_CHANGED,
            "the pinned content is gone: path=" + path + ", because " + e.getMessage(),
            e);
      }
      throw e;
    }
  }

  private record Cursor(String path, ContentCursor cursor, long limit) implements ContentCursor {
    @Override
    public int read(ByteBuffer target) throws IOException {
      return LimitedReader.read(path, limit - cursor.position(), target, cursor::read);
    }

    @Override
    public boolean readFromMemory(ByteBuffer target) {
      return target.remaining() <= limit - cursor.position() && cursor.readFromMemory(target);
    }

    @Override
    public long position() {
      return cursor.position();
    }

    @Override
    public void seek(long target) throws IOException {
      cursor.seek(target);
    }

    @Override
    public void release() {
      cursor.release();
    }
  }
}
