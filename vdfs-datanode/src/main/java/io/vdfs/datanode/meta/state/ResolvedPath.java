package io.vdfs.datanode.meta.state;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.datanode.meta.state.access.Access;
import io.vdfs.datanode.meta.state.access.Action;
import java.util.List;

/**
 * A path and the inodes that exist along it, which the caller may traverse. Immutable.
 *
 * @param path the path looked up
 * @param found from the root down to the last component that exists
 */
public record ResolvedPath(MetaPath path, List<InodeRecord> found) {
  public ResolvedPath {
    found = List.copyOf(found);
  }

  public boolean exists() {
    return found.size() == path.depth() + 1;
  }

  /** The inode that the path names. */
  public InodeRecord inode() {
    if (!exists()) {
      throw new IllegalStateException("path does not exist: path=" + path);
    }
    return found.get(found.size() - 1);
  }

  /**
   * @throws VdfsException NOT_FOUND
   */
  public InodeRecord requireInode() throws VdfsException {
    if (!exists()) {
      throw Refusals.notFound(path);
    }
    return inode();
  }

  /**
   * @throws VdfsException NOT_FOUND or IS_A_DIRECTORY
   */
  public InodeRecord requireFile() throws VdfsException {
    InodeRecord inode = requireInode();
    if (Inodes.isDirectory(inode)) {
      throw Refusals.isADirectory(path);
    }
    return inode;
  }

  public boolean parentExists() {
    return !path.isRoot() && found.size() >= path.depth();
  }

  /** The existing directory that holds, or would hold, the last component. */
  public InodeRecord parent() {
    if (!parentExists()) {
      throw new IllegalStateException("path has no parent: path=" + path);
    }
    return found.get(path.depth() - 1);
  }

  /**
   * @throws VdfsException NOT_FOUND
   */
  public InodeRecord requireParent() throws VdfsException {
    if (!parentExists()) {
      throw Refusals.parentNotFound(path);
    }
    return parent();
  }

  /** How many components of the path, the last one left out, exist. */
  public int ancestorDepth() {
    return Math.min(found.size(), path.depth()) - 1;
  }

  /** The deepest existing directory above the last component; not for the root. */
  public InodeRecord ancestor() {
    return found.get(ancestorDepth());
  }

  /** Checks write access to {@link #ancestor()}, where something is going to be made. */
  public void requireAncestorWrite(Access access) throws VdfsException {
    if (!path.isRoot()) {
      access.require(ancestor(), Action.WRITE, path.prefix(ancestorDepth()));
    }
  }

  /** Checks that the caller may take the last component, if it exists, out of its parent. */
  public void requireRemoval(Access access) throws VdfsException {
    if (parentExists()) {
      access.require(parent(), Action.WRITE, parentText());
      if (exists()) {
        access.requireRemoval(parent(), inode(), path.text());
      }
    }
  }

  private String parentText() {
    return path.prefix(path.depth() - 1);
  }
}
