package io.vdfs.common.model;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Names the ledger of one job's input: 128 random bits made by the client in {@code getSplits}, so
 * that restarted masters, re-runs and re-used job ids never meet another job's ledger. Immutable.
 */
public record StreamId(long high, long low) implements Comparable<StreamId> {
  public static final int BYTES = 16;

  /**
   * @param random source of the bits
   */
  public static StreamId random(SecureRandom random) {
    return new StreamId(random.nextLong(), random.nextLong());
  }

  /**
   * @throws IllegalArgumentException if {@code bytes} has not exactly 16 bytes
   */
  public static StreamId of(byte[] bytes) {
    if (bytes.length != BYTES) {
      throw new IllegalArgumentException("a stream id has 16 bytes: length=" + bytes.length + "");
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new StreamId(buffer.getLong(), buffer.getLong());
  }

  /**
   * @param text 32 hexadecimal digits, as {@link #toString} gives them
   * @throws IllegalArgumentException if it is anything else
   */
  public static StreamId parse(String text) {
    return of(HexFormat.of().parseHex(text));
  }

  /** The 16 bytes that travel, most significant first. */
  public byte[] toBytes() {
    return ByteBuffer.allocate(BYTES).putLong(high).putLong(low).array();
  }

  @Override
  public int compareTo(StreamId other) {
    int byHigh = Long.compareUnsigned(high, other.high);
    return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
  }

  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(high) + hex.toHexDigits(low);
  }
}
