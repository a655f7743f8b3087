package io.vdfs.datanode.ledger.draw;

import io.vdfs.common.model.FileKey;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.PreferredBlocks;
import io.vdfs.common.wire.proto.ScanHead;
import io.vdfs.datanode.ledger.state.BlockRange;
import io.vdfs.datanode.ledger.state.RangeDeque;
import io.vdfs.datanode.ledger.state.StreamState;
import java.util.List;

/**
 * Chooses the blocks of its pool that a node gives out where it has a preference, so that jobs that
 * read the same file share what the disk reads: what is in memory first, then what comes next under
 * the head of the scan, and round to the front of the pool at the end. Pure; used for one draw.
 */
public final class PreferredRun {
  /** Preferences beyond these are not looked at. */
  private static final int MOST = 64;

  private final StreamState stream;
  private final RangeDeque pool;
  private final int indexesPerHint;

  /**
   * @param indexesPerHint of a file that stands several times in the input, the first ones: a
   *     preference for others of its blocks is not found
   */
  public PreferredRun(StreamState stream, int node, int indexesPerHint) {
    this.stream = stream;
    this.pool = stream.pool(node);
    this.indexesPerHint = indexesPerHint;
  }

  /**
   * Runs of blocks that the node prefers, all out of the first preference that has any left.
   *
   * @param blocks most of them; whole groups are given whole
   * @param runs most of them
   * @return empty if no preferred blocks are left in the node's pool
   */
  public List<BlockRange> find(List<PreferredBlocks> preferred, int blocks, int runs) {
    for (PreferredBlocks hint : preferred.subList(0, Math.min(MOST, preferred.size()))) {
      int first = block(hint.getFirst());
      int count = block(hint.getFirst() + Math.max(0, hint.getCount())) - first;
      for (int file : indexes(hint.getFile())) {
        List<BlockRange> cut = cut(new BlockRange(file, first, count), false, blocks, runs);
        if (!cut.isEmpty()) {
          return cut;
        }
      }
    }
    return List.of();
  }

  /** Runs where the scans of the node go on, in a pool that is not empty. */
  public List<BlockRange> behind(List<ScanHead> heads, int blocks, int runs) {
    for (ScanHead head : heads.subList(0, Math.min(MOST, heads.size()))) {
      for (int file : indexes(head.getFile())) {
        BlockRange place = new BlockRange(file, block(head.getBlock()), 0);
        List<BlockRange> cut = cut(place, true, blocks, runs);
        if (!cut.isEmpty()) {
          return cut;
        }
      }
    }
    return cutter().cut(blocks, runs);
  }

  private List<BlockRange> cut(BlockRange window, boolean beyond, int blocks, int runs) {
    List<BlockRange> cut = cutter().cutFrom(window, beyond, blocks, runs);
    if (cut.isEmpty() || !stream.header().getWholeGroups()) {
      return cut;
    }
    // a group is in the pool whole or not at all
    BlockRange found = cut.get(0);
    int group = stream.header().getGroupBlocks();
    BlockRange begin = new BlockRange(found.file(), found.first() - found.first() % group, 0);
    return cutter().cutFrom(begin, true, group, 1);
  }

  private RunCutter cutter() {
    return new RunCutter(pool, true, stream.header().getGroupBlocks());
  }

  private List<Integer> indexes(FileKeyProto key) {
    return key.getFileId() > 0 && key.getGeneration() > 0
        ? stream.files().indexes(new FileKey(key.getFileId(), key.getGeneration()), indexesPerHint)
        : List.of();
  }

  /** Numbers from outside may be anything; blocks of a stream fit into an int. */
  private static int block(long number) {
    return (int) Math.max(0, Math.min(Integer.MAX_VALUE, number));
  }
}
