package io.vdfs.common.cluster.record;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The changing part of a cluster at one moment. Immutable.
 *
 * @param ringMap empty until the expected nodes have been seen for the first time
 * @param liveNodes ordered by id
 * @param metadataGroup empty until the metadata group is founded
 * @param founded whether the cluster's own record says that group and ring map once existed
 */
public record ClusterSnapshot(
    Optional<RingMap> ringMap,
    Map<NodeId, LiveNode> liveNodes,
    Optional<MetadataGroup> metadataGroup,
    boolean founded) {
  public static final ClusterSnapshot EMPTY =
      new ClusterSnapshot(Optional.empty(), Map.of(), Optional.empty(), false);

  public ClusterSnapshot {
    Objects.requireNonNull(ringMap, "ringMap");
    Objects.requireNonNull(metadataGroup, "metadataGroup");
    liveNodes = Collections.unmodifiableMap(new TreeMap<>(liveNodes));
  }

  /** What the live nodes publish, ordered by id. */
  public List<RingNode> liveRingNodes() {
    return liveNodes.values().stream().map(LiveNode::node).toList();
  }

  public ClusterSnapshot withRingMap(RingMap map) {
    return new ClusterSnapshot(Optional.of(map), liveNodes, metadataGroup, founded);
  }

  /** The same cluster with a metadata group that is known to be newer. */
  public ClusterSnapshot withMetadataGroup(MetadataGroup group) {
    return new ClusterSnapshot(ringMap, liveNodes, Optional.of(group), founded);
  }

  public ClusterSnapshot withFoundation() {
    return new ClusterSnapshot(ringMap, liveNodes, metadataGroup, true);
  }

  public ClusterSnapshot withLiveNode(LiveNode node) {
    Map<NodeId, LiveNode> nodes = new TreeMap<>(liveNodes);
    nodes.put(node.id(), node);
    return new ClusterSnapshot(ringMap, nodes, metadataGroup, founded);
  }

  public ClusterSnapshot withoutLiveNode(NodeId node) {
    Map<NodeId, LiveNode> nodes = new TreeMap<>(liveNodes);
    nodes.remove(node);
    return new ClusterSnapshot(ringMap, nodes, metadataGroup, founded);
  }
}
