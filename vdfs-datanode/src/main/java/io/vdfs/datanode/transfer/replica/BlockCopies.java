package io.vdfs.datanode.transfer.replica;

import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ReadRequest;
import io.vdfs.datanode.store.BlockCopy;
import io.vdfs.datanode.transfer.TransferContext;
import io.vdfs.datanode.transfer.TransferCounter;

/**
 * Copies blocks from other nodes into this node's store, a megabyte at a time, each chunk compared
 * with its writer's checksum. Thread-safe; for threads that may block.
 */
public final class BlockCopies {
  /** Bytes asked for at a time, and held in memory by a copy, unless a chunk is larger. */
  private static final int PIECE = 1 << 20;

  private final TransferContext context;

  public BlockCopies(TransferContext context) {
    this.context = context;
  }

  /**
   * Copies one block. What this node had of it counts until the copy is on stable storage.
   *
   * @param block number within the file
   * @param length bytes of the block, at least 1
   * @param role why this node keeps the block's group, where it holds nothing of it yet
   * @param epoch under which it holds the copy
   * @throws VdfsException as reads at the source and {@link
   *     io.vdfs.datanode.store.BlockStore#openCopy} fail
   */
  public void copy(NodeId source, FileKey file, long block, int length, BlockRole role, long epoch)
      throws VdfsException {
    int chunkSize = context.geometry().chunkSize();
    int piece = Math.max(chunkSize, PIECE - PIECE % chunkSize);
    try (BlockCopy copy = context.store().openCopy(file, role, block, epoch)) {
      for (int at = 0; at < length; at += piece) {
        VerifiedChunks data = fetch(source, file, block, at, Math.min(piece, length - at));
        context.counters().add(TransferCounter.SUMMED_CHUNKS, data.checksums().count());
        copy.append(data);
        context.counters().add(TransferCounter.BYTES_COPIED, data.length());
      }
      copy.finish();
    }
  }

  private VerifiedChunks fetch(NodeId source, FileKey file, long block, int offset, int length)
      throws VdfsException {
    ReadRequest request =
        ReadRequest.newBuilder()
            .setFile(WireIds.encode(file))
            .setBlock(block)
            .setOffset(offset)
            .setLength(length)
            .setClusterId(WireIds.encode(context.cluster()))
            .setNode(WireIds.encode(source))
            .build();
    return RangeFetch.get(
        context.connections(),
        context.peers().address(source),
        request,
        context.geometry().chunkSize(),
        context.settings().hopLimit());
  }
}
