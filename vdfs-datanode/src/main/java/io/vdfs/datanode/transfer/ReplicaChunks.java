package io.vdfs.datanode.transfer;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * Whole chunks of a block. The receiver owns {@code data} and must release it.
 *
 * @param offset of the first byte in the block, on a chunk boundary
 * @param checksums of the chunks; the last one may be partial
 */
public record ReplicaChunks(int offset, ByteBuf data, List<Integer> checksums) {}
