package io.vdfs.client.hadoop.trace.names;

import java.io.IOException;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;

/** A {@link TracedStatus} that says where the file lies. */
class TracedLocatedStatus extends LocatedFileStatus implements WrappedStatus {
  private static final long serialVersionUID = 1L;

  private final LocatedFileStatus wrapped;

  /** For deserialization. */
  TracedLocatedStatus() {
    this.wrapped = null;
  }

  private TracedLocatedStatus(LocatedFileStatus wrapped, Path path) {
    this.wrapped = wrapped;
    setPath(path);
  }

  /** A status that tells versions of the file apart if the other one does. */
  static TracedLocatedStatus of(LocatedFileStatus wrapped, Path path) {
    return wrapped instanceof EtagSource
        ? new WithEtag(wrapped, path)
        : new TracedLocatedStatus(wrapped, path);
  }

  /** Of a filesystem that tells versions of a file apart. */
  private static final class WithEtag extends TracedLocatedStatus implements EtagSource {
    private static final long serialVersionUID = 1L;

    private final String etag;

    WithEtag(LocatedFileStatus wrapped, Path path) {
      super(wrapped, path);
      this.etag = ((EtagSource) wrapped).getEtag();
    }

    @Override
    public String getEtag() {
      return etag;
    }
  }

  @Override
  public FileStatus wrapped() {
    return wrapped;
  }

  @Override
  public long getLen() {
    return wrapped == null ? super.getLen() : wrapped.getLen();
  }

  @Override
  public boolean isFile() {
    return wrapped == null ? super.isFile() : wrapped.isFile();
  }

  @Override
  public boolean isDirectory() {
    return wrapped == null ? super.isDirectory() : wrapped.isDirectory();
  }

  @Override
  public boolean isSymlink() {
    return wrapped == null ? super.isSymlink() : wrapped.isSymlink();
  }

  @Override
  public long getBlockSize() {
    return wrapped == null ? super.getBlockSize() : wrapped.getBlockSize();
  }

  @Override
  public short getReplication() {
    return wrapped == null ? super.getReplication() : wrapped.getReplication();
  }

  @Override
  public long getModificationTime() {
    return wrapped == null ? super.getModificationTime() : wrapped.getModificationTime();
  }

  @Override
  public long getAccessTime() {
    return wrapped == null ? super.getAccessTime() : wrapped.getAccessTime();
  }

  @Override
  public FsPermission getPermission() {
    return wrapped == null ? super.getPermission() : wrapped.getPermission();
  }

  @Override
  public boolean hasAcl() {
    return wrapped == null ? super.hasAcl() : wrapped.hasAcl();
  }

  @Override
  public boolean isEncrypted() {
    return wrapped == null ? super.isEncrypted() : wrapped.isEncrypted();
  }

  @Override
  public boolean isErasureCoded() {
    return wrapped == null ? super.isErasureCoded() : wrapped.isErasureCoded();
  }

  @Override
  public boolean isSnapshotEnabled() {
    return wrapped == null ? super.isSnapshotEnabled() : wrapped.isSnapshotEnabled();
  }

  @Override
  public String getOwner() {
    return wrapped == null ? super.getOwner() : wrapped.getOwner();
  }

  @Override
  public String getGroup() {
    return wrapped == null ? super.getGroup() : wrapped.getGroup();
  }

  @Override
  public Path getSymlink() throws IOException {
    return wrapped == null ? super.getSymlink() : wrapped.getSymlink();
  }

  @Override
  public BlockLocation[] getBlockLocations() {
    return wrapped == null ? super.getBlockLocations() : wrapped.getBlockLocations();
  }

  // by path, as every status

  @Override
  public boolean equals(Object other) {
    return super.equals(other);
  }

  @Override
  public int hashCode() {
    return super.hashCode();
  }
}
