package io.vdfs.client.place;

import io.vdfs.client.io.replica.GroupPlaces;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Places groups by the ring map: the serving nodes of the group's arc in their order. Joining nodes
 * get what is written by copying, not from writers. As thread-safe as its sources.
 */
public final class RingPlacement implements GroupPlaces {
  private final Supplier<RingMap> newest;
  private final Predicate<NodeId> live;
  private final Predicate<String> localHost;

  /**
   * @param newest gives the newest map known; quick
   * @param live whether a node is known to live
   * @param localHost whether a host name is one of this machine's
   */
  public RingPlacement(
      Supplier<RingMap> newest, Predicate<NodeId> live, Predicate<String> localHost) {
    this.newest = newest;
    this.live = live;
    this.localHost = localHost;
  }

  @Override
  public List<ReplicaNode> replicas(FileKey file, int group) {
    RingMap map = newest.get();
    List<ReplicaNode> replicas = new ArrayList<>();
    for (NodeId id : map.replicas(file, group).serving()) {
      map.node(id).ifPresent(node -> replicas.add(replicaOf(node)));
    }
    return replicas;
  }

  @Override
  public long ringEpoch() {
    return newest.get().epoch();
  }

  @Override
  public int copies() {
    RingMap map = newest.get();
    return Math.min(map.replication(), map.nodes().size());
  }

  private ReplicaNode replicaOf(RingNode node) {
    return new ReplicaNode(
        node.id(),
        new DataAddress(node.host(), node.dataPort()),
        live.test(node.id()),
        localHost.test(node.host()));
  }
}
