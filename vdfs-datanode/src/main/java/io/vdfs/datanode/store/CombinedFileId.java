package io.vdfs.datanode.store;

import io.vdfs.common.model.FileKey;
import io.vdfs.common.store.BlockRole;
import java.util.Comparator;

/**
 * Names a combined file of this node: the blocks of one file on one volume in one role. Ids sort in
 * the order in which their files were made, roughly that in which a disk laid them out. Immutable.
 *
 * @param volume number of the volume in the node's list
 */
public record CombinedFileId(int volume, FileKey key, BlockRole role)
    implements Comparable<CombinedFileId> {
  private static final Comparator<CombinedFileId> ORDER =
      Comparator.comparingInt(CombinedFileId::volume)
          .thenComparing(CombinedFileId::key)
          .thenComparing(CombinedFileId::role);

  @Override
  public int compareTo(CombinedFileId other) {
    return ORDER.compare(this, other);
  }
}
