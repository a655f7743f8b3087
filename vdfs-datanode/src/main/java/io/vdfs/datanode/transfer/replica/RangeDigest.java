package io.vdfs.datanode.transfer.replica;

import io.netty.buffer.ByteBuf;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.wire.proto.PartDigests;
import io.vdfs.datanode.store.BlockData;
import io.vdfs.datanode.stream.StoreReads;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Checksums of the parts of a range, from its bytes, which never leave the node. The parts need not
 * be those that the writer made checksums of. Immutable.
 *
 * @param block of which file, as asked for
 */
record RangeDigest(FileKey file, long block, int offset, int length, int partBytes) {
  private static final int MAX_BYTES = 4 << 20;
  private static final int MAX_PARTS = 8192;

  /** Bytes read at a time, unless a chunk is larger: no budget counts them. */
  private static final int WINDOW = 256 << 10;

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
            && ChunkChecksums.countFor(digest.length, digest.partBytes) <= MAX_PARTS;
    if (!sound) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "no range to digest: " + digest + ", most bytes=" + MAX_BYTES + ", parts=" + MAX_PARTS);
    }
    return digest;
  }

  /**
   * Reads the range, a few chunks at a time, and verifies it against the writer's checksums.
   *
   * @throws VdfsException CORRUPT; NOT_FOUND or UNAVAILABLE if not all of it is there
   */
  List<Integer> read(StoreReads reads, int chunkSize) throws VdfsException {
    PartSums sums = new PartSums(partBytes);
    int window = Math.max(chunkSize, WINDOW - WINDOW % chunkSize);
    int end = offset + length;
    int at = offset;
    while (at < end) {
      int to = Math.min(end, at - at % chunkSize + window);
      add(reads.read(file, block, at, to - at), at, to, chunkSize, sums);
      at = to;
    }
    return sums.sums();
  }

  private void add(BlockData chunks, int from, int to, int chunkSize, PartSums sums)
      throws VdfsException {
    ByteBuf data = chunks.data();
    try {
      int start = from - chunks.offset();
      if (start < 0 || data.readableBytes() - start < to - from) {
        throw new VdfsException(
            ErrorCode.UNAVAILABLE,
            "the node holds less: %s, held up to=%s"
                .formatted(this, chunks.offset() + data.readableBytes()));
      }
      int bad = chunks.checksums().firstMismatch(data.nioBuffer(), chunkSize);
      if (bad >= 0) {
        throw new VdfsException(
            ErrorCode.CORRUPT,
            "checksum mismatch: %s, offset in block=%s"
                .formatted(this, chunks.offset() + (long) bad * chunkSize));
      }
      sums.add(data.nioBuffer(data.readerIndex() + start, to - from));
    } finally {
      data.release();
    }
  }

  /** Checksums of parts whose bytes come in any portions. */
  private static final class PartSums {
    private final int partBytes;
    private final List<Integer> sums = new ArrayList<>();
    private final CRC32C crc = new CRC32C();
    private int inPart;

    PartSums(int partBytes) {
      this.partBytes = partBytes;
    }

    void add(ByteBuffer bytes) {
      while (bytes.hasRemaining()) {
        int taken = Math.min(bytes.remaining(), partBytes - inPart);
        crc.update(bytes.slice(bytes.position(), taken));
        bytes.position(bytes.position() + taken);
        inPart += taken;
        if (inPart == partBytes) {
          endPart();
        }
      }
    }

    private void endPart() {
      sums.add((int) crc.getValue());
      crc.reset();
      inPart = 0;
    }

    List<Integer> sums() {
      if (inPart > 0) {
        endPart();
      }
      return sums;
    }
  }
}
