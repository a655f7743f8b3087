package io.vdfs.datanode.repair.copy;

import io.vdfs.common.model.NodeId;
import java.util.Map;

/**
 * A group that this node should hold and is not known to. Immutable.
 *
 * @param length bytes of the group
 * @param checksum CRC32C of them, as their writer sent them; 0: not known
 * @param writeEpoch of the file, as the metadata had it; copies are made under it
 * @param leftOut nodes recorded as left out of the group, this node included, each with the last
 *     write epoch that began without it: what they hold may be anything; 0 where it is not known
 *     that a node lacks it
 * @param ownCounts whether readers may read what this node has of it: then its sound bytes are
 *     replaced by newer ones only
 */
public record WantedGroup(
    GroupKey key,
    long length,
    int checksum,
    int writeEpoch,
    Map<NodeId, Integer> leftOut,
    boolean ownCounts) {
  public WantedGroup {
    leftOut = Map.copyOf(leftOut);
  }

  /**
   * The write epoch from which on blocks of a node are known to be as their writer sent them. For a
   * node that is not left out it is the last writer's, as nothing is known of earlier ones.
   */
  long knownSince(NodeId node) {
    return Integer.toUnsignedLong(leftOut.getOrDefault(node, writeEpoch));
  }

  /** As this one, by what its copies say alone. */
  WantedGroup unchecked() {
    return new WantedGroup(key, length, 0, writeEpoch, leftOut, ownCounts);
  }

  /** Whether the other one wants the same bytes. */
  public boolean isSameState(WantedGroup other) {
    return length == other.length && checksum == other.checksum && writeEpoch == other.writeEpoch;
  }
}
