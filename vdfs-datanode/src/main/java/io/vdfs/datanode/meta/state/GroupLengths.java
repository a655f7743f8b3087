package io.vdfs.datanode.meta.state;

import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.LeaseRecord;
import java.util.List;

/**
 * The bytes of those groups of a file that nodes have to hold for good: all of a closed file; of
 * one that is being written, the groups recorded as whole. Immutable.
 *
 * @param length bytes of the file in those groups
 */
public record GroupLengths(long length, ClusterGeometry geometry) {
  public static GroupLengths of(InodeRecord file, ClusterGeometry geometry) {
    long length = file.getFile().getLength();
    long partial = Inodes.isOpen(file) ? length % geometry.groupSize() : 0;
    return new GroupLengths(length - partial, geometry);
  }

  /**
   * The checksums of a file's groups, from the first one on, as far as they are known. Of an open
   * file that in which its writer began is of other bytes until it is recorded as whole.
   */
  public static List<Integer> checksums(InodeRecord file, ClusterGeometry geometry) {
    List<Integer> all = file.getFile().getGroupChecksumsList();
    if (!Inodes.isOpen(file)) {
      return all;
    }
    return all.subList(0, Math.min(wholeGroups(file.getFile(), geometry), all.size()));
  }

  /**
   * End of the groups of an open file that were whole before its writer began, or are recorded as
   * whole since.
   */
  public static int wholeGroups(FileRecord content, ClusterGeometry geometry) {
    LeaseRecord lease = content.getLease();
    return Math.max(lease.getRecordedGroups(), geometry.groupAt(lease.getStartLength()));
  }

  public int groups() {
    return geometry.groupCount(length);
  }

  /**
   * @param group below {@link #groups()}
   */
  public long of(int group) {
    return Math.min(length - group * geometry.groupSize(), geometry.groupSize());
  }
}
