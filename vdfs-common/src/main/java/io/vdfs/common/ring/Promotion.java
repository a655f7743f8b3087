package io.vdfs.common.ring;

import io.vdfs.common.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Lets joining nodes of a map serve. A node that takes the place of another one becomes the last of
 * the first {@code replication} in order, so that it is a keeper of what is written from now on; a
 * leaving node, or else the one that holds most against its share, goes to the end, where it keeps
 * what it has until a later plan takes its place. Confined to one call of the planner.
 */
final class Promotion {
  private final int replication;
  private final Set<NodeId> leaving;
  private final ReplicaLoads loads;

  Promotion(RingMap map, Set<NodeId> leaving) {
    Map<NodeId, RingNode> staying = new TreeMap<>(map.nodes());
    staying.keySet().removeAll(leaving);
    NodeOrder order = NodeOrder.of(staying.isEmpty() ? map.nodes().values() : staying.values());
    this.replication = map.replication();
    this.leaving = leaving;
    this.loads = new ReplicaLoads(order, new Shares(order, map.arcCount(), replication));
    for (ArcReplicas arc : map.arcs()) {
      arc.counted(replication).forEach(node -> loads.hold(node, 1));
      arc.joining().forEach(node -> loads.hold(node, 1));
    }
  }

  /**
   * @param node joining on the arc
   */
  ArcReplicas promote(ArcReplicas arc, NodeId node) {
    List<NodeId> joining = new ArrayList<>(arc.joining());
    joining.remove(node);
    List<NodeId> serving = new ArrayList<>(arc.serving());
    if (serving.size() >= replication) {
      NodeId donor = donor(arc, node);
      serving.remove(donor);
      serving.add(donor);
      loads.hold(donor, -1);
    }
    serving.add(Math.min(serving.size(), replication - 1), node);
    return new ArcReplicas(serving, joining);
  }

  private NodeId donor(ArcReplicas arc, NodeId node) {
    List<NodeId> counted = arc.counted(replication);
    for (int place = counted.size() - 1; place >= 0; place--) {
      if (leaving.contains(counted.get(place))) {
        return counted.get(place);
      }
    }
    List<NodeId> members = new ArrayList<>(arc.serving());
    members.add(node);
    return loads.mostLoaded(counted, members).orElse(counted.get(counted.size() - 1));
  }
}
