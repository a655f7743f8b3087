package io.vdfs.datanode.ledger.state;

import io.vdfs.common.wire.proto.BlockRangeProto;
import io.vdfs.common.wire.proto.StreamFile;

/** Cuts the ranges of a file at the borders of groups, each of which is in the pool of one node. */
public final class GroupParts {
  /** Receives consecutive blocks of one group with the index of the node that they belong to. */
  @FunctionalInterface
  interface Visitor {
    void part(int node, int first, int count);
  }

  private GroupParts() {}

  /** Number of groups that the ranges touch, which must be ascending and disjoint. */
  public static long groups(StreamFile file, int groupBlocks) {
    long groups = 0;
    long last = -1;
    for (BlockRangeProto range : file.getRangesList()) {
      long first = range.getFirst() / groupBlocks;
      long end = (range.getFirst() + range.getCount() - 1) / groupBlocks;
      groups += end - first + (first == last ? 0 : 1);
      last = end;
    }
    return groups;
  }

  /** Visits the parts in ascending order; the file has a node for each group. */
  static void forEach(StreamFile file, int groupBlocks, Visitor visitor) {
    int index = -1;
    long group = -1;
    for (BlockRangeProto range : file.getRangesList()) {
      long end = range.getFirst() + range.getCount();
      for (long block = range.getFirst(); block < end; ) {
        if (block / groupBlocks != group) {
          group = block / groupBlocks;
          index++;
        }
        long partEnd = Math.min(end, (group + 1) * groupBlocks);
        visitor.part(file.getGroupNodes(index), (int) block, (int) (partEnd - block));
        block = partEnd;
      }
    }
  }
}
