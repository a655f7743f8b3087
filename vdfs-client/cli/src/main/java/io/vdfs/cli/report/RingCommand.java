package io.vdfs.cli.report;

import io.vdfs.cli.cluster.Clusters;
import io.vdfs.cli.cluster.NodeTable;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * {@code vdfs ring}: the arcs of the ring and the nodes that keep them; equal neighbours in one
 * line.
 */
@Command(name = "ring", description = "Arcs of the ring and who keeps them.")
public final class RingCommand implements Callable<Integer> {
  private final Clusters clusters;

  @Spec private CommandSpec spec;

  public RingCommand(Clusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws IOException {
    return clusters.run(spec, (client, out) -> print(client.cluster(), out));
  }

  private static int print(ClusterDescription cluster, PrintWriter out) {
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
    return violations.isEmpty() ? ExitCodes.SOUND : ExitCodes.DEGRADED;
  }

  private static void print(ClusterDescription cluster, int first, int last, PrintWriter out) {
    ArcReplicas replicas = cluster.ring().arcs().get(first);
    String range = first == last ? String.valueOf(first) : first + "-" + last;
    String joining =
        replicas.joining().isEmpty() ? "" : "  joining " + names(cluster, replicas.joining());
    out.printf("%-12s %s%s%n", range, names(cluster, replicas.serving()), joining);
  }

  private static String names(ClusterDescription cluster, List<NodeId> nodes) {
    return nodes.stream()
        .map(node -> NodeTable.address(cluster, node))
        .collect(Collectors.joining(" "));
  }
}
