package io.vdfs.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vdfs.client.CopiesReport;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.meta.ClusterSnapshot;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code vdfs node status}: what each node keeps, and what it lacks. */
@Command(name = "node", description = "The nodes and their part of the ring.")
final class NodeCommand {
  private static final String ROW = "%-28s %-36s %-8s %8s %8s %8s  %s%n";

  private final Clusters clusters;

  @Spec private CommandSpec spec;

  NodeCommand(Clusters clusters) {
    this.clusters = clusters;
  }

  @Command(
      name = "status",
      description = "Who serves and copies how many arcs, who lacks copies, and who is missing.")
  int status(
      @Option(names = "--json", description = "One JSON object instead of lines.") boolean json)
      throws IOException {
    return clusters.run(spec, (client, out) -> status(client, json, out));
  }

  private static int status(VdfsClient client, boolean json, PrintWriter out) throws IOException {
    ClusterSnapshot cluster = client.cluster();
    CopiesReport copies = client.copies();
    int code = CopiesTable.isSound(copies, cluster) ? ExitCodes.SOUND : ExitCodes.DEGRADED;
    if (json) {
      out.println(toJson(copies, cluster, code));
    } else {
      print(copies, cluster, out);
    }
    return code;
  }

  private static void print(CopiesReport copies, ClusterSnapshot cluster, PrintWriter out) {
    out.printf(ROW, "node", "id", "state", "serves", "joining", "lacking", "holds all");
    for (CopiesReport.Node node : CopiesTable.inOrder(copies, cluster)) {
      out.printf(
          ROW,
          CopiesTable.address(cluster, node),
          node.id(),
          node.live() ? "alive" : node.isMissed() ? "missing" : "gone",
          node.servingPlaces(),
          node.joiningPlaces(),
          node.lacking(),
          node.confirmed() ? "yes" : "not confirmed");
    }
    out.println();
    CopiesTable.print(copies, cluster, out);
  }

  private static String toJson(CopiesReport copies, ClusterSnapshot cluster, int code) {
    ObjectNode all =
        new ObjectMapper()
            .createObjectNode()
            .put("ringEpoch", copies.ringEpoch())
            .put("missingCopies", copies.missing())
            .put("missingBytes", copies.missingBytes())
            .put("groupsWithOneCopy", copies.lastCopies())
            .put("joiningPlaces", copies.joiningPlaces())
            .put("heldUpBy", copies.heldUpBy());
    ArrayNode nodes = all.putArray("nodes");
    for (CopiesReport.Node node : CopiesTable.inOrder(copies, cluster)) {
      nodes
          .addObject()
          .put("id", node.id().toString())
          .put("address", CopiesTable.address(cluster, node))
          .put("live", node.live())
          .put("missingMillis", node.missing().toMillis())
          .put("replacedInMillis", node.replacedIn().toMillis())
          .put("servingPlaces", node.servingPlaces())
          .put("joiningPlaces", node.joiningPlaces())
          .put("confirmed", node.confirmed())
          .put("lackingCopies", node.lacking());
    }
    return all.put("exitCode", code).toPrettyString();
  }
}
