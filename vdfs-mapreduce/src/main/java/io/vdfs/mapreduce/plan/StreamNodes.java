package io.vdfs.mapreduce.plan;

import io.vdfs.client.ledger.StreamPlan;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.RingMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The nodes of a stream: all those of the ring. Pure. */
final class StreamNodes {
  private StreamNodes() {}

  static List<StreamPlan.Node> of(RingMap ring) {
    return ring.members().stream()
        .map(node -> new StreamPlan.Node(node, neighbours(ring, node)))
        .toList();
  }

  /** The other nodes some of whose blocks {@code node} holds replicas of. */
  private static Set<NodeId> neighbours(RingMap ring, NodeId node) {
    Set<NodeId> owners = new HashSet<>();
    for (ArcReplicas arc : ring.arcs()) {
      if (!arc.owner().equals(node) && arc.serving().contains(node)) {
        owners.add(arc.owner());
      }
    }
    return owners;
  }
}
