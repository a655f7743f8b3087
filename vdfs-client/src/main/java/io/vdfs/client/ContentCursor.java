package io.vdfs.client;

import java.io.IOException;

/** Reads one file from a position onwards, fetching ahead. Confined to one thread at a time. */
public interface ContentCursor {
  /** As {@link ContentReader#read} at the cursor's position, which advances. */
  int read(byte[] target, int offset, int length) throws IOException;

  long position();

  /** Moves; the end may be passed. */
  void seek(long target) throws IOException;

  /** Lets all buffers go; the cursor can be read again. */
  void release();
}
