package io.vdfs.client.io;

import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.GroupReplicas;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The order in which replicas are asked. Goals by priority: keepers of the group come before its
 * spares, which may have a copy or not; nodes that failed recently or are known to be down come
 * last, those that failed latest behind the others; nodes on this machine come first; else the
 * order of the ring, so that all readers of a group turn to its owner. Nodes that are excluded are
 * never asked.
 */
public final class ReplicaOrder {
  private static final Comparator<Ranked> ORDER =
      Comparator.comparing(Ranked::unlikely)
          .thenComparingLong(Ranked::suspicion)
          .thenComparing(Ranked::remote);

  private ReplicaOrder() {}

  private record Ranked(ReplicaNode node, long suspicion) {
    boolean unlikely() {
      return !node.live() || suspicion > 0;
    }

    boolean remote() {
      return !node.local();
    }
  }

  /** The nodes to ask for bytes of the group. */
  public static List<ReplicaNode> of(ClientIo io, FileView view, int group) {
    List<ReplicaNode> serving = io.placement().replicas(view.file(), group);
    GroupReplicas replicas = view.replicas(serving, group);
    List<ReplicaNode> order = new ArrayList<>(serving.size());
    rank(io, serving, replicas.keepers(), order);
    rank(io, serving, replicas.spares(), order);
    return order;
  }

  /** The nodes to ask how far the group has been written. */
  public static List<ReplicaNode> keepers(ClientIo io, FileView view, int group) {
    List<ReplicaNode> serving = io.placement().replicas(view.file(), group);
    List<ReplicaNode> order = new ArrayList<>(serving.size());
    rank(io, serving, view.replicas(serving, group).keepers(), order);
    return order;
  }

  /** Nodes that may have been keepers when the group was written. */
  public static List<ReplicaNode> spares(ClientIo io, FileView view, int group) {
    List<ReplicaNode> serving = io.placement().replicas(view.file(), group);
    List<ReplicaNode> order = new ArrayList<>(serving.size());
    rank(io, serving, view.replicas(serving, group).spares(), order);
    return order;
  }

  /** Adds those of the nodes that are wanted; without a stream, as readers come here often. */
  private static void rank(
      ClientIo io, List<ReplicaNode> serving, List<NodeId> wanted, List<ReplicaNode> order) {
    List<Ranked> ranked = new ArrayList<>(wanted.size());
    for (ReplicaNode node : serving) {
      if (wanted.contains(node.id())) {
        ranked.add(new Ranked(node, io.health().suspicion(node.id())));
      }
    }
    ranked.sort(ORDER);
    for (Ranked next : ranked) {
      order.add(next.node());
    }
  }
}
