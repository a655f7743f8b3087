package io.vdfs.common.ring;

import io.vdfs.common.model.NodeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Deals the arcs of a ring that holds nothing yet. Owners follow one another in node order, so that
 * consecutive groups of a file lie on different nodes and, as long as the file does not wrap round
 * a ring whose arcs the nodes do not divide, no node owns more than one group more than another.
 * Unequal weights are dealt by credit: each turn gives every node its weight as credit, and the
 * richest node takes the arc and pays the sum. Pure.
 */
final class FreshRing {
  private static final double WEIGHT_UNIT = 1e-6;

  private final NodeOrder order;
  private final int replication;
  private final int arcs;
  private final Shares shares;

  FreshRing(NodeOrder order, int replication, int arcs) {
    this.order = order;
    this.replication = Math.min(replication, order.size());
    this.arcs = arcs;
    this.shares = new Shares(order, arcs, this.replication);
  }

  List<ArcReplicas> deal() {
    List<NodeId> owners = owners();
    if (order.nodes().stream().mapToDouble(RingNode::weight).distinct().count() == 1) {
      List<ArcReplicas> neighbours = owners.stream().map(this::withNeighbours).toList();
      if (neighbours.stream().noneMatch(this::breaksRacks)) {
        return neighbours;
      }
    }
    return withLeastLoaded(owners);
  }

  private ArcReplicas withNeighbours(NodeId owner) {
    List<NodeId> serving = new ArrayList<>(replication);
    serving.add(owner);
    order.neighbours(owner).stream()
        .limit(replication - 1L)
        .forEach(node -> serving.add(node.id()));
    return new ArcReplicas(serving, List.of());
  }

  private boolean breaksRacks(ArcReplicas replicas) {
    return replication > 1 && new ReplicaLoads(order, shares).breaksRacks(replicas.serving());
  }

  private List<ArcReplicas> withLeastLoaded(List<NodeId> owners) {
    ReplicaLoads loads = new ReplicaLoads(order, shares);
    owners.forEach(owner -> loads.hold(owner, 1));
    List<ArcReplicas> result = new ArrayList<>(arcs);
    for (NodeId owner : owners) {
      List<NodeId> serving = new ArrayList<>(List.of(owner));
      while (serving.size() < replication) {
        NodeId chosen = loads.choose(serving, owner).orElseThrow();
        serving.add(chosen);
        loads.hold(chosen, 1);
      }
      result.add(new ArcReplicas(serving, List.of()));
    }
    return result;
  }

  private List<NodeId> owners() {
    long[] weights =
        order.nodes().stream().mapToLong(n -> Math.round(n.weight() / WEIGHT_UNIT)).toArray();
    long sum = Arrays.stream(weights).sum();
    long[] credit = new long[weights.length];
    int[] left = quotas();
    List<NodeId> owners = new ArrayList<>(arcs);
    for (int arc = 0; arc < arcs; arc++) {
      int richest = -1;
      for (int i = 0; i < weights.length; i++) {
        credit[i] += weights[i];
        if (left[i] > 0 && (richest < 0 || credit[i] > credit[richest])) {
          richest = i;
        }
      }
      credit[richest] -= sum;
      left[richest]--;
      owners.add(order.nodes().get(richest).id());
    }
    return owners;
  }

  /** Whole arcs per node: the share rounded down, the rest to the largest remainders in order. */
  private int[] quotas() {
    double[] exact = order.nodes().stream().mapToDouble(n -> shares.owned(n.id())).toArray();
    int[] quotas = Arrays.stream(exact).mapToInt(share -> (int) share).toArray();
    int rest = arcs - Arrays.stream(quotas).sum();
    Comparator<Integer> byRemainder = Comparator.comparingDouble(i -> exact[i] - quotas[i]);
    IntStream.range(0, quotas.length)
        .boxed()
        .sorted(byRemainder.reversed())
        .limit(rest)
        .forEach(i -> quotas[i]++);
    return quotas;
  }
}
