package io.vdfs.datanode.store.file;

import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.store.index.BlockEntry;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.status.StoreCounters;
import java.nio.ByteBuffer;

/**
 * Reads a block back and compares it with its checksums, a few chunks at a time, as many blocks may
 * be read back at once, and no budget counts them. Immutable.
 */
public record BlockVerifier(FilePair files, BlockEntry entry, StoreCounters counters) {
  /** Bytes read at a time, where a chunk is not larger. */
  private static final int WINDOW = 256 << 10;

  /** Takes bytes that have verified. */
  @FunctionalInterface
  public interface Sink {
    /**
     * @param offset of the first byte in the block, on a chunk boundary
     * @param data valid during the call only
     */
    void take(int offset, ByteBuffer data) throws VdfsException;
  }

  /**
   * Hands over in order what verifies, up to the first chunk that does not.
   *
   * @param length bytes from the start of the block, up to a chunk boundary or the end of the block
   * @return {@code length}, or where the first chunk that differs begins
   */
  public int verify(int length, Sink sink) throws VdfsException {
    int chunkSize = files.layout().chunkSize();
    ByteBuffer data = ByteBuffer.allocate(Math.min(length, Math.max(chunkSize, WINDOW)));
    for (int offset = 0; offset < length; offset += data.capacity()) {
      data.clear().limit(Math.min(data.capacity(), length - offset));
      files.read(data, files.layout().dataOffset(entry.slot()) + offset);
      data.flip();
      int first = offset / chunkSize;
      int end = first + ChunkChecksums.countFor(data.remaining(), chunkSize);
      int bad = entry.checksums().range(first, end).firstMismatch(data, chunkSize);
      if (bad >= 0) {
        counters.increment(StoreCounter.CORRUPT_CHUNKS);
        if (bad > 0) {
          sink.take(offset, data.limit(bad * chunkSize));
        }
        return offset + bad * chunkSize;
      }
      sink.take(offset, data);
    }
    return length;
  }
}
