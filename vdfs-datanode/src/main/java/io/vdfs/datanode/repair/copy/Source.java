package io.vdfs.datanode.repair.copy;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.VerifiedGroup;
import java.util.Collections;
import java.util.List;

/**
 * Where all bytes of a group can be had. Immutable.
 *
 * @param found whole: what was found of each block at its node
 * @param nodes for each block one that has it
 */
record Source(VerifiedGroup found, List<NodeId> nodes) {
  Source {
    nodes = List.copyOf(nodes);
  }

  /** One node that has the group whole. */
  static Source of(NodeId node, VerifiedGroup found) {
    return new Source(found, Collections.nCopies(found.blocks().size(), node));
  }

  /**
   * @param block number within the group
   */
  NodeId node(int block) {
    return nodes.get(block);
  }
}
