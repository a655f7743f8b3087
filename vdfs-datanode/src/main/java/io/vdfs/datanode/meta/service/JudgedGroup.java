package io.vdfs.datanode.meta.service;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.GroupReplicas;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A group of a file in recovery whose length is settled. Immutable.
 *
 * @param holders nodes with all of it, in the order of the list
 * @param restored those of them that were left out and got it by this recovery
 * @param surplus those that answered and hold something behind its length
 */
record JudgedGroup(
    int group,
    GroupReplicas replicas,
    long length,
    List<NodeId> holders,
    List<NodeId> restored,
    List<NodeId> surplus,
    String found) {

  /** This group without the nodes that could not be cut to length. */
  JudgedGroup without(Set<NodeId> uncut) {
    List<NodeId> rest = holders.stream().filter(node -> !uncut.contains(node)).toList();
    return new JudgedGroup(group, replicas, length, rest, restored, List.of(), found);
  }

  /**
   * Nodes that must not count as keepers: as many of the holders as the factor asks for keep the
   * group, and a node that comes before them in the list and is no holder must be left out.
   */
  List<NodeId> leftOut() {
    List<NodeId> out = new ArrayList<>();
    int keepers = 0;
    for (NodeId node : replicas.readOrder()) {
      if (keepers == replicas.factor()) {
        break;
      }
      if (holders.contains(node)) {
        keepers++;
      } else {
        out.add(node);
      }
    }
    return out;
  }
}
