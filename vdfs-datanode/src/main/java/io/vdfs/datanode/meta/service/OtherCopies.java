package io.vdfs.datanode.meta.service;

import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.VerifiedBlock;
import io.vdfs.common.store.VerifiedGroup;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Copies of a group of a file in recovery on nodes that need not be believed: nodes that are left
 * out of it, and nodes that are not in its list, as they lost their places. Pure and immutable.
 *
 * <p>A writer sends the same bytes to all nodes, so what such a node was given under the lease is
 * right as far as it goes, though it may have missed the rest. Of older bytes nothing is known,
 * unless they are equal to a keeper's.
 *
 * @param found by node, what it read back, with nothing that an earlier writer left behind the end
 * @param lease of the file's writer
 * @param silent nodes that were asked and did not answer
 */
record OtherCopies(Map<NodeId, VerifiedGroup> found, LeaseBound lease, Set<NodeId> silent) {
  OtherCopies {
    found = Map.copyOf(found);
    silent = Set.copyOf(silent);
  }

  /**
   * The node with most bytes, if these are more than the keepers have.
   *
   * @param agreed what the keepers have
   * @return empty where no node has more, or where two of the nodes that do differ
   */
  Optional<NodeId> longerThan(VerifiedGroup agreed) {
    List<NodeId> longer =
        found.keySet().stream()
            .filter(node -> found.get(node).verified() > agreed.verified())
            .filter(node -> isRight(found.get(node), agreed))
            .sorted(Comparator.comparingLong((NodeId node) -> -found.get(node).verified()))
            .toList();
    boolean differ =
        longer.stream()
            .map(found::get)
            .anyMatch(group -> group.firstDifference(found.get(longer.get(0))).isPresent());
    return differ ? Optional.empty() : longer.stream().findFirst();
  }

  private boolean isRight(VerifiedGroup group, VerifiedGroup agreed) {
    if (group.firstDifference(agreed).isPresent()) {
      return false;
    }
    for (int at = 0; at < group.blocks().size(); at++) {
      VerifiedBlock block = group.blocks().get(at);
      if (!isOfTheLease(block) && !isSame(block, agreed, at)) {
        return false;
      }
      if (block.isDamaged()) {
        break;
      }
    }
    return true;
  }

  private boolean isOfTheLease(VerifiedBlock block) {
    return lease.firstEpoch() > 0 && block.writeEpoch() >= lease.firstEpoch();
  }

  private static boolean isSame(VerifiedBlock block, VerifiedGroup agreed, int at) {
    return at < agreed.blocks().size()
        && agreed.blocks().get(at).verified() == block.verified()
        && agreed.blocks().get(at).crc() == block.crc();
  }
}
