package io.vdfs.datanode.meta.state;

import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.wire.proto.InodeRecord;

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
