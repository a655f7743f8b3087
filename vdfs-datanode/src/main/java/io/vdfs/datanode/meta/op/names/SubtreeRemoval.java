package io.vdfs.datanode.meta.op.names;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.MetaPath;
import io.vdfs.datanode.meta.state.access.Action;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * Whether the caller may delete a whole tree: as in HDFS, each directory that is not empty must
 * allow everything, and its sticky bit the removal of its children.
 *
 * <p>The walk is bounded; a tree that is too large is refused rather than deleted unchecked.
 */
final class SubtreeRemoval {
  private final MetaContext context;
  private final MetaPath top;
  private int visited;

  SubtreeRemoval(MetaContext context, MetaPath top) {
    this.context = context;
    this.top = top;
  }

  /**
   * @throws VdfsException PERMISSION_DENIED, or QUOTA_EXCEEDED if the tree is too large to check
   */
  void check(InodeRecord directory) throws VdfsException {
    Deque<InodeRecord> pending = new ArrayDeque<>();
    pending.push(directory);
    while (!pending.isEmpty()) {
      InodeRecord parent = pending.pop();
      Iterator<InodeRecord> children = context.namespace().children(parent.getId(), "");
      if (children.hasNext()) {
        context.access().require(parent, Action.ALL, described(parent));
      }
      while (children.hasNext()) {
        InodeRecord child = children.next();
        countVisit();
        if (!context.access().allowsRemoval(parent, child)) {
          context.access().requireRemoval(parent, child, described(child));
        }
        if (Inodes.isDirectory(child)) {
          pending.push(child);
        }
      }
    }
  }

  private void countVisit() throws VdfsException {
    visited++;
    int limit = context.settings().limits().walkEntries();
    if (visited > limit) {
      throw new VdfsException(
          ErrorCode.QUOTA_EXCEEDED,
          ("tree is too large to check its permissions, delete it in parts or as superuser:"
                  + " path=%s, limit=%s")
              .formatted(top, limit));
    }
  }

  private String described(InodeRecord inode) {
    return top + " (below it: name=" + inode.getName() + ", inode=" + inode.getId() + ")";
  }
}
