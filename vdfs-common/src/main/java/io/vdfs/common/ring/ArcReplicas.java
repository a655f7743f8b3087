package io.vdfs.common.ring;

import io.vdfs.common.model.NodeId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The nodes of one arc. Writes go to all of them; a joining node becomes serving only after a
 * verified copy of everything the arc should hold. Immutable.
 *
 * @param serving nodes that hold the arc's blocks: the owner, then successor, then predecessor,
 *     then further replicas; behind the first ones, as many as the map's replication, nodes that
 *     are to leave as others took their places; never empty
 * @param joining nodes that are still copying
 */
public record ArcReplicas(List<NodeId> serving, List<NodeId> joining) {
  /**
   * @throws IllegalArgumentException if no node serves or a node is listed twice
   */
  public ArcReplicas {
    serving = List.copyOf(serving);
    joining = List.copyOf(joining);
    if (serving.isEmpty()) {
      throw new IllegalArgumentException("an arc needs a serving node: joining=" + joining);
    }
    Set<NodeId> distinct = new HashSet<>(serving);
    distinct.addAll(joining);
    if (distinct.size() != serving.size() + joining.size()) {
      throw new IllegalArgumentException(
          "a node is listed twice on an arc: serving=" + serving + ", joining=" + joining);
    }
  }

  public NodeId owner() {
    return serving.get(0);
  }

  /**
   * The nodes that go on serving once missing nodes lose their places: those present, in their
   * order; all where none is present, as the arc waits for them.
   *
   * @param present nodes that keep their places
   */
  public List<NodeId> serving(Set<NodeId> present) {
    List<NodeId> there = serving.stream().filter(present::contains).toList();
    return there.isEmpty() ? serving : there;
  }

  /**
   * The first serving nodes, which are to hold the arc from now on; those behind are to leave.
   *
   * @param replication of the ring map
   */
  public List<NodeId> counted(int replication) {
    return serving.subList(0, Math.min(replication, serving.size()));
  }

  public boolean contains(NodeId node) {
    return serving.contains(node) || joining.contains(node);
  }

  /** Serving nodes in their order, then joining ones. */
  public Stream<NodeId> members() {
    return Stream.concat(serving.stream(), joining.stream());
  }
}
