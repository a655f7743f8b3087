package io.vdfs.datanode.local;

import io.vdfs.common.checksum.ChunkChecksums;
import java.nio.file.Path;

/**
 * Whole chunks of a block that a process on this machine may read by itself. Immutable.
 *
 * @param link name to open the combined file by; gone when the session ends
 * @param position of the first byte in the file
 * @param offset of it in the block, on a chunk boundary
 * @param checksums one per chunk; the last one may be partial
 */
record LocalRange(Path link, long position, int offset, int length, ChunkChecksums checksums) {}
