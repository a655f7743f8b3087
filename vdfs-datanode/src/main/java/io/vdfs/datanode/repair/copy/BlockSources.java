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
import java.util.TreeMap;

/**
 * Chooses for each block of a group a node that has it whole, where no node has all of them: disks
 * lose single sectors, and seldom the same ones. Pure.
 *
 * <p>A node of the list that is not left out is believed, as it was given every byte that was
 * acknowledged. What another one has whole counts if it is as a node of the list should have it, by
 * the checksums in the footer there, whatever the disk there still gives; or if it is of an epoch
 * from which on the other node is known to be right.
 */
final class BlockSources {
  private final GroupComparison comparison;
  private final WantedGroup wanted;
  private final Map<NodeId, VerifiedGroup> listed = new LinkedHashMap<>();
  private final Map<NodeId, VerifiedGroup> others = new TreeMap<>();

  /**
   * @param found by node, up to the group's length
   * @param listed nodes that serve the group and are not left out, in the order in which to choose
   */
  BlockSources(
      GroupComparison comparison,
      WantedGroup wanted,
      Map<NodeId, VerifiedGroup> found,
      List<NodeId> listed) {
    this.comparison = comparison;
    this.wanted = wanted;
    others.putAll(found);
    for (NodeId node : listed) {
      VerifiedGroup group = others.remove(node);
      if (group != null) {
        this.listed.put(node, group);
      }
    }
  }

  /**
   * @return empty if a block is nowhere whole where it may be believed
   * @throws VdfsException CORRUPT if nodes that may be believed have one differently
   */
  Optional<Source> choose() throws VdfsException {
    List<VerifiedBlock> blocks = new ArrayList<>();
    List<NodeId> nodes = new ArrayList<>();
    for (int block = 0; block < comparison.blocks(); block++) {
      Optional<NodeId> node = node(block);
      if (node.isEmpty()) {
        return Optional.empty();
      }
      nodes.add(node.get());
      blocks.add(
          (listed.containsKey(node.get()) ? listed : others).get(node.get()).blocks().get(block));
    }
    return Optional.of(new Source(new VerifiedGroup(blocks), nodes));
  }

  private Optional<NodeId> node(int block) throws VdfsException {
    for (Map.Entry<NodeId, VerifiedGroup> node : listed.entrySet()) {
      if (comparison.isWhole(node.getValue(), block)) {
        return Optional.of(node.getKey());
      }
    }
    List<NodeId> whole =
        others.keySet().stream()
            .filter(node -> comparison.isWhole(others.get(node), block))
            .toList();
    Optional<NodeId> proved =
        whole.stream().filter(node -> isPromised(other(node, block), block)).findFirst();
    return proved.isPresent() ? proved : agreed(whole, block);
  }

  private VerifiedBlock other(NodeId node, int block) {
    return others.get(node).blocks().get(block);
  }

  /** Whether a node of the list should have the same. */
  private boolean isPromised(VerifiedBlock found, int block) {
    return listed.values().stream()
        .filter(group -> block < group.blocks().size())
        .map(group -> group.blocks().get(block))
        .anyMatch(
            kept ->
                kept.length() == found.length()
                    && kept.promised().equals(Optional.of(found.crc())));
  }

  /** Of those that are known to be right in a block. */
  private Optional<NodeId> agreed(List<NodeId> whole, int block) throws VdfsException {
    List<NodeId> known =
        whole.stream()
            .filter(node -> other(node, block).writeEpoch() >= wanted.knownSince(node))
            .toList();
    for (NodeId node : known) {
      if (other(node, block).crc() != other(known.get(0), block).crc()) {
        throw new VdfsException(
            ErrorCode.CORRUPT,
            "nodes that may be believed differ in block %d of the group: nodes=%s"
                .formatted(block, List.of(known.get(0), node)));
      }
    }
    return known.stream().findFirst();
  }
}
