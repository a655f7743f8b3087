package io.vdfs.client.io;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * In which order replicas are asked. Goals by priority: nodes that failed of late or are known to
 * be down come last; nodes on this machine come first; else the order of the ring, so that all
 * readers of a group turn to its owner. Nodes that are excluded are never asked.
 */
final class ReplicaOrder {
  private ReplicaOrder() {}

  static List<ReplicaNode> of(ClientIo io, FileView view, int group) {
    List<ReplicaNode> nodes = new ArrayList<>();
    for (ReplicaNode node : io.placement().replicas(view.file(), group)) {
      if (!view.excludes(node.id(), group)) {
        nodes.add(node);
      }
    }
    Comparator<ReplicaNode> unlikelyLast =
        Comparator.comparing(node -> !node.live() || io.health().isSuspect(node.id()));
    nodes.sort(unlikelyLast.thenComparing(node -> !node.local()));
    return nodes;
  }
}
