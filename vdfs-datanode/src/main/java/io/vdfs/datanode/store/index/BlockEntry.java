package io.vdfs.datanode.store.index;

import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.store.BlockFooter;
import io.vdfs.common.store.BlockRole;

/**
 * Where a block lies and what it holds. Immutable.
 *
 * @param volume number of the volume in this run of the daemon
 * @param length bytes held; 0 for a block that was truncated away, kept so that its sequence rises
 */
public record BlockEntry(
    int volume,
    BlockRole role,
    int slot,
    int length,
    long writeEpoch,
    long sequence,
    ChunkChecksums checksums) {

  /** The entry of a footer found in a combined file. */
  public static BlockEntry of(int volume, BlockRole role, BlockFooter footer) {
    return new BlockEntry(
        volume,
        role,
        footer.slot(),
        footer.length(),
        footer.writeEpoch(),
        footer.sequence(),
        footer.checksums());
  }

  /** Whether this entry counts where both claim the same block. */
  public boolean supersedes(BlockEntry other) {
    return writeEpoch != other.writeEpoch
        ? writeEpoch > other.writeEpoch
        : sequence > other.sequence;
  }
}
