package io.vdfs.datanode.meta.state;

import com.google.common.math.LongMath;
import io.vdfs.common.wire.proto.InodeRecord;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The share of a quota that inodes take, or a change of that. Immutable.
 *
 * @param inodes files and directories
 * @param space recorded length times the copies that count; ends at the largest long
 */
public record Usage(long inodes, long space) {
  public static final Usage NONE = new Usage(0, 0);

  /** The usage of one inode alone. */
  public static Usage of(InodeRecord inode) {
    long space =
        LongMath.saturatedMultiply(inode.getFile().getLength(), inode.getFile().getCountedCopies());
    return new Usage(1, space);
  }

  /**
   * The usage of an inode and all below it. Walks down to directories that know theirs, having a
   * quota themselves; the top is counted as given.
   */
  public static Usage ofTree(InodeRecord top, Namespace namespace) {
    if (top.hasQuota()) {
      return new Usage(top.getQuota().getInodes(), top.getQuota().getSpace());
    }
    Usage usage = of(top);
    Deque<Long> pending = new ArrayDeque<>();
    pending.push(top.getId());
    while (!pending.isEmpty()) {
      var children = namespace.children(pending.pop(), "");
      while (children.hasNext()) {
        InodeRecord child = children.next();
        if (child.hasQuota()) {
          usage = usage.plus(ofTree(child, namespace));
        } else {
          usage = usage.plus(of(child));
          if (Inodes.isDirectory(child)) {
            pending.push(child.getId());
          }
        }
      }
    }
    return usage;
  }

  public Usage plus(Usage other) {
    return new Usage(inodes + other.inodes, LongMath.saturatedAdd(space, other.space));
  }

  public Usage negated() {
    return new Usage(-inodes, -space);
  }
}
