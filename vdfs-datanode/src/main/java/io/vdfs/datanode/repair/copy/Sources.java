package io.vdfs.datanode.repair.copy;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The nodes that may have a group.
 *
 * @param listed nodes that serve it and are not left out, in the order in which to ask: those alive
 *     first, else as the list has them, keepers before spares
 * @param strangers all other nodes that are not left out: one that lost its place may have the only
 *     copy
 * @param leftOut other nodes that are left out and still known: of one that is gone for good an
 *     exclusion may stay on record, and nothing can be asked of it
 */
record Sources(List<NodeId> listed, Set<NodeId> strangers, Set<NodeId> leftOut) {

  static Sources of(RingMap ring, Set<NodeId> live, NodeId self, WantedGroup wanted) {
    Set<NodeId> unwanted = new HashSet<>(wanted.leftOut().keySet());
    unwanted.add(self);
    List<NodeId> serving = ring.replicas(wanted.key().file(), wanted.key().group()).serving();
    List<NodeId> listed =
        serving.stream()
            .filter(node -> !unwanted.contains(node))
            .sorted(Comparator.comparing((NodeId node) -> !live.contains(node)))
            .toList();
    Set<NodeId> known = new TreeSet<>(ring.nodes().keySet());
    known.addAll(live);
    Set<NodeId> strangers = new TreeSet<>(known);
    strangers.removeAll(serving);
    strangers.removeAll(unwanted);
    Set<NodeId> leftOut = new TreeSet<>(wanted.leftOut().keySet());
    leftOut.retainAll(known);
    leftOut.remove(self);
    return new Sources(listed, strangers, leftOut);
  }
}
