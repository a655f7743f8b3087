package io.vdfs.datanode.repair;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.GroupReplicas;
import java.util.List;
import java.util.Set;

/** The duty that an arc's list gives one of its nodes with respect to a group. */
public enum Duty {
  /** It keeps the group, and readers ask it. */
  KEEP,
  /**
   * It is to have a copy before it matters: it is joining, or a spare that becomes a keeper when
   * the arc loses its surplus nodes.
   */
  PREPARE,
  /** Nothing to do; also for a serving node that is recorded as left out, as its lack is known. */
  NONE;

  /**
   * A joining node prepares everything: which of the nodes before it is to leave, and which are
   * left out by then, is known only when it begins to serve.
   *
   * <p>An arc with more serving nodes than the map's replication will lose the surplus, but it is
   * not known which nodes go: a node that would be a keeper without that many others has to be
   * prepared. Example, with the serving list A B C D, a replication of 3 and a file's factor of 1:
   * A keeps its groups, and B prepares, in case A goes.
   *
   * @param replication of the ring map
   * @param factor of the file, at least 1
   * @param leftOut nodes recorded as left out of the group
   */
  public static Duty of(
      ArcReplicas arc, int replication, NodeId self, int factor, Set<NodeId> leftOut) {
    if (arc.joining().contains(self)) {
      return PREPARE;
    }
    GroupReplicas replicas = GroupReplicas.of(arc.serving(), factor, leftOut);
    if (replicas.keepers().contains(self)) {
      return KEEP;
    }
    List<NodeId> order = replicas.readOrder();
    return order.contains(self)
        ? prepares(order.indexOf(self), arc.serving().size(), replication, factor)
        : NONE;
  }

  private static Duty prepares(int before, int listed, int replication, int factor) {
    int surplus = Math.max(0, listed - replication);
    return before - surplus < GroupReplicas.effectiveFactor(factor, listed - surplus)
        ? PREPARE
        : NONE;
  }
}
