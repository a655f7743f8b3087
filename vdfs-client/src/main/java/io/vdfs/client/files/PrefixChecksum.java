package io.vdfs.client.files;

import java.io.EOFException;
import java.io.IOException;
import java.util.zip.CRC32C;

/** Checksums a part of a file by reading it. */
final class PrefixChecksum {
  private static final int BUFFER_BYTES = 256 << 10;

  private PrefixChecksum() {}

  /**
   * @return CRC32C of the first {@code length} bytes
   * @throws EOFException if there are fewer
   */
  static int of(ContentReader reader, long length) throws IOException {
    ContentCursor cursor = reader.cursor();
    try {
      CRC32C crc = new CRC32C();
      byte[] buffer = new byte[(int) Math.min(BUFFER_BYTES, Math.max(1, length))];
      for (long done = 0; done < length; ) {
        int read = cursor.read(buffer, 0, (int) Math.min(buffer.length, length - done));
        if (read < 0) {
          throw new EOFException("file ends early: asked=" + length + ", end=" + done);
        }
        crc.update(buffer, 0, read);
        done += read;
      }
      return (int) crc.getValue();
    } finally {
      cursor.release();
    }
  }
}
