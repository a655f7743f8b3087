package io.vdfs.common.ring;

import io.vdfs.common.model.NodeId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which nodes of an arc's list keep one group of a file. Three things decide, and every process
 * that knows them comes to the same answer: the list, the file's replication factor, and the nodes
 * recorded as left out of the group. Pure and immutable.
 *
 * <p>The <em>keepers</em> are the first nodes of the list that are not left out, as many as the
 * factor says, or all where there are not as many. The <em>spares</em> are the others that are not
 * left out: one steps in where a keeper is left out, at the place that the list gives it. Example
 * with the list A B C and a factor of 1: A keeps the group, B and C are its spares; with A left
 * out, B keeps it and C is the spare; with the factor 5 all three keep it and there is no spare.
 *
 * <p>What a left-out node has of the group may be anything, so no reader uses it. What a spare has
 * may be a copy from the time when the factor was higher, part of one, or nothing: readers may ask
 * a spare for bytes when no keeper has them, but not how far the group has been written.
 *
 * @param keepers in the order of the list
 * @param spares in the order of the list
 * @param factor copies that count towards what the file takes: the file's replication factor, but
 *     no more than the list has nodes
 */
public record GroupReplicas(List<NodeId> keepers, List<NodeId> spares, int factor) {
  /** Copies that make bytes durable, where factor and list allow that many. */
  public static final int DURABLE_COPIES = 2;

  public GroupReplicas {
    keepers = List.copyOf(keepers);
    spares = List.copyOf(spares);
  }

  /**
   * @param serving the arc's serving nodes in their order
   * @param factor replication factor of the file, at least 1; may be higher than the list is long
   * @param leftOut nodes recorded as left out of the group; may name nodes outside of the list
   * @throws IllegalArgumentException if no node serves or the factor is below 1
   */
  public static GroupReplicas of(List<NodeId> serving, int factor, Set<NodeId> leftOut) {
    int counted = effectiveFactor(factor, serving.size());
    List<NodeId> keepers = new ArrayList<>(counted);
    List<NodeId> spares = new ArrayList<>();
    for (NodeId node : serving) {
      if (!leftOut.contains(node)) {
        (keepers.size() < counted ? keepers : spares).add(node);
      }
    }
    return new GroupReplicas(keepers, spares, counted);
  }

  /**
   * The number of copies that a factor means on a list.
   *
   * @throws IllegalArgumentException if either is below 1
   */
  public static int effectiveFactor(int factor, int listed) {
    if (factor < 1 || listed < 1) {
      throw new IllegalArgumentException(
          "a group has at least one copy on at least one node: factor=%s, listed=%s"
              .formatted(factor, listed));
    }
    return Math.min(factor, listed);
  }

  /**
   * Copies below which nothing counts as durable and no file is closed: two, or one where the
   * factor is 1 or the ring has one node.
   *
   * @param nodes of the ring map, or of the list: the most copies there can be
   */
  public static int requiredCopies(int factor, int nodes) {
    return Math.min(DURABLE_COPIES, effectiveFactor(factor, nodes));
  }

  /** Copies below which this group does not count as durable, whether or not it has as many. */
  public int requiredCopies() {
    return Math.min(DURABLE_COPIES, factor);
  }

  /** The nodes that readers ask, in this order: the keepers, then the spares. */
  public List<NodeId> readOrder() {
    List<NodeId> order = new ArrayList<>(keepers);
    order.addAll(spares);
    return order;
  }

  /** These replicas once further nodes are left out; a left-out node never comes back by this. */
  public GroupReplicas without(Set<NodeId> leftOut) {
    Set<NodeId> gone = new HashSet<>(leftOut);
    List<NodeId> rest = readOrder();
    rest.removeIf(gone::contains);
    int kept = Math.min(factor, rest.size());
    return new GroupReplicas(rest.subList(0, kept), rest.subList(kept, rest.size()), factor);
  }
}
