package io.vdfs.datanode.transfer;

import io.netty.buffer.ByteBuf;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.wire.ChunkCrc;
import io.vdfs.common.wire.proto.PartDigests;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Checksums of the parts of a range, from its bytes, which never leave the node. The parts need not
 * be those that the writer made checksums of. Immutable.
 *
 * @param block of which file, as asked for
 */
record RangeDigest(FileKey file, long block, int offset, int length, int partBytes) {
  private static final int MAX_BYTES = 4 << 20;
  private static final int MAX_PARTS = 8192;

  /**
   * @throws VdfsException INVALID_ARGUMENT if the range is none, or larger than one answer
   */
  static RangeDigest of(FileKey file, PartDigests asked, ClusterGeometry geometry)
      throws VdfsException {
    RangeDigest digest =
        new RangeDigest(
            file, asked.getBlock(), asked.getOffset(), asked.getLength(), asked.getPartBytes());
    boolean sound =
        digest.block >= 0
            && digest.offset >= 0
            && digest.length >= 1
            && digest.length <= MAX_BYTES
            && digest.offset <= geometry.blockSize() - digest.length
            && digest.partBytes >= 1
            && ChunkCrc.count(digest.length, digest.partBytes) <= MAX_PARTS;
    if (!sound) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "no range to digest: " + digest + ", most bytes=" + MAX_BYTES + ", parts=" + MAX_PARTS);
    }
    return digest;
  }

  /**
   * Reads the range and verifies it against the writer's checksums.
   *
   * @throws VdfsException CORRUPT; NOT_FOUND or UNAVAILABLE if not all of it is there
   */
  List<Integer> read(ReplicaStore store, int chunkSize) throws VdfsException {
    ReplicaChunks chunks = store.read(file, block, offset, length);
    ByteBuf data = chunks.data();
    try {
      int start = offset - chunks.offset();
      if (start < 0 || data.readableBytes() - start < length) {
        throw new VdfsException(
            ErrorCode.UNAVAILABLE,
            "the node holds less: " + this + ", held up to=" + end(chunks, data));
      }
      int bad = ChunkCrc.firstMismatch(data.nioBuffer(), chunks.checksums(), chunkSize);
      if (bad >= 0) {
        throw new VdfsException(
            ErrorCode.CORRUPT, "checksum mismatch: " + this + ", chunk of the range=" + bad);
      }
      ByteBuffer wanted = data.nioBuffer(data.readerIndex() + start, length);
      return ChunkCrc.ofChunks(wanted, partBytes);
    } finally {
      data.release();
    }
  }

  private static int end(ReplicaChunks chunks, ByteBuf data) {
    return chunks.offset() + data.readableBytes();
  }
}
