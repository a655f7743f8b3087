package io.vdfs.common.wire;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.vdfs.common.checksum.ChunkChecksums;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Checksums of chunks as they stand in messages: four bytes each, little-endian, in the order of
 * the chunks. One field holds them all, so that hundreds are copied at once rather than parsed one
 * by one. Stateless.
 */
public final class WireChecksums {
  private WireChecksums() {}

  public static ByteString encode(ChunkChecksums checksums) {
    ByteBuffer bytes =
        ByteBuffer.allocate(Integer.BYTES * checksums.count()).order(ByteOrder.LITTLE_ENDIAN);
    checksums.write(bytes);
    return UnsafeByteOperations.unsafeWrap(bytes.flip());
  }

  /** Whether the field of a message, which anybody may have sent, holds so many checksums. */
  public static boolean holds(ByteString field, int count) {
    return field.size() == (long) Integer.BYTES * count;
  }

  /** All that the field holds; bytes behind the last whole checksum do not count. */
  public static ChunkChecksums decode(ByteString field) {
    return decode(field, 0, field.size() / Integer.BYTES);
  }

  /**
   * Some that the field holds.
   *
   * @param first of them, from 0
   * @throws IllegalArgumentException if the field does not hold so many
   */
  public static ChunkChecksums decode(ByteString field, int first, int count) {
    if (field.size() / Integer.BYTES - first < count) {
      throw new IllegalArgumentException(
          "field holds fewer checksums: bytes=%s, first=%s, count=%s"
              .formatted(field.size(), first, count));
    }
    ByteBuffer bytes = field.asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    return ChunkChecksums.read(bytes.position(Integer.BYTES * first), count);
  }
}
