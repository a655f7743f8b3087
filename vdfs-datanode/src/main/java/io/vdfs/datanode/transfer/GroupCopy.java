package io.vdfs.datanode.transfer;

import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CopyGroup;
import io.vdfs.common.wire.proto.ReadRequest;
import io.vdfs.datanode.store.BlockCopy;

/**
 * Copies blocks of a group from another node, one after the other and a megabyte at a time, each
 * chunk compared with its writer's checksum. A block of this node counts as it was until its copy
 * is on stable storage. For a thread that may block.
 */
final class GroupCopy {
  /** Bytes asked for at a time, where a chunk is not larger: what a copy holds in memory. */
  private static final int PIECE = 1 << 20;

  private final TransferContext context;
  private final FileKey file;
  private final int group;
  private final CopyGroup wanted;

  GroupCopy(TransferContext context, FileKey file, int group, CopyGroup wanted) {
    this.context = context;
    this.file = file;
    this.group = group;
    this.wanted = wanted;
  }

  /**
   * @throws VdfsException INVALID_ARGUMENT for what no sound leader asks for; else as reads and
   *     copies fail
   */
  void run() throws VdfsException {
    ClusterGeometry geometry = context.geometry();
    if (wanted.getLength() < 1
        || wanted.getLength() > geometry.groupSize()
        || wanted.getFirstBlock() < 0
        || wanted.getFirstBlock() >= geometry.blockCount(wanted.getLength())) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "no part of a group: firstBlock="
              + wanted.getFirstBlock()
              + ", length="
              + wanted.getLength()
              + ", groupSize="
              + geometry.groupSize());
    }
    long blocks = geometry.blockCount(wanted.getLength());
    for (int block = wanted.getFirstBlock(); block < blocks; block++) {
      long rest = wanted.getLength() - (long) block * geometry.blockSize();
      copy(
          (long) group * geometry.groupBlocks() + block,
          (int) Math.min(rest, geometry.blockSize()));
    }
  }

  private void copy(long block, int length) throws VdfsException {
    int chunkSize = context.geometry().chunkSize();
    int piece = Math.max(chunkSize, PIECE - PIECE % chunkSize);
    try (BlockCopy copy =
        context
            .store()
            .openCopy(
                file,
                wanted.getPrimary() ? BlockRole.PRIMARY : BlockRole.REPLICA,
                block,
                Integer.toUnsignedLong(wanted.getWriteEpoch()))) {
      for (int at = 0; at < length; at += piece) {
        VerifiedChunks data = fetch(block, at, Math.min(piece, length - at));
        context.counters().add(TransferCounter.SUMMED_CHUNKS, data.checksums().count());
        copy.append(data);
        context.counters().add(TransferCounter.BYTES_COPIED, data.length());
      }
      copy.finish();
    }
  }

  private VerifiedChunks fetch(long block, int offset, int length) throws VdfsException {
    ReadRequest request =
        ReadRequest.newBuilder()
            .setFile(WireIds.encode(file))
            .setBlock(block)
            .setOffset(offset)
            .setLength(length)
            .setClusterId(WireIds.encode(context.cluster()))
            .setNode(wanted.getSource())
            .build();
    return RangeFetch.get(
        context.connections(),
        context.peers().address(WireIds.nodeId(wanted.getSource())),
        request,
        context.geometry().chunkSize(),
        context.settings().hopLimit());
  }
}
