package io.vdfs.client.meta.cluster;

import io.vdfs.client.meta.control.ControlAddress;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import java.util.List;
import java.util.Optional;

/**
 * What one node said about the cluster. A hint, except for the properties, which never change, and
 * the ring map of its epoch. Immutable.
 *
 * @param name the cluster's name
 * @param live nodes that were alive by ZooKeeper
 * @param metadataMembers nodes that host the metadata group
 * @param leader of the metadata group, as far as the answering node knew
 * @param trashMinutes after which the answering node deletes what is in the trash; 0: never
 */
public record ClusterDescription(
    String name,
    ClusterProperties properties,
    RingMap ring,
    List<NodeId> live,
    List<NodeId> metadataMembers,
    Optional<NodeId> leader,
    long trashMinutes) {
  public ClusterDescription {
    live = List.copyOf(live);
    metadataMembers = List.copyOf(metadataMembers);
  }

  /** Where the node's control port listens; empty for nodes the ring map doesn't list. */
  public Optional<ControlAddress> address(NodeId node) {
    return ring.node(node).map(ControlAddress::of);
  }
}
