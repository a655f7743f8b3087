package io.vdfs.datanode.store.file;

import io.netty.buffer.ByteBuf;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.net.DataBuffers;
import io.vdfs.datanode.store.BlockBuffers;
import io.vdfs.datanode.store.BlockData;
import io.vdfs.datanode.store.index.BlockEntry;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.status.StoreCounters;
import java.util.Optional;

/**
 * Reads whole chunks of a block as it was when the read was planned; these bytes do not change.
 * Executed once, by any thread.
 */
public final class SlotRead {
  private final FilePair files;
  private final BlockEntry entry;
  private final long block;
  private final int firstByte;
  private final int length;
  private final boolean verify;
  private final BlockBuffers buffers;
  private final StoreCounters counters;

  /**
   * @param firstByte in the block, on a chunk boundary
   * @param length up to a chunk boundary or the end of the block
   */
  public SlotRead(
      FilePair files,
      BlockEntry entry,
      long block,
      int firstByte,
      int length,
      boolean verify,
      BlockBuffers buffers,
      StoreCounters counters) {
    this.files = files;
    this.entry = entry;
    this.block = block;
    this.firstByte = firstByte;
    this.length = length;
    this.verify = verify;
    this.buffers = buffers;
    this.counters = counters;
  }

  private long position() {
    return files.layout().dataOffset(entry.slot()) + firstByte;
  }

  /** The bytes, to be released by the receiver. */
  public BlockData execute() throws VdfsException {
    counters.increment(StoreCounter.READS);
    counters.add(StoreCounter.READ_BYTES, length);
    ByteBuf data = null;
    try {
      data = buffer();
      files.read(data.internalNioBuffer(0, length), position());
      data.writerIndex(length);
      ChunkChecksums checksums = checksums();
      if (verify || files.isSuspect()) {
        verify(data, checksums);
      }
      BlockData read = new BlockData(files.key(), block, firstByte, data, checksums);
      data = null;
      return read;
    } catch (RuntimeException | OutOfMemoryError e) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE,
          "cannot serve a read now: path=" + files.path() + ", length=" + length,
          e);
    } finally {
      if (data != null) {
        data.release();
      }
    }
  }

  private ByteBuf buffer() {
    Optional<ByteBuf> own = buffers.take(length);
    if (own.isPresent()) {
      return own.get();
    }
    counters.increment(StoreCounter.POOLED_READS);
    return DataBuffers.pool().directBuffer(length, length);
  }

  private ChunkChecksums checksums() {
    int chunkSize = files.layout().chunkSize();
    int first = firstByte / chunkSize;
    return entry.checksums().range(first, first + ChunkChecksums.countFor(length, chunkSize));
  }

  private void verify(ByteBuf data, ChunkChecksums checksums) throws VdfsException {
    int chunkSize = files.layout().chunkSize();
    int bad = checksums.firstMismatch(data.nioBuffer(), chunkSize);
    if (bad >= 0) {
      counters.increment(StoreCounter.CORRUPT_CHUNKS);
      throw new VdfsException(
          ErrorCode.CORRUPT,
          ("chunk differs from its checksum: volume=%s, path=%s, file=%s, block=%s, slot=%s,"
                  + " offset=%s, checksum=%s")
              .formatted(
                  files.volume().directory(),
                  files.path(),
                  files.key(),
                  block,
                  entry.slot(),
                  firstByte + (long) bad * chunkSize,
                  Integer.toHexString(checksums.get(bad))));
    }
  }
}
