package io.vdfs.datanode.repair;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** Nodes and ring maps of tests. Stateless. */
public final class RepairRings {
  private RepairRings() {}

  public static NodeId node(int number) {
    return new NodeId(new UUID(0, number));
  }

  /** Of all nodes from 1 to {@code nodes}, whether or not an arc lists them. */
  public static RingMap ring(long epoch, int nodes, List<ArcReplicas> arcs) {
    Map<NodeId, RingNode> known = new TreeMap<>();
    for (int number = 1; number <= nodes; number++) {
      known.put(node(number), new RingNode(node(number), "host", 1, 2, 3, 0, "/rack", 1, 1.0));
    }
    return new RingMap(epoch, 3, Placement.TURN, arcs, known);
  }

  /** All arcs alike. */
  public static RingMap ring(long epoch, int nodes, int arcs, ArcReplicas each) {
    List<ArcReplicas> all = new ArrayList<>();
    for (int arc = 0; arc < arcs; arc++) {
      all.add(each);
    }
    return ring(epoch, nodes, all);
  }

  public static ArcReplicas serving(NodeId... nodes) {
    return new ArcReplicas(List.of(nodes), List.of());
  }
}
