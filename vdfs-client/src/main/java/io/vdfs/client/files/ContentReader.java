package io.vdfs.client.files;

import io.vdfs.client.io.ReadTally;
import io.vdfs.client.read.FetchListener;
import io.vdfs.client.read.ReadPattern;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The bytes of one file, each verified against its writer's checksum. Thread-safe. */
public interface ContentReader {
  /**
   * Reads from a position of the file to the target's position, which advances; may read less than
   * there is room for.
   *
   * @return number of bytes, at least 1; -1 at the end of the file; 0 if there is no room
   * @throws io.vdfs.common.error.VdfsException CORRUPT or UNAVAILABLE if no replica gives the
   *     bytes; NOT_FOUND or FILE_CHANGED if the content is gone; the target's position stays
   */
  int read(long position, ByteBuffer target) throws IOException;

  /** As {@link #read(long, ByteBuffer)}. */
  default int read(long position, byte[] target, int offset, int length) throws IOException {
    return read(position, ByteBuffer.wrap(target, offset, length));
  }

  /** A cursor at the start of the file, for one thread at a time. */
  default ContentCursor cursor() {
    return cursor(ReadPattern.ADAPTIVE);
  }

  /** As {@link #cursor()}, for a caller that says how it will read. */
  ContentCursor cursor(ReadPattern pattern);

  /** A reader of the same content that tells from which nodes its bytes come. */
  ContentReader telling(ReadTally tally);

  /** Reports what is fetched from now on to a listener; to be called before the first read. */
  default void listen(FetchListener listener) {
    // a reader that fetches nothing has nothing to tell
  }

  /** Bytes that can be read, as found out at the opening or later; never becomes less. */
  long length();
}
