package io.vdfs.client.write;

import io.vdfs.client.io.replica.ReplicaNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Which nodes of its list a group is written to, and which of them have to be recorded as left out
 * for that. Pure and immutable.
 *
 * <p>Goals by priority:
 *
 * <ol>
 *   <li>As many nodes as are needed to close the file, whatever is known of them; a node that
 *       cannot be spared is waited for.
 *   <li>As many nodes as the file asks for. A node is passed over untried only where a spare takes
 *       its copy; without a spare it is left out only once a try at it has failed.
 *   <li>The first of the list.
 * </ol>
 *
 * <p>The nodes left out are recorded, so that the keepers of the group follow from its list, the
 * file's factor and the record. Example: a file of two copies, the list A B C, A called dead. B and
 * C are written to, and A is left out. Had C failed recently, A and B would be tried.
 *
 * @param nodes the pipeline, in the list's order
 * @param leftOut to be recorded before anything is acknowledged
 */
record PipelineChoice(List<ReplicaNode> nodes, List<ReplicaNode> leftOut) {
  PipelineChoice {
    nodes = List.copyOf(nodes);
    leftOut = List.copyOf(leftOut);
  }

  /**
   * The results of tries at nodes.
   *
   * @param failedHere whether the last try for this group failed
   * @param counts whether a failed try for another group counts
   */
  record Tried(Predicate<ReplicaNode> failedHere, Predicate<ReplicaNode> counts) {
    boolean failed(ReplicaNode node) {
      return failedHere.test(node) || counts.test(node);
    }
  }

  /**
   * For a group of which the writer still has every byte, so that any node of the list may take it.
   *
   * @param list nodes not left out so far, in the list's order
   * @param wanted copies that the file asks for, as far as the list has nodes
   * @param needed copies without which the group is of no use
   */
  static PipelineChoice fresh(List<ReplicaNode> list, int wanted, int needed, Tried tried) {
    List<ReplicaNode> chosen =
        new ArrayList<>(first(wanted, list, node -> node.live() && !tried.failed(node)));
    addFirst(wanted, list, node -> !tried.failed(node), chosen);
    addFirst(needed, list, node -> !tried.failedHere().test(node), chosen);
    addFirst(needed, list, node -> true, chosen);
    return new PipelineChoice(inOrder(list, chosen), passedOver(list, chosen, wanted));
  }

  /**
   * For a group of which some bytes are only on nodes: only nodes that have them may go on with it.
   * If one of these is lost, spares are left out too, as they would count as keepers without having
   * these bytes.
   *
   * @param list nodes not left out so far, in the list's order
   * @param keepers nodes that have what was acknowledged of the group
   * @param wanted copies that the file asks for, as far as the list has nodes
   * @param needed copies without which the group is of no use
   */
  static PipelineChoice begun(
      List<ReplicaNode> list, Predicate<ReplicaNode> keepers, int wanted, int needed, Tried tried) {
    List<ReplicaNode> able = list.stream().filter(keepers).toList();
    List<ReplicaNode> chosen =
        new ArrayList<>(first(able.size(), able, node -> !tried.failed(node)));
    addFirst(needed, able, node -> !tried.failedHere().test(node), chosen);
    addFirst(needed, able, node -> true, chosen);
    return new PipelineChoice(inOrder(list, chosen), passedOver(list, chosen, wanted));
  }

  private static List<ReplicaNode> first(
      int limit, List<ReplicaNode> list, Predicate<ReplicaNode> wanted) {
    return list.stream().filter(wanted).limit(limit).toList();
  }

  /** Fills {@code chosen} up to {@code limit} with further nodes, if it has fewer. */
  private static void addFirst(
      int limit, List<ReplicaNode> list, Predicate<ReplicaNode> wanted, List<ReplicaNode> chosen) {
    List<ReplicaNode> others = new ArrayList<>(list);
    others.removeAll(chosen);
    chosen.addAll(first(Math.max(0, limit - chosen.size()), others, wanted));
  }

  private static List<ReplicaNode> inOrder(List<ReplicaNode> list, List<ReplicaNode> chosen) {
    return list.stream().filter(chosen::contains).toList();
  }

  /** Nodes that would be keepers without having been chosen. */
  private static List<ReplicaNode> passedOver(
      List<ReplicaNode> list, List<ReplicaNode> chosen, int wanted) {
    List<ReplicaNode> passedOver = new ArrayList<>();
    int kept = 0;
    for (ReplicaNode node : list) {
      if (chosen.contains(node)) {
        kept++;
      } else if (kept < chosen.size() || chosen.size() < wanted) {
        passedOver.add(node);
      }
    }
    return passedOver;
  }
}
