package io.vdfs.cli;

import io.vdfs.client.meta.ClusterSnapshot;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;

/** How the commands name nodes. */
final class NodeTable {
  private NodeTable() {}

  static String address(ClusterSnapshot cluster, NodeId id) {
    return cluster.ring().node(id).map(NodeTable::address).orElse(id.toString());
  }

  static String address(RingNode node) {
    return node.host() + ":" + node.controlPort();
  }
}
