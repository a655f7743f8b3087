package io.vdfs.common.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * CRC32C over the chunk grid of a file: each chunk has its own checksum, the last one may cover
 * less than a chunk. Stateless.
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
public final class ChunkCrc {
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

  private ChunkCrc() {}

  /** Number of chunks, hence checksums, of {@code length} bytes. */
  public static int count(int length, int chunkSize) {
    return (int) (((long) length + chunkSize - 1) / chunkSize);
  }

  /** CRC32C of the bytes from position to limit, which stay as they are. */
  public static int of(ByteBuffer data) {
    CRC32C crc = new CRC32C();
    crc.update(data.duplicate());
    return (int) crc.getValue();
  }

  /** The checksum of each chunk from position to limit, which stay as they are. */
  public static List<Integer> ofChunks(ByteBuffer data, int chunkSize) {
    int chunks = count(data.remaining(), chunkSize);
    List<Integer> checksums = new ArrayList<>(chunks);
    for (int chunk = 0; chunk < chunks; chunk++) {
      checksums.add(of(chunkOf(data, chunk, chunkSize)));
    }
    return checksums;
  }

  /**
   * Compares the bytes from position to limit with their checksums.
   *
   * @param checksums as many as the bytes have chunks
   * @return number of the first chunk that does not match, or -1 if all do
   */
  public static int firstMismatch(ByteBuffer data, List<Integer> checksums, int chunkSize) {
    if (checksums.size() != count(data.remaining(), chunkSize)) {
      throw new IllegalArgumentException(
          "number of checksums and of chunks differ: checksums="
              + checksums.size()
              + ", length="
              + data.remaining()
              + ", chunkSize="
              + chunkSize);
    }
    for (int chunk = 0; chunk < checksums.size(); chunk++) {
      if (of(chunkOf(data, chunk, chunkSize)) != checksums.get(chunk)) {
        return chunk;
      }
    }
    return -1;
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

  private static ByteBuffer chunkOf(ByteBuffer data, int chunk, int chunkSize) {
    int start = chunk * chunkSize;
    return data.slice(data.position() + start, Math.min(chunkSize, data.remaining() - start));
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
