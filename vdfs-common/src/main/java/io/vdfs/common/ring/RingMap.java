package io.vdfs.common.ring;

import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Which nodes hold which part of the ring, in one epoch. The arc of a group follows from the file's
 * id by the {@link Placement}, so no location is stored per file, group or block. Immutable.
 *
 * @param epoch number of this map, from 1; each published change has the next number
 * @param replication serving nodes an arc should have: the least of what was asked for and the
 *     number of nodes there were
 * @param placement the cluster's, in each of its maps
 * @param arcs the Q arcs in order
 * @param nodes every node listed on an arc with its last known address, and nodes that hold nothing
 *     yet; ordered by id
 */
public record RingMap(
    long epoch,
    int replication,
    Placement placement,
    List<ArcReplicas> arcs,
    Map<NodeId, RingNode> nodes) {
  /** Most arcs a ring can have. */
  public static final int MAX_ARCS = 65_536;

  /** Most replicas that can be asked for. */
  public static final int MAX_REPLICATION = 16;

  /** Most nodes of an arc, while some take the places of others. */
  public static final int MAX_ARC_MEMBERS = 2 * MAX_REPLICATION;

  /**
   * @throws IllegalArgumentException if a number is out of range or an arc lists an unknown node
   */
  public RingMap {
    if (epoch < 1) {
      throw new IllegalArgumentException("ring epochs count from 1: epoch=" + epoch);
    }
    checkReplication(replication);
    Objects.requireNonNull(placement, "placement");
    arcs = List.copyOf(arcs);
    checkArcs(arcs.size());
    SortedMap<NodeId, RingNode> sorted = new TreeMap<>(nodes);
    nodes = Collections.unmodifiableSortedMap(sorted);
    for (Map.Entry<NodeId, RingNode> entry : nodes.entrySet()) {
      if (!entry.getKey().equals(entry.getValue().id())) {
        throw new IllegalArgumentException(
            "node filed under a foreign id: key=" + entry.getKey() + ", node=" + entry.getValue());
      }
    }
    checkKnown(arcs, nodes.keySet());
  }

  static void checkReplication(int replication) {
    if (replication < 1 || replication > MAX_REPLICATION) {
      throw new IllegalArgumentException(
          "replication lies between 1 and " + MAX_REPLICATION + ": replication=" + replication);
    }
  }

  static void checkArcs(int arcs) {
    if (arcs < 1 || arcs > MAX_ARCS) {
      throw new IllegalArgumentException("a ring has 1 to " + MAX_ARCS + " arcs: arcs=" + arcs);
    }
  }

  private static void checkKnown(List<ArcReplicas> arcs, Set<NodeId> known) {
    for (int arc = 0; arc < arcs.size(); arc++) {
      ArcReplicas replicas = arcs.get(arc);
      if (!known.containsAll(replicas.serving()) || !known.containsAll(replicas.joining())) {
        throw new IllegalArgumentException(
            "arc lists an unknown node: arc=" + arc + ", replicas=" + replicas);
      }
    }
  }

  /**
   * This map with files placed by {@code chosen}, for a ring that holds nothing yet.
   *
   * @throws IllegalStateException if it is not the first map
   */
  public RingMap placing(Placement chosen) {
    if (epoch != 1) {
      throw new IllegalStateException("files are placed already: epoch=" + epoch);
    }
    return new RingMap(epoch, replication, chosen, arcs, nodes);
  }

  public int arcCount() {
    return arcs.size();
  }

  /**
   * @param group number of the group within its file, from 0
   * @return number of the arc that holds the group
   */
  public int arcOf(long fileId, int group) {
    if (group < 0) {
      throw new IllegalArgumentException(
          "groups count from 0: fileId=" + fileId + ", group=" + group);
    }
    return placement.arcOf(fileId, group, arcs.size());
  }

  /**
   * How many of a file's first groups lie on all arcs that any of its groups lies on.
   *
   * @param groups of the file
   */
  public int groupsOnAllArcs(int groups) {
    return placement.groupsOnAllArcs(groups, arcs.size());
  }

  public ArcReplicas replicas(long fileId, int group) {
    return arcs.get(arcOf(fileId, group));
  }

  /** Generations of a file share their place: a group keeps its arc when a file is overwritten. */
  public ArcReplicas replicas(FileKey file, int group) {
    return replicas(file.fileId(), group);
  }

  public NodeId owner(long fileId, int group) {
    return replicas(fileId, group).owner();
  }

  public NodeId owner(FileKey file, int group) {
    return owner(file.fileId(), group);
  }

  public Optional<RingNode> node(NodeId id) {
    return Optional.ofNullable(nodes.get(id));
  }

  /** Nodes listed on at least one arc, serving or joining. */
  public Set<NodeId> members() {
    Set<NodeId> members = new HashSet<>();
    for (ArcReplicas arc : arcs) {
      members.addAll(arc.serving());
      members.addAll(arc.joining());
    }
    return members;
  }

  /**
   * Arcs with all replicas in one rack although the map's nodes are in several and the arc has, or
   * should have, more than one replica.
   */
  public List<Integer> rackViolations() {
    if (replication < 2 || nodes.values().stream().map(RingNode::rack).distinct().count() < 2) {
      return List.of();
    }
    return IntStream.range(0, arcs.size()).filter(this::liesInOneRack).boxed().toList();
  }

  private boolean liesInOneRack(int arc) {
    return arcs.get(arc).members().map(id -> nodes.get(id).rack()).distinct().count() == 1;
  }

  /**
   * Takes over what the live nodes that this map knows publish now, except their weights; the arcs
   * stay.
   *
   * @return this map if nothing changed, else one of the next epoch
   */
  public RingMap withAddresses(Collection<RingNode> live) {
    Map<NodeId, RingNode> refreshed = new TreeMap<>(nodes);
    live.forEach(node -> refreshed.computeIfPresent(node.id(), (id, old) -> weighed(node)));
    return next(replication, arcs, refreshed);
  }

  /**
   * Gives nodes other weights; the arcs stay until a plan makes them follow.
   *
   * @param weights by node of this map
   * @return this map if nothing changed, else one of the next epoch
   * @throws IllegalArgumentException for an unknown node, or a weight outside its range
   */
  public RingMap withWeights(Map<NodeId, Double> weights) {
    Map<NodeId, RingNode> changed = new TreeMap<>(nodes);
    weights.forEach(
        (id, weight) -> {
          RingNode node = changed.get(id);
          if (node == null) {
            throw new IllegalArgumentException(
                "the ring map has no such node: node=" + id + ", nodes=" + nodes.keySet());
          }
          changed.put(id, node.withWeight(weight));
        });
    return next(replication, arcs, changed);
  }

  /**
   * A node as it publishes itself, with the weight that it has here: a node that this map knows
   * keeps its weight whatever it publishes, as others would have to copy for a change.
   */
  RingNode weighed(RingNode published) {
    RingNode known = nodes.get(published.id());
    return known == null ? published : published.withWeight(known.weight());
  }

  /** This map if the parts equal its own, else the map of these parts in the next epoch. */
  RingMap next(int newReplication, List<ArcReplicas> newArcs, Map<NodeId, RingNode> newNodes) {
    if (newReplication == replication && newArcs.equals(arcs) && newNodes.equals(nodes)) {
      return this;
    }
    return new RingMap(epoch + 1, newReplication, placement, newArcs, newNodes);
  }
}
