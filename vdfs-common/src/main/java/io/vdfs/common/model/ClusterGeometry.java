package io.vdfs.common.model;

/**
 * Sizes fixed when a cluster is formatted; they never change afterwards. Immutable.
 *
 * @param blockSize bytes of a block, a power-of-two multiple of {@code chunkSize}; 8 MiB by default
 * @param groupBlocks consecutive blocks of a file that are placed together; 16 by default
 * @param chunkSize bytes covered by one CRC32C, at least 512; 64 KiB by default
 * @param arcs number of equal arcs of the ring; 2520 by default
 */
public record ClusterGeometry(int blockSize, int groupBlocks, int chunkSize, int arcs) {
  public static final ClusterGeometry DEFAULT = new ClusterGeometry(8 << 20, 16, 64 << 10, 2520);

  public ClusterGeometry {
    if (chunkSize < 512 || Integer.bitCount(chunkSize) != 1) {
      throw new IllegalArgumentException(
          "chunk size must be a power of two of at least 512: chunkSize=" + chunkSize);
    }
    if (blockSize < chunkSize || blockSize > 128 << 20 || Integer.bitCount(blockSize) != 1) {
      throw new IllegalArgumentException(
          ("block size must be a power of two between the chunk size and 128 MiB:"
                  + " blockSize=%s, chunkSize=%s")
              .formatted(blockSize, chunkSize));
    }
    if (groupBlocks < 1 || groupBlocks > 4096) {
      throw new IllegalArgumentException(
          "a group has 1 to 4096 blocks: groupBlocks=" + groupBlocks);
    }
    if (arcs < 1 || arcs > 65_536) {
      throw new IllegalArgumentException("a ring has 1 to 65536 arcs: arcs=" + arcs);
    }
  }

  /** Bytes of a whole group. */
  public long groupSize() {
    return (long) blockSize * groupBlocks;
  }

  /** Chunks, hence checksums, of a whole block. */
  public int chunksPerBlock() {
    return blockSize / chunkSize;
  }

  /** Number of the block that holds the byte at {@code offset} of its file. */
  public long blockAt(long offset) {
    return offset / blockSize;
  }

  /** Number of the group that holds the byte at {@code offset} of its file. */
  public int groupAt(long offset) {
    return Math.toIntExact(offset / groupSize());
  }

  /** Number of the group that holds block {@code block} of its file. */
  public int groupOfBlock(long block) {
    return Math.toIntExact(block / groupBlocks);
  }

  /** Number of blocks of a file of {@code length} bytes; 0 for an empty file. */
  public long blockCount(long length) {
    return (length + blockSize - 1) / blockSize;
  }

  /** Number of groups of a file of {@code length} bytes; 0 for an empty file. */
  public int groupCount(long length) {
    return Math.toIntExact((length + groupSize() - 1) / groupSize());
  }
}
