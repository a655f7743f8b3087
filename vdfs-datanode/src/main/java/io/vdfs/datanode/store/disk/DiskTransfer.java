package io.vdfs.datanode.store.disk;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads and writes that go on until all bytes are through. Stateless. */
public final class DiskTransfer {
  private DiskTransfer() {}

  /** Writes all bytes of {@code source} from its position to its limit. */
  public static void writeFully(DiskFile file, ByteBuffer source, long position)
      throws IOException {
    long at = position;
    while (source.hasRemaining()) {
      int written = file.write(source, at);
      if (written <= 0) {
        throw new IOException(
            "disk took no bytes: file=%s, position=%s, remaining=%s"
                .formatted(file, at, source.remaining()));
      }
      at += written;
    }
  }

  /**
   * Fills {@code target} up to its limit.
   *
   * @throws EOFException if the file ends before
   */
  public static void readFully(DiskFile file, ByteBuffer target, long position) throws IOException {
    if (!readUpTo(file, target, position)) {
      throw new EOFException(
          "file ends early: file=%s, position=%s, missing=%s, size=%s"
              .formatted(file, position, target.remaining(), file.size()));
    }
  }

  /**
   * Fills {@code target} up to its limit or the end of the file.
   *
   * @return whether it is full; false if the file ended before
   */
  public static boolean readUpTo(DiskFile file, ByteBuffer target, long position)
      throws IOException {
    long at = position;
    while (target.hasRemaining()) {
      int read = file.read(target, at);
      if (read < 0) {
        return false;
      }
      at += read;
    }
    return true;
  }
}
