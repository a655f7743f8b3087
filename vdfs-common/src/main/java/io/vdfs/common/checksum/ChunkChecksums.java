package io.vdfs.common.checksum;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The CRC32C of each chunk of a range that starts on a chunk boundary; the last chunk may be
 * shorter than the others. Immutable.
 */
public final class ChunkChecksums {
  public static final ChunkChecksums NONE = new ChunkChecksums(new int[0]);

  private final int[] values;

  private ChunkChecksums(int[] values) {
    this.values = values;
  }

  /** Checksums with these values, one per chunk in order. The array is copied. */
  public static ChunkChecksums of(int... values) {
    return new ChunkChecksums(values.clone());
  }

  /**
   * Computes the checksums of {@code data} from its position to its limit, which stay as they are.
   */
  public static ChunkChecksums compute(ByteBuffer data, int chunkSize) {
    int[] computed = new int[countFor(data.remaining(), chunkSize)];
    ByteBuffer rest = data.duplicate();
    CRC32C crc = new CRC32C();
    for (int chunk = 0; chunk < computed.length; chunk++) {
      computed[chunk] = next(rest, data.limit(), chunkSize, crc);
    }
    return new ChunkChecksums(computed);
  }

  /** Reads {@code count} checksums at the position of {@code source} and moves it behind them. */
  public static ChunkChecksums read(ByteBuffer source, int count) {
    int[] read = new int[count];
    source.asIntBuffer().get(read);
    source.position(source.position() + Integer.BYTES * count);
    return new ChunkChecksums(read);
  }

  /** Number of chunks, hence checksums, of {@code length} bytes. */
  public static int countFor(int length, int chunkSize) {
    return (int) (((long) length + chunkSize - 1) / chunkSize);
  }

  /** Writes the checksums at the position of {@code target} and moves it behind them. */
  public void write(ByteBuffer target) {
    target.asIntBuffer().put(values);
    target.position(target.position() + Integer.BYTES * values.length);
  }

  public int count() {
    return values.length;
  }

  public int get(int chunk) {
    return values[chunk];
  }

  /**
   * CRC32C of all bytes that these cover.
   *
   * @param length bytes; the last chunk may be shorter than the others
   */
  public int combined(int length, int chunkSize) {
    int crc = 0;
    for (int chunk = 0; chunk < count(); chunk++) {
      crc = Crc32c.combine(crc, get(chunk), Math.min(chunkSize, length - chunk * chunkSize));
    }
    return crc;
  }

  /**
   * As {@link #combined(int, int)}, for chunks of which many are combined.
   *
   * @param chunks for parts of {@code chunkSize} bytes
   */
  public int combined(int length, int chunkSize, Crc32c.Combiner chunks) {
    int crc = 0;
    int whole = length / chunkSize;
    for (int chunk = 0; chunk < whole; chunk++) {
      crc = chunks.combine(crc, get(chunk));
    }
    return whole == count() ? crc : Crc32c.combine(crc, get(whole), length % chunkSize);
  }

  /** The checksums of chunks {@code from} (inclusive) to {@code to} (exclusive). */
  public ChunkChecksums range(int from, int to) {
    return new ChunkChecksums(Arrays.copyOfRange(values, from, to));
  }

  /**
   * Compares {@code data}, from its position to its limit, with these checksums.
   *
   * @return the first chunk whose checksum differs, or -1 if all are right
   * @throws IllegalArgumentException if the number of chunks differs
   */
  public int firstMismatch(ByteBuffer data, int chunkSize) {
    int chunks = countFor(data.remaining(), chunkSize);
    if (chunks != values.length) {
      throw new IllegalArgumentException(
          "checksums do not fit the data: checksums=" + values.length + ", chunks=" + chunks);
    }
    ByteBuffer rest = data.duplicate();
    CRC32C crc = new CRC32C();
    for (int chunk = 0; chunk < chunks; chunk++) {
      if (next(rest, data.limit(), chunkSize, crc) != values[chunk]) {
        return chunk;
      }
    }
    return -1;
  }

  /**
   * The checksum of the chunk at the position of {@code rest}, which is moved behind it.
   *
   * @param end of the last chunk
   */
  private static int next(ByteBuffer rest, int end, int chunkSize, CRC32C crc) {
    rest.limit(Math.min(end - rest.position(), chunkSize) + rest.position());
    crc.reset();
    crc.update(rest);
    return (int) crc.getValue();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ChunkChecksums that && Arrays.equals(values, that.values);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(values);
  }

  @Override
  public String toString() {
    return "ChunkChecksums[count=%s, hash=%s]"
        .formatted(values.length, Integer.toHexString(hashCode()));
  }
}
