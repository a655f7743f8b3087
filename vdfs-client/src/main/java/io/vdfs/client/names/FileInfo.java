package io.vdfs.client.names;

import io.vdfs.client.io.replica.Exclusion;
import io.vdfs.client.io.replica.FileView;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.StatusProto;
import java.util.ArrayList;
import java.util.List;

/** What the metadata service said about an inode. Immutable; a view of its message. */
public final class FileInfo {
  private final StatusProto status;
  private final boolean limited;

  /**
   * A view of what the metadata service answered.
   *
   * @param status of the inode
   */
  public FileInfo(StatusProto status) {
    this(status, false);
  }

  private FileInfo(StatusProto status, boolean limited) {
    this.status = status;
    this.limited = limited;
  }

  /**
   * The file's content, as its readers and writers see it.
   *
   * @throws VdfsException INVALID_ARGUMENT if it is not a file
   */
  public FileView view() throws VdfsException {
    return FileView.of(status);
  }

  /** The same content as a closed file of that length. */
  public FileInfo limitedTo(long length) {
    StatusProto start =
        status.toBuilder()
            .setLength(length)
            .clearFlushedLength()
            .setUnderConstruction(false)
            .build();
    return new FileInfo(start, true);
  }

  /** Whether nodes may hold more of the content than its length, or come to hold more. */
  public boolean mayGoOn() {
    return limited || isUnderConstruction();
  }

  /** Last component of the path; empty where the caller gave the path. */
  public String name() {
    return status.getName();
  }

  public boolean isDirectory() {
    return status.getDirectory();
  }

  public long inodeId() {
    return status.getInodeId();
  }

  public int generation() {
    return status.getGeneration();
  }

  /**
   * @throws IllegalArgumentException for a directory, which has no content
   */
  public FileKey key() {
    return new FileKey(status.getInodeId(), status.getGeneration());
  }

  public String owner() {
    return status.getOwner();
  }

  public String group() {
    return status.getGroup();
  }

  public int mode() {
    return status.getMode();
  }

  public long modificationMillis() {
    return status.getModificationMillis();
  }

  public long accessMillis() {
    return status.getAccessMillis();
  }

  /** Of a file being written: what its writer has flushed, as far as it has reported. */
  public long length() {
    return Math.max(status.getLength(), status.getFlushedLength());
  }

  public int replication() {
    return status.getReplication();
  }

  /** Of {@link #replication}, as many as the ring's lists have nodes. */
  public int countedCopies() {
    return status.getCountedCopies();
  }

  /** As reported to applications; has nothing to do with the cluster's blocks. */
  public long blockSize() {
    return status.getBlockSize();
  }

  public boolean isUnderConstruction() {
    return status.getUnderConstruction();
  }

  /** Whether the caller may open it for reading, as far as the answer says. */
  public boolean isReadable() {
    return status.getReadable();
  }

  /** Whether an ACL says more than the mode; the group's bits of the mode are then its mask. */
  public boolean hasAcl() {
    return status.getHasAcl();
  }

  /** The entries beyond the mode, in order; empty unless asked for. */
  public List<AclRule> acl() {
    return status.getAclList().stream().map(AclRule::of).toList();
  }

  /** Epoch of the current or last writer. */
  public int writeEpoch() {
    return status.getWriteEpoch();
  }

  /**
   * Nodes that hold no good copy of some groups.
   *
   * @throws VdfsException INVALID_ARGUMENT if the message names no node
   */
  public List<Exclusion> exclusions() throws VdfsException {
    List<Exclusion> exclusions = new ArrayList<>();
    for (ExclusionProto exclusion : status.getExclusionsList()) {
      exclusions.add(Exclusion.of(exclusion));
    }
    return exclusions;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FileInfo info && limited == info.limited && status.equals(info.status);
  }

  @Override
  public int hashCode() {
    return status.hashCode();
  }

  @Override
  public String toString() {
    return "FileInfo[" + status + (limited ? ", limited]" : "]");
  }
}
