package io.vdfs.datanode.transfer.replica;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CopyGroup;
import io.vdfs.datanode.transfer.TransferContext;

/**
 * Copies blocks of a group from another node, one after the other, as it is asked to. For a thread
 * that may block.
 */
final class GroupCopy {
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
          "no part of a group: firstBlock=%s, length=%s, groupSize=%s"
              .formatted(wanted.getFirstBlock(), wanted.getLength(), geometry.groupSize()));
    }
    NodeId source = WireIds.nodeId(wanted.getSource());
    BlockRole role = wanted.getPrimary() ? BlockRole.PRIMARY : BlockRole.REPLICA;
    long epoch = Integer.toUnsignedLong(wanted.getWriteEpoch());
    BlockCopies copies = new BlockCopies(context);
    long blocks = geometry.blockCount(wanted.getLength());
    for (int block = wanted.getFirstBlock(); block < blocks; block++) {
      long rest = wanted.getLength() - (long) block * geometry.blockSize();
      copies.copy(
          source,
          file,
          (long) group * geometry.groupBlocks() + block,
          (int) Math.min(rest, geometry.blockSize()),
          role,
          epoch);
    }
  }
}
