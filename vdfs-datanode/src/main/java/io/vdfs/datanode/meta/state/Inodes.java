package io.vdfs.datanode.meta.state;

import io.vdfs.common.model.InodeIds;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.StatusProto;

/** Facts about an inode that follow from it alone. */
public final class Inodes {
  public static final long ROOT = InodeIds.directory(0, 0);

  private Inodes() {}

  public static boolean isDirectory(InodeRecord inode) {
    return !inode.hasFile();
  }

  public static boolean isOpen(InodeRecord inode) {
    return inode.getFile().hasLease();
  }

  public static boolean hasStickyBit(InodeRecord inode) {
    return (inode.getMode() & 01000) != 0;
  }

  /** Whether it is the top of a tree that was deleted and waits to be reclaimed. */
  static boolean isDetached(InodeRecord inode) {
    return inode.getParentId() == 0 && inode.getId() != ROOT;
  }

  public static FileKeyProto key(InodeRecord file) {
    return FileKeyProto.newBuilder()
        .setFileId(file.getId())
        .setGeneration(file.getFile().getGeneration())
        .build();
  }

  /** Status without name and extended attributes, which only some answers carry. */
  public static StatusProto.Builder status(InodeRecord inode) {
    StatusProto.Builder status =
        StatusProto.newBuilder()
            .setInodeId(inode.getId())
            .setParentId(inode.getParentId())
            .setDirectory(isDirectory(inode))
            .setOwner(inode.getOwner())
            .setGroup(inode.getGroup())
            .setMode(inode.getMode())
            .setModificationMillis(inode.getModificationMillis())
            .setAccessMillis(inode.getAccessMillis())
            .setHasAcl(inode.getAclCount() > 0);
    if (inode.hasFile()) {
      status
          .setLength(inode.getFile().getLength())
          .setGeneration(inode.getFile().getGeneration())
          .setReplication(inode.getFile().getReplication())
          .setCountedCopies(inode.getFile().getCountedCopies())
          .setBlockSize(inode.getFile().getBlockSize())
          .setUnderConstruction(isOpen(inode))
          .setLeaseStartLength(inode.getFile().getLease().getStartLength())
          .setLeaseFirstEpoch(inode.getFile().getLease().getFirstEpoch())
          .setFlushedLength(shownFlushedLength(inode, flushedLength(inode)))
          .setWriteEpoch(inode.getFile().getWriteEpoch())
          .setCloseUnforced(CloseAttribute.isUnforced(inode))
          .addAllExclusions(inode.getFile().getExclusionsList());
    }
    return status;
  }

  /** Bytes that readers of a file may see, as far as it is recorded. */
  static long flushedLength(InodeRecord file) {
    return Math.max(file.getFile().getLength(), file.getFile().getLease().getFlushedLength());
  }

  /** What a status says of {@code flushed} bytes: nothing where they are all of the length. */
  public static long shownFlushedLength(InodeRecord file, long flushed) {
    return flushed > file.getFile().getLength() ? flushed : 0;
  }
}
