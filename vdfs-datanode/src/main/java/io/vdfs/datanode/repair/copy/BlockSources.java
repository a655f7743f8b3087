package io.vdfs.datanode.repair.copy;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.VerifiedBlock;
import io.vdfs.common.store.VerifiedGroup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Chooses for each block of a group a node that has it whole, where no node has all of them: disks
 * lose single sectors, and seldom the same ones. Pure.
 *
 * <p>The right content of a block is told by a checksum in a footer, which a node has apart from
 * the bytes, whether or not its disk still gives the bytes themselves. It is the one of the latest
 * write epoch among nodes of the list that are not left out, as these were given every byte that
 * was acknowledged; an older one may come from a disk that was put back to an earlier state. Where
 * no such node has the block at all, nodes outside of the list are believed, and nodes left out
 * that got it under an epoch from which on they are known to be right; all of these must say the
 * same. Each node whose bytes have that checksum has the block.
 */
final class BlockSources {
  private final GroupComparison comparison;
  private final WantedGroup wanted;
  private final Map<NodeId, VerifiedGroup> found = new LinkedHashMap<>();
  private final Set<NodeId> listed;
  private final Set<NodeId> strangers;

  /**
   * @param found by node, up to the group's length
   * @param listed nodes that serve the group and are not left out, in the order in which to choose
   * @param strangers nodes that are neither of the list nor left out
   */
  BlockSources(
      GroupComparison comparison,
      WantedGroup wanted,
      Map<NodeId, VerifiedGroup> found,
      List<NodeId> listed,
      Set<NodeId> strangers) {
    this.comparison = comparison;
    this.wanted = wanted;
    this.listed = Set.copyOf(listed);
    this.strangers = Set.copyOf(strangers);
    for (NodeId node : listed) {
      if (found.containsKey(node)) {
        this.found.put(node, found.get(node));
      }
    }
    new TreeMap<>(found).forEach(this.found::putIfAbsent);
  }

  /**
   * @return empty if no node has a block whole, or no node that may be believed tells its checksum
   * @throws VdfsException CORRUPT if nodes that may be believed tell different checksums of a block
   */
  Optional<Source> choose() throws VdfsException {
    List<VerifiedBlock> blocks = new ArrayList<>();
    List<NodeId> nodes = new ArrayList<>();
    for (int block = 0; block < comparison.blocks(); block++) {
      Optional<NodeId> node = holder(block);
      if (node.isEmpty()) {
        return Optional.empty();
      }
      nodes.add(node.get());
      blocks.add(found.get(node.get()).blocks().get(block));
    }
    return Optional.of(new Source(new VerifiedGroup(blocks), nodes));
  }

  private Optional<NodeId> holder(int block) throws VdfsException {
    Optional<Integer> promised = promised(block);
    return promised.flatMap(
        crc ->
            found.keySet().stream()
                .filter(node -> comparison.isWhole(found.get(node), block))
                .filter(node -> at(node, block).crc() == crc)
                .findFirst());
  }

  /** The checksum that a block should have. */
  private Optional<Integer> promised(int block) throws VdfsException {
    List<NodeId> promising =
        found.keySet().stream()
            .filter(node -> comparison.isClaimed(found.get(node), block))
            .filter(node -> at(node, block).promised().isPresent())
            .toList();
    List<NodeId> ofList = promising.stream().filter(listed::contains).toList();
    if (ofList.isEmpty()) {
      return agreed(promising.stream().filter(node -> isBelieved(node, block)).toList(), block);
    }
    long latest = ofList.stream().mapToLong(node -> at(node, block).writeEpoch()).max().orElse(0);
    return agreed(
        ofList.stream().filter(node -> at(node, block).writeEpoch() == latest).toList(), block);
  }

  private boolean isBelieved(NodeId node, int block) {
    return strangers.contains(node) || at(node, block).writeEpoch() >= wanted.knownSince(node);
  }

  private Optional<Integer> agreed(List<NodeId> promising, int block) throws VdfsException {
    for (NodeId node : promising) {
      if (!at(node, block).promised().equals(at(promising.get(0), block).promised())) {
        throw new VdfsException(
            ErrorCode.CORRUPT,
            "nodes that may be believed should have other bytes in block %d of the group: nodes=%s"
                .formatted(block, List.of(promising.get(0), node)));
      }
    }
    return promising.stream().findFirst().flatMap(node -> at(node, block).promised());
  }

  private VerifiedBlock at(NodeId node, int block) {
    return found.get(node).blocks().get(block);
  }
}
