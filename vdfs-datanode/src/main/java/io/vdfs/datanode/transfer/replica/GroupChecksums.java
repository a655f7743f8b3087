package io.vdfs.datanode.transfer.replica;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.store.BlockLocation;
import io.vdfs.datanode.store.BlockStore;
import java.util.ArrayList;
import java.util.List;

/** The checksums of the blocks of a group, computed from those of their chunks. Stateless. */
final class GroupChecksums {
  private GroupChecksums() {}

  /**
   * CRC32C of each block held of a group, in order without a gap. Never blocks.
   *
   * @throws VdfsException NOT_FOUND if a block goes away meanwhile
   */
  static List<Integer> of(BlockStore store, ClusterGeometry geometry, FileKey file, int group)
      throws VdfsException {
    List<Integer> checksums = new ArrayList<>();
    long first = (long) group * geometry.groupBlocks();
    long blocks = geometry.blockCount(store.group(file, group).length());
    for (long block = first; block < first + blocks; block++) {
      long wanted = block;
      BlockLocation location =
          store
              .locate(file, block)
              .orElseThrow(
                  () ->
                      new VdfsException(
                          ErrorCode.NOT_FOUND,
                          "block went away: file=" + file + ", block=" + wanted));
      checksums.add(location.checksums().combined(location.length(), geometry.chunkSize()));
    }
    return checksums;
  }
}
