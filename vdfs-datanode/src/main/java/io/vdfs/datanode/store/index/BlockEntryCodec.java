package io.vdfs.datanode.store.index;

import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.store.BlockRole;
import java.nio.ByteBuffer;

/**
 * Bytes of keys and entries in the off-heap index, which lives no longer than the process.
 *
 * <pre>
 *  key    fileId 8 | generation 4 | block 8
 *  entry  volume 1 | role 1 | slot 4 | length 4 | writeEpoch 8 | sequence 8
 *         | number of checksums 4 | checksums 4 each | zeros up to the size of a whole block's entry
 * </pre>
 *
 * All entries of an index have one size, so that one is replaced where it lies.
 */
final class BlockEntryCodec {
  static final int KEY_SIZE = Long.BYTES + Integer.BYTES + Long.BYTES;

  private static final int FIXED_SIZE = 2 * Byte.BYTES + 3 * Integer.BYTES + 2 * Long.BYTES;

  private BlockEntryCodec() {}

  /** Bytes of each entry of an index of blocks of up to {@code chunks} chunks. */
  static int entrySize(int chunks) {
    return FIXED_SIZE + chunks * Integer.BYTES;
  }

  static byte[] encode(BlockKey key) {
    return ByteBuffer.allocate(KEY_SIZE)
        .putLong(key.file().fileId())
        .putInt(key.file().generation())
        .putLong(key.block())
        .array();
  }

  /**
   * @param chunks of a whole block, at least those of the entry
   */
  static byte[] encode(BlockEntry entry, int chunks) {
    ByteBuffer target =
        ByteBuffer.allocate(entrySize(chunks))
            .put((byte) entry.volume())
            .put((byte) entry.role().code())
            .putInt(entry.slot())
            .putInt(entry.length())
            .putLong(entry.writeEpoch())
            .putLong(entry.sequence())
            .putInt(entry.checksums().count());
    entry.checksums().write(target);
    return target.array();
  }

  static BlockEntry decode(byte[] bytes) {
    ByteBuffer source = ByteBuffer.wrap(bytes);
    return new BlockEntry(
        source.get(),
        BlockRole.ofCode(source.get()),
        source.getInt(),
        source.getInt(),
        source.getLong(),
        source.getLong(),
        ChunkChecksums.read(source, source.getInt()));
  }
}
