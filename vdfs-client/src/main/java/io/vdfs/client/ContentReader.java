package io.vdfs.client;

import io.vdfs.client.io.ReadPattern;
import java.io.IOException;

/** The bytes of one file, each verified against its writer's checksum. Thread-safe. */
public interface ContentReader {
  /**
   * Reads at a position; may return less than asked for.
   *
   * @return number of bytes, at least 1; -1 at the end of the file; 0 if {@code length} is 0
   * @throws io.vdfs.common.error.VdfsException CORRUPT or UNAVAILABLE if no replica gives the
   *     bytes; NOT_FOUND if the content is gone
   */
  int read(long position, byte[] target, int offset, int length) throws IOException;

  /** A cursor at the start of the file, for one thread at a time. */
  default ContentCursor cursor() {
    return cursor(ReadPattern.ADAPTIVE);
  }

  /** As {@link #cursor()}, for one who tells how it will read. */
  ContentCursor cursor(ReadPattern pattern);

  /** Bytes that can be read, as found out at the opening or later; never becomes less. */
  long length();
}
