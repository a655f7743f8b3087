package io.vdfs.common.ring;

import java.util.List;

/**
 * The proposal of the planner. Immutable.
 *
 * @param outcome why the map is as it is
 * @param map the map to publish, with what nodes publish now; the old map itself, same epoch, if
 *     nothing is to change
 * @param movedReplicas replicas that nodes have to copy to reach it, beyond those already joining
 * @param rackViolations arcs with all replicas in one rack although there are several racks
 */
public record RingPlan(
    Outcome outcome, RingMap map, int movedReplicas, List<Integer> rackViolations) {
  /** The reason for a plan. */
  public enum Outcome {
    /** There was no map: the arcs are dealt anew. */
    FRESH,
    /** The map follows nodes that came, went or moved, or goes on with an earlier change. */
    CHANGED,
    /** The map fits the live nodes. */
    UNCHANGED,
    /** Fewer nodes are present than the map has replicas: missing nodes stay listed. */
    TOO_FEW_NODES,
    /** More than a third of the map's nodes are missing: an outage, not a departure. */
    FROZEN
  }

  public RingPlan {
    rackViolations = List.copyOf(rackViolations);
  }

  /** A plan that keeps the arcs of {@code map}. */
  static RingPlan keep(Outcome outcome, RingMap map) {
    return new RingPlan(outcome, map, 0, map.rackViolations());
  }
}
