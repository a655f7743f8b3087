package io.vdfs.datanode.segment;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A segment open for writing. Written by positions and never mapped: a file that is cut or a
 * filesystem that is full then gives an exception and no signal. Thread-safe.
 */
interface SegmentFile extends AutoCloseable {
  /** Writes all bytes from position to limit. */
  void write(ByteBuffer bytes, long position) throws IOException;

  /**
   * Cuts the file to nothing, so that its memory becomes free though a reader keeps it open, and
   * closes it. Waits for writes that are under way; later ones fail. Idempotent.
   */
  @Override
  void close() throws IOException;
}
