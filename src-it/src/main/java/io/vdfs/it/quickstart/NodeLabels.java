package io.vdfs.it.quickstart;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import java.util.List;

/** Names of nodes: their host, with the port where several share one. Immutable. */
record NodeLabels(RingMap ring) {
  String of(NodeId id) {
    RingNode node = ring.node(id).orElse(null);
    if (node == null) {
      return id.toString();
    }
    List<String> hosts = ring.nodes().values().stream().map(RingNode::host).toList();
    boolean alone = hosts.indexOf(node.host()) == hosts.lastIndexOf(node.host());
    return alone ? node.host() : node.host() + ":" + node.controlPort();
  }
}
