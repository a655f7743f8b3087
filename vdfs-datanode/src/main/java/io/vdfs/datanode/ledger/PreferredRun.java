package io.vdfs.datanode.ledger;

import io.vdfs.common.model.FileKey;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.PreferredBlocks;
import io.vdfs.common.wire.proto.ScanHead;
import java.util.List;

/**
 * Which blocks of its pool a node gives out where it has a preference, so that jobs that read the
 * same file share what the disk reads: what is in memory first, then what comes next under the head
 * of the scan, and round to the front of the pool at the end. Pure.
 */
final class PreferredRun {
  /** Preferences beyond these are not looked at. */
  private static final int MOST = 64;

  private PreferredRun() {}

  /**
   * Runs of blocks that the node prefers, all out of the first preference that has any left.
   *
   * @param blocks most of them; whole groups are given whole
   * @param runs most of them
   * @return empty if nothing of it is left in the node's pool
   */
  static List<BlockRange> find(
      StreamState stream, int node, List<PreferredBlocks> preferred, int blocks, int runs) {
    for (PreferredBlocks hint : preferred.subList(0, Math.min(MOST, preferred.size()))) {
      int first = block(hint.getFirst());
      int count = block(hint.getFirst() + Math.max(0, hint.getCount())) - first;
      for (int file : indexes(stream, hint.getFile())) {
        List<BlockRange> cut =
            cut(stream, node, new BlockRange(file, first, count), false, blocks, runs);
        if (!cut.isEmpty()) {
          return cut;
        }
      }
    }
    return List.of();
  }

  /** Runs where the scans of a node go on, in a pool that is not empty. */
  static List<BlockRange> behind(
      StreamState stream, int node, List<ScanHead> heads, int blocks, int runs) {
    for (ScanHead head : heads.subList(0, Math.min(MOST, heads.size()))) {
      for (int file : indexes(stream, head.getFile())) {
        BlockRange place = new BlockRange(file, block(head.getBlock()), 0);
        List<BlockRange> cut = cut(stream, node, place, true, blocks, runs);
        if (!cut.isEmpty()) {
          return cut;
        }
      }
    }
    return cutter(stream, node).cut(blocks, runs);
  }

  private static List<BlockRange> cut(
      StreamState stream, int node, BlockRange window, boolean beyond, int blocks, int runs) {
    List<BlockRange> cut = cutter(stream, node).cutFrom(window, beyond, blocks, runs);
    if (cut.isEmpty() || !stream.header().getWholeGroups()) {
      return cut;
    }
    // a group is in the pool whole or not at all
    BlockRange found = cut.get(0);
    int group = stream.header().getGroupBlocks();
    BlockRange begin = new BlockRange(found.file(), found.first() - found.first() % group, 0);
    return cutter(stream, node).cutFrom(begin, true, group, 1);
  }

  private static RunCutter cutter(StreamState stream, int node) {
    return new RunCutter(stream.pool(node), true, stream.header().getGroupBlocks());
  }

  private static List<Integer> indexes(StreamState stream, FileKeyProto key) {
    return key.getFileId() > 0 && key.getGeneration() > 0
        ? stream.files().indexes(new FileKey(key.getFileId(), key.getGeneration()))
        : List.of();
  }

  /** Numbers from outside may be anything; blocks of a stream fit into an int. */
  private static int block(long number) {
    return (int) Math.max(0, Math.min(Integer.MAX_VALUE, number));
  }
}
