package io.vdfs.it.tools;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Content whose every byte follows from its position, so that any reader can check it. Stateless.
 */
public final class PositionBytes {
  private PositionBytes() {}

  /**
   * The bytes from {@code position} on.
   *
   * @param position a multiple of 8
   * @param length a multiple of 8
   */
  public static byte[] of(long position, int length) {
    ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    for (long word = position / Long.BYTES; bytes.hasRemaining(); word++) {
      long mixed = (word + 1) * 0x9e3779b97f4a7c15L;
      bytes.putLong(mixed ^ (mixed >>> 29));
    }
    return bytes.array();
  }
}
