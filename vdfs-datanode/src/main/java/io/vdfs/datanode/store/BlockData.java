package io.vdfs.datanode.store;

import io.netty.buffer.ByteBuf;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.model.FileKey;

/**
 * Whole chunks of a block as read from disk. The receiver owns {@code data} and must release it.
 *
 * @param offset of the first byte, in the block; on a chunk boundary
 * @param data the bytes
 * @param checksums of the chunks of {@code data}; the last may be partial
 */
public record BlockData(
    FileKey key, long block, int offset, ByteBuf data, ChunkChecksums checksums) {}
