package io.vdfs.datanode.store;

import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.store.BlockRole;
import java.nio.file.Path;

/**
 * Where the bytes of a block lie and what they must be. A snapshot: these bytes at this place never
 * change while the file is not deleted. Immutable.
 *
 * @param volume number of the volume in the node's list
 * @param path the combined file
 * @param position offset of the block's first byte in {@code path}
 * @param length bytes held of the block
 * @param writeEpoch epoch of the writer of these bytes
 * @param checksums one per chunk; the last chunk ends at {@code length}
 */
public record BlockLocation(
    FileKey key,
    long block,
    BlockRole role,
    int volume,
    Path path,
    long position,
    int length,
    long writeEpoch,
    ChunkChecksums checksums) {

  /** The combined file in which the block lies. */
  public CombinedFileId file() {
    return new CombinedFileId(volume, key, role);
  }
}
