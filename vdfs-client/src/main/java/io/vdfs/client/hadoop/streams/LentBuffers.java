package io.vdfs.client.hadoop.streams;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.IdentityHashMap;
import org.apache.hadoop.io.ByteBufferPool;

/**
 * Buffers from callers' pools that one stream filled and has not got back. Confined to the stream's
 * lock.
 */
final class LentBuffers {
  private static final ByteBuffer EMPTY = ByteBuffer.allocateDirect(0).asReadOnlyBuffer();

  private final IdentityHashMap<ByteBuffer, ByteBufferPool> lent = new IdentityHashMap<>();

  /** Reads at a position that advances: at least one byte, or -1 at the end. */
  @FunctionalInterface
  interface Source {
    int read(ByteBuffer target) throws IOException;
  }

  /**
   * Fills a buffer of the pool, as far as the source goes. A buffer that stays empty goes back to
   * the pool at once.
   *
   * @param pool asked for a direct buffer, as HDFS asks; one on the heap is as good
   * @param length bytes wanted; a smaller buffer takes fewer
   * @return to be given back; null if the source is at its end
   * @throws UnsupportedOperationException if there is no pool, or it gives nothing
   */
  ByteBuffer fill(ByteBufferPool pool, int length, Source source) throws IOException {
    ByteBuffer buffer = pool == null ? null : pool.getBuffer(true, length);
    if (buffer == null) {
      throw new UnsupportedOperationException(
          "bytes are copied to a buffer of a pool, which gives none: pool=%s, length=%s"
              .formatted(pool, length));
    }
    boolean filled = false;
    try {
      buffer.clear().limit(Math.min(length, buffer.capacity()));
      filled = fill(buffer, source);
    } finally {
      if (filled) {
        lent.put(buffer, pool);
      } else {
        pool.putBuffer(buffer);
      }
    }
    return filled ? buffer : null;
  }

  private static boolean fill(ByteBuffer buffer, Source source) throws IOException {
    if (!buffer.hasRemaining()) {
      throw new IllegalStateException("the pool gave a buffer without room: buffer=" + buffer);
    }
    int read = 0;
    while (buffer.hasRemaining() && read >= 0) {
      read = source.read(buffer);
    }
    return buffer.flip().hasRemaining();
  }

  /** The buffer that a read of no bytes gives; it need not be given back, but may be. */
  static ByteBuffer empty() {
    return EMPTY;
  }

  /**
   * @throws IllegalArgumentException if the buffer was not lent here, or was given back before
   */
  void giveBack(ByteBuffer buffer) {
    if (buffer.capacity() == 0) {
      return;
    }
    ByteBufferPool pool = lent.remove(buffer);
    if (pool == null) {
      throw new IllegalArgumentException(
          "this stream has not lent the buffer, or has got it back: buffer=" + buffer);
    }
    pool.putBuffer(buffer);
  }
}
