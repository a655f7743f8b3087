package io.vdfs.datanode.repair.copy;

import io.vdfs.common.model.NodeId;
import java.util.Set;

/**
 * A group that this node should hold and is not known to. Immutable.
 *
 * @param length bytes of the group
 * @param writeEpoch of the file, as the metadata had it; copies are made under it
 * @param leftOut nodes recorded as left out of the group: what they hold may be anything
 * @param doubted those left out, this node included, of whom nobody knows that they lack it
 * @param ownCounts whether readers may read what this node has of it: then its sound bytes give way
 *     to younger ones alone
 */
public record WantedGroup(
    GroupKey key,
    long length,
    int writeEpoch,
    Set<NodeId> leftOut,
    Set<NodeId> doubted,
    boolean ownCounts) {
  public WantedGroup {
    leftOut = Set.copyOf(leftOut);
    doubted = Set.copyOf(doubted);
  }

  /** Whether the other one wants the same bytes. */
  public boolean isSameState(WantedGroup other) {
    return length == other.length && writeEpoch == other.writeEpoch;
  }
}
