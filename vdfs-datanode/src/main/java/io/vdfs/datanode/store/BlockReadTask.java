package io.vdfs.datanode.store;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.store.ChunkChecksums;
import io.vdfs.datanode.store.index.BlockEntry;
import io.vdfs.datanode.store.read.ReadTask;
import java.util.concurrent.CompletableFuture;

/**
 * Reads whole chunks of a block as it was when the read was asked for; these bytes do not change.
 * Made by any thread, executed by the reader of the volume.
 */
final class BlockReadTask implements ReadTask {
  private final CombinedFile part;
  private final BlockEntry entry;
  private final long block;
  private final int firstByte;
  private final int length;
  private final boolean verify;
  private final StoreCounters counters;
  private final CompletableFuture<BlockData> result = new CompletableFuture<>();

  /**
   * @param firstByte in the block, on a chunk boundary
   * @param length up to a chunk boundary or the end of the block
   */
  BlockReadTask(
      CombinedFile part,
      BlockEntry entry,
      long block,
      int firstByte,
      int length,
      boolean verify,
      StoreCounters counters) {
    this.part = part;
    this.entry = entry;
    this.block = block;
    this.firstByte = firstByte;
    this.length = length;
    this.verify = verify;
    this.counters = counters;
  }

  CompletableFuture<BlockData> result() {
    return result;
  }

  Volume volume() {
    return part.volume();
  }

  @Override
  public long file() {
    return part.number();
  }

  @Override
  public long position() {
    return part.layout().dataOffset(entry.slot()) + firstByte;
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public int gap() {
    return part.layout().footerAreaSize();
  }

  @Override
  public void execute() {
    if (result.isDone()) {
      return;
    }
    ByteBuf data = null;
    try {
      data = PooledByteBufAllocator.DEFAULT.directBuffer(length, length);
      part.read(data.internalNioBuffer(0, length), position());
      data.writerIndex(length);
      ChunkChecksums checksums = checksums();
      if (verify || part.isSuspect()) {
        verify(data, checksums);
      }
      if (result.complete(new BlockData(part.key(), block, firstByte, data, checksums))) {
        data = null;
      }
    } catch (VdfsException e) {
      result.completeExceptionally(e);
    } catch (RuntimeException | OutOfMemoryError e) {
      result.completeExceptionally(
          new VdfsException(
              ErrorCode.UNAVAILABLE,
              "cannot serve a read now: path=" + part.path() + ", length=" + length,
              e));
    } finally {
      if (data != null) {
        data.release();
      }
    }
  }

  private ChunkChecksums checksums() {
    int chunkSize = part.layout().chunkSize();
    int first = firstByte / chunkSize;
    return entry.checksums().range(first, first + ChunkChecksums.countFor(length, chunkSize));
  }

  private void verify(ByteBuf data, ChunkChecksums checksums) throws VdfsException {
    int chunkSize = part.layout().chunkSize();
    int bad = checksums.firstMismatch(data.nioBuffer(), chunkSize);
    if (bad >= 0) {
      counters.increment(StoreCounter.CORRUPT_CHUNKS);
      throw new VdfsException(
          ErrorCode.CORRUPT,
          "chunk differs from its checksum: volume="
              + part.volume().directory()
              + ", path="
              + part.path()
              + ", file="
              + part.key()
              + ", block="
              + block
              + ", slot="
              + entry.slot()
              + ", offset="
              + (firstByte + (long) bad * chunkSize)
              + ", checksum="
              + Integer.toHexString(checksums.get(bad)));
    }
  }

  @Override
  public void refuse() {
    result.completeExceptionally(
        new VdfsException(
            ErrorCode.UNAVAILABLE,
            "volume takes no reads now: volume="
                + part.volume().directory()
                + ", file="
                + part.key()
                + ", block="
                + block));
  }
}
