package io.vdfs.client.files;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads one file from a position onwards, fetching ahead. Confined to one thread at a time. */
public interface ContentCursor {
  /** As {@link ContentReader#read(long, ByteBuffer)} at the cursor's position, which advances. */
  int read(ByteBuffer target) throws IOException;

  /**
   * Fills the target as {@link #read(ByteBuffer)} would, where that needs no waiting, which saves
   * small reads most of the way; else does nothing.
   *
   * @return whether the target is filled
   */
  default boolean readFromMemory(ByteBuffer target) {
    return false;
  }

  /** As {@link #read(ByteBuffer)}. */
  default int read(byte[] target, int offset, int length) throws IOException {
    return read(ByteBuffer.wrap(target, offset, length));
  }

  long position();

  /** Moves the cursor, also past the end. */
  void seek(long target) throws IOException;

  /** Releases all buffers; the cursor can be read again. */
  void release();
}
