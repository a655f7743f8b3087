package io.vdfs.client.hadoop;

import io.vdfs.client.ContentCursor;
import io.vdfs.client.ContentReader;
import io.vdfs.client.io.ReadPattern;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;

/**
 * Reads the first bytes of a file and nothing that was appended later. Content that is gone is
 * FILE_CHANGED, as the reader is bound to it. Thread-safe.
 */
final class LimitedReader implements ContentReader {
  private final ContentReader delegate;
  private final long limit;

  LimitedReader(ContentReader delegate, long limit) {
    this.delegate = delegate;
    this.limit = limit;
  }

  @Override
  public int read(long position, byte[] target, int offset, int length) throws IOException {
    if (length > 0 && position >= limit) {
      return -1;
    }
    int readable = (int) Math.min(length, Math.max(0, limit - position));
    return bound(() -> delegate.read(position, target, offset, readable));
  }

  @Override
  public ContentCursor cursor(ReadPattern pattern) {
    return new Cursor(delegate.cursor(pattern), limit);
  }

  @Override
  public long length() {
    return limit;
  }

  private static int bound(HadoopErrors.Call<Integer> read) throws IOException {
    try {
      return read.run();
    } catch (VdfsException e) {
      if (HadoopErrors.saysGone(e)) {
        throw new VdfsException(
            ErrorCode.FILE_CHANGED, "the pinned content is gone: " + e.getMessage(), e);
      }
      throw e;
    }
  }

  private record Cursor(ContentCursor cursor, long limit) implements ContentCursor {
    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      long position = cursor.position();
      if (length > 0 && position >= limit) {
        return -1;
      }
      int readable = (int) Math.min(length, Math.max(0, limit - position));
      return bound(() -> cursor.read(target, offset, readable));
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
