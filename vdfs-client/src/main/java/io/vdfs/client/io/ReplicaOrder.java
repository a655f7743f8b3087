package io.vdfs.client.io;

import java.util.Comparator;
import java.util.List;

/**
 * In which order replicas are asked. Goals by priority: nodes that failed of late or are known to
 * be down come last, those that failed latest behind the others; nodes on this machine come first;
 * else the order of the ring, so that all readers of a group turn to its owner. Nodes that are
 * excluded are never asked.
 */
final class ReplicaOrder {
  private ReplicaOrder() {}

  private record Ranked(ReplicaNode node, long suspicion) {
    boolean unlikely() {
      return !node.live() || suspicion > 0;
    }

    boolean remote() {
      return !node.local();
    }
  }

  static List<ReplicaNode> of(ClientIo io, FileView view, int group) {
    return io.placement().replicas(view.file(), group).stream()
        .filter(node -> !view.excludes(node.id(), group))
        .map(node -> new Ranked(node, io.health().suspicion(node.id())))
        .sorted(
            Comparator.comparing(Ranked::unlikely)
                .thenComparingLong(Ranked::suspicion)
                .thenComparing(Ranked::remote))
        .map(Ranked::node)
        .toList();
  }
}
