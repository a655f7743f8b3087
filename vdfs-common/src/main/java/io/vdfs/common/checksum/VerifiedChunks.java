package io.vdfs.common.checksum;

import java.nio.ByteBuffer;
import java.util.function.IntFunction;

/**
 * Bytes that begin on a chunk boundary and have been summed once: compared with their writer's
 * checksums, or given theirs. A receiver need not sum them again. The bytes stay where they are and
 * must not change meanwhile; immutable as long as they do not.
 */
public final class VerifiedChunks {
  private final ByteBuffer data;
  private final ChunkChecksums checksums;
  private final int chunkSize;

  private VerifiedChunks(ByteBuffer data, ChunkChecksums checksums, int chunkSize) {
    this.data = data;
    this.checksums = checksums;
    this.chunkSize = chunkSize;
  }

  /**
   * Compares {@code data}, from its position to its limit, with its checksums.
   *
   * @param damaged what to throw, by the number of the first chunk that differs
   * @throws IllegalArgumentException if there are more or fewer checksums than chunks
   */
  public static <X extends Exception> VerifiedChunks verify(
      ByteBuffer data, ChunkChecksums checksums, int chunkSize, IntFunction<X> damaged) throws X {
    int bad = checksums.firstMismatch(data, chunkSize);
    if (bad >= 0) {
      throw damaged.apply(bad);
    }
    return new VerifiedChunks(data.slice(), checksums, chunkSize);
  }

  /** Sums bytes that have no checksums yet. */
  public static VerifiedChunks compute(ByteBuffer data, int chunkSize) {
    return new VerifiedChunks(data.slice(), ChunkChecksums.compute(data, chunkSize), chunkSize);
  }

  /** The bytes, from position to limit, with marks of the caller's own. */
  public ByteBuffer data() {
    return data.duplicate();
  }

  public int length() {
    return data.remaining();
  }

  /** One for each chunk; the last chunk may be shorter than the others. */
  public ChunkChecksums checksums() {
    return checksums;
  }

  public int chunkSize() {
    return chunkSize;
  }

  /**
   * Puts verified chunks one behind the other, up to a length. Only where that length ends within a
   * chunk is this one summed again. Confined to one thread at a time.
   */
  public static final class Collector {
    private final ByteBuffer bytes;
    private final int[] values;
    private final int chunkSize;

    public Collector(int length, int chunkSize) {
      this.bytes = ByteBuffer.allocate(length);
      this.values = new int[ChunkChecksums.countFor(length, chunkSize)];
      this.chunkSize = chunkSize;
    }

    /** Bytes collected so far. */
    public int length() {
      return bytes.position();
    }

    public boolean isFull() {
      return !bytes.hasRemaining();
    }

    /** Whether the next bytes would begin on a chunk boundary. */
    public boolean isAligned() {
      return length() % chunkSize == 0;
    }

    /**
     * Adds as much as there is room for. The bytes are copied.
     *
     * @throws IllegalArgumentException if the chunks are of another size, or those before did not
     *     end on a boundary
     */
    public void add(VerifiedChunks next) {
      if (next.chunkSize != chunkSize || !isAligned()) {
        throw new IllegalArgumentException(
            "chunks do not follow: chunkSize=%s, expected=%s, length=%s"
                .formatted(next.chunkSize, chunkSize, length()));
      }
      int first = length() / chunkSize;
      int taken = Math.min(next.length(), bytes.remaining());
      bytes.put(next.data.slice(0, taken));
      int chunks = ChunkChecksums.countFor(taken, chunkSize);
      for (int chunk = 0; chunk < chunks; chunk++) {
        values[first + chunk] = next.checksums.get(chunk);
      }
      if (taken < next.length() && taken % chunkSize != 0) {
        int start = (first + chunks - 1) * chunkSize;
        values[first + chunks - 1] = Crc32c.of(bytes.duplicate().flip().position(start));
      }
    }

    /**
     * The collected chunks, once the length is reached.
     *
     * @throws IllegalStateException if it is not
     */
    public VerifiedChunks collected() {
      if (!isFull()) {
        throw new IllegalStateException("chunks are missing: bytes=" + bytes.remaining());
      }
      return new VerifiedChunks(bytes.duplicate().flip(), ChunkChecksums.of(values), chunkSize);
    }
  }
}
