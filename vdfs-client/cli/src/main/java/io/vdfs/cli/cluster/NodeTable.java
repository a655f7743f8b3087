package io.vdfs.cli.cluster;

import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/** How the commands name nodes, and in which order. */
public final class NodeTable {
  private static final int NUMBER_LENGTH = 20;
  private static final Pattern NUMBER = Pattern.compile("\\d+");

  static final Comparator<RingNode> ORDER =
      Comparator.comparing((RingNode node) -> sortable(node.host()))
          .thenComparingInt(RingNode::controlPort)
          .thenComparing(RingNode::id);

  private NodeTable() {}

  /** The nodes of the ring map in the order in which people would count them: dn2 before dn10. */
  public static List<RingNode> inOrder(ClusterDescription cluster) {
    return cluster.ring().nodes().values().stream().sorted(ORDER).toList();
  }

  /** A name whose numbers are padded to a common length, so that texts compare. */
  public static String sortable(String name) {
    return NUMBER
        .matcher(name)
        .replaceAll(
            number ->
                "0".repeat(Math.max(0, NUMBER_LENGTH - number.group().length())) + number.group());
  }

  public static String address(ClusterDescription cluster, NodeId id) {
    return cluster.ring().node(id).map(NodeTable::address).orElse(id.toString());
  }

  public static String address(RingNode node) {
    return node.host() + ":" + node.controlPort();
  }
}
