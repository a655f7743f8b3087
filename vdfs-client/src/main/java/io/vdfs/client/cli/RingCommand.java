package io.vdfs.client.cli;

import io.vdfs.client.meta.ClusterSnapshot;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import java.io.PrintStream;
import java.util.List;
import java.util.stream.Collectors;

/** {@code vdfs ring}: the arcs of the ring and who keeps them; equal neighbours in one line. */
final class RingCommand {
  void run(ClusterSnapshot cluster, PrintStream out) {
    List<ArcReplicas> arcs = cluster.ring().arcs();
    out.printf("ring epoch %d, %d arcs%n", cluster.ring().epoch(), arcs.size());
    for (int first = 0; first < arcs.size(); ) {
      int end = first + 1;
      while (end < arcs.size() && arcs.get(end).equals(arcs.get(first))) {
        end++;
      }
      print(cluster, first, end - 1, out);
      first = end;
    }
    List<Integer> violations = cluster.ring().rackViolations();
    if (!violations.isEmpty()) {
      out.printf("%d arcs have all replicas in one rack: %s%n", violations.size(), violations);
    }
  }

  private static void print(ClusterSnapshot cluster, int first, int last, PrintStream out) {
    ArcReplicas replicas = cluster.ring().arcs().get(first);
    String range = first == last ? String.valueOf(first) : first + "-" + last;
    String joining =
        replicas.joining().isEmpty() ? "" : "  joining " + names(cluster, replicas.joining());
    out.printf("%-12s %s%s%n", range, names(cluster, replicas.serving()), joining);
  }

  private static String names(ClusterSnapshot cluster, List<NodeId> nodes) {
    return nodes.stream()
        .map(node -> NodeTable.address(cluster, node))
        .collect(Collectors.joining(" "));
  }
}
