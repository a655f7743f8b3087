package io.vdfs.common.checksum;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * CRC32C of bytes, and of bytes put together from parts whose checksums are known. Stateless.
 *
 * <p><b>Combining.</b> {@link #combine} gets the checksum of A|B from those of A and B, so that the
 * checksum of a file follows from its chunks' without its bytes. A CRC register is a polynomial
 * over GF(2) modulo the CRC's polynomial P, and running n zero bytes through it multiplies it by
 * x^(8n). CRC is linear, and the inversions at the start and the end of A and B cancel, hence
 *
 * <pre>
 *   crc(A|B) = crc(A) * x^(8 |B|) mod P  +  crc(B)
 * </pre>
 *
 * <p>Source of the formula: {@code crc32_combine} of zlib (crc32.c, by Mark Adler), where the power
 * of x is put together from x^(2^k) by the binary digits of the exponent. Here with the Castagnoli
 * polynomial of RFC 3720, in the reflected form where the most significant bit of an int is the
 * coefficient of x^0.
 */
public final class Crc32c {
  /** Castagnoli's polynomial without its x^32, reflected. */
  private static final int POLYNOMIAL = 0x82F63B78;

  private static final int ONE = 1 << 31;

  /** {@code POWERS[k]} is x^(2^k) mod P. */
  private static final int[] POWERS = new int[Long.SIZE + 3];

  static {
    int power = ONE >>> 1;
    for (int k = 0; k < POWERS.length; k++) {
      POWERS[k] = power;
      power = multiply(power, power);
    }
  }

  private Crc32c() {}

  /** CRC32C of the bytes from position to limit, which stay as they are. */
  public static int of(ByteBuffer data) {
    CRC32C crc = new CRC32C();
    crc.update(data.duplicate());
    return (int) crc.getValue();
  }

  /**
   * CRC32C of A|B.
   *
   * @param lengthB number of bytes of B
   */
  public static int combine(int crcA, int crcB, long lengthB) {
    if (lengthB < 0) {
      throw new IllegalArgumentException("a length cannot be negative: lengthB=" + lengthB);
    }
    return multiply(powerOfBytes(lengthB), crcA) ^ crcB;
  }

  /** Combining with parts of one length, at a small part of the price. Immutable. */
  public static final class Combiner {
    private static final int BYTE_VALUES = 1 << Byte.SIZE;

    /** The product of each value of each byte of a register with the power of x. */
    private final int[][] products = new int[Integer.BYTES][BYTE_VALUES];

    /**
     * @param lengthB bytes of each part that is to be appended, not negative
     */
    public Combiner(long lengthB) {
      int power = powerOfBytes(lengthB);
      for (int at = 0; at < Integer.BYTES; at++) {
        for (int value = 0; value < BYTE_VALUES; value++) {
          products[at][value] = multiply(power, value << (at * Byte.SIZE));
        }
      }
    }

    /** As {@link Crc32c#combine}. */
    public int combine(int crcA, int crcB) {
      int product = 0;
      for (int at = 0; at < Integer.BYTES; at++) {
        product ^= products[at][(crcA >>> (at * Byte.SIZE)) & (BYTE_VALUES - 1)];
      }
      return product ^ crcB;
    }
  }

  /** x^(8 bytes) mod P. */
  private static int powerOfBytes(long bytes) {
    int product = ONE;
    int k = 3;
    for (long rest = bytes; rest != 0; rest >>>= 1, k++) {
      if ((rest & 1) != 0) {
        product = multiply(POWERS[k], product);
      }
    }
    return product;
  }

  /** a * b mod P. */
  private static int multiply(int a, int b) {
    int product = 0;
    int shifted = b;
    for (int bit = ONE; bit != 0; bit >>>= 1) {
      if ((a & bit) != 0) {
        product ^= shifted;
      }
      shifted = (shifted & 1) == 0 ? shifted >>> 1 : (shifted >>> 1) ^ POLYNOMIAL;
    }
    return product;
  }
}
