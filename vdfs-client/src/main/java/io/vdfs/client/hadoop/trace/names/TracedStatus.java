package io.vdfs.client.hadoop.trace.names;

import java.io.IOException;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * What another status says, with a path of its own. Asks the other one only when it is asked: some
 * look for owner and permission only then, at a cost. Once it was read from a stream, it stands for
 * itself.
 */
class TracedStatus extends FileStatus implements WrappedStatus {
  private static final long serialVersionUID = 1L;

  private final FileStatus wrapped;

  /** For deserialization. */
  TracedStatus() {
    this.wrapped = null;
  }

  private TracedStatus(FileStatus wrapped, Path path) {
    this.wrapped = wrapped;
    setPath(path);
  }

  /** A status that tells versions of the file apart if the other one does. */
  static TracedStatus of(FileStatus wrapped, Path path) {
    return wrapped instanceof EtagSource
        ? new WithEtag(wrapped, path)
        : new TracedStatus(wrapped, path);
  }

  /** Of a filesystem that tells versions of a file apart. */
  private static final class WithEtag extends TracedStatus implements EtagSource {
    private static final long serialVersionUID = 1L;

    private final String etag;

    WithEtag(FileStatus wrapped, Path path) {
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
