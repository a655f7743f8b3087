package io.vdfs.client.hadoop.values;

import io.vdfs.client.names.FileInfo;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * A status that also knows where the file lies, as that costs no call. Once serialized it is a
 * plain status.
 */
public final class VdfsFileStatus extends LocatedFileStatus implements EtagSource {
  private static final long serialVersionUID = 1L;

  private final transient FileInfo info;
  private final long inodeId;
  private final int generation;
  private final int writeEpoch;

  /**
   * @param path qualified
   * @param locations null for a directory
   */
  VdfsFileStatus(FileInfo info, Path path, BlockLocation[] locations) {
    super(
        info.isDirectory() ? 0 : info.length(),
        info.isDirectory(),
        info.isDirectory() ? 0 : info.replication(),
        info.isDirectory() ? 0 : info.blockSize(),
        info.modificationMillis(),
        info.accessMillis(),
        FsPermission.createImmutable((short) info.mode()),
        info.owner(),
        info.group(),
        null,
        path,
        info.hasAcl(),
        false,
        false,
        locations);
    this.info = info;
    this.inodeId = info.inodeId();
    this.generation = info.generation();
    this.writeEpoch = info.writeEpoch();
  }

  /** Names content and its length, wherever the file is; null for a directory. */
  @Override
  public String getEtag() {
    return isDirectory()
        ? null
        : "%x-%x-%x-%x".formatted(inodeId, generation, writeEpoch, getLen());
  }

  /** Whether the metadata service would tell a reader nothing more. */
  public boolean isEnoughToOpen() {
    return info != null && info.isReadable() && !info.isDirectory() && !info.isUnderConstruction();
  }

  /** What the metadata service said; null after serialization. */
  public FileInfo info() {
    return info;
  }
}
