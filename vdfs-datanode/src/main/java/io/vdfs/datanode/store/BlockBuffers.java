package io.vdfs.datanode.store;

import io.netty.buffer.ByteBuf;
import java.util.Optional;

/** Buffers for bytes of blocks between the disks and readers. Thread-safe. */
@FunctionalInterface
public interface BlockBuffers {
  /** Has no buffers; each caller makes its own. */
  BlockBuffers NONE = bytes -> Optional.empty();

  /**
   * A direct buffer of exactly that capacity, with nothing in it yet, to be released by the
   * receiver. Never blocks.
   *
   * @param bytes at least 1
   * @return empty where none is left of that size: the receiver makes do with one of the JVM's
   */
  Optional<ByteBuf> take(int bytes);
}
