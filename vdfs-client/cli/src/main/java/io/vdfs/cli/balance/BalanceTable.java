package io.vdfs.cli.balance;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vdfs.cli.cluster.NodeTable;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.common.ring.BalanceReport;
import io.vdfs.common.ring.BalanceReport.NodeLoad;
import io.vdfs.common.ring.RingNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Shows a balance report, with a bar for each node on which the mean is marked. Immutable.
 *
 * @param path of the tree that was looked at
 * @param files of that tree
 */
record BalanceTable(ClusterDescription cluster, BalanceReport report, String path, long files) {
  /** Columns of the terminal that the output goes to, as {@code bin/vdfs} has found it; 0: none. */
  static final String WIDTH = "vdfs.output.width";

  private static final String ROW = "%-24s %9s %9s %10s %6s  ";
  private static final int COLUMNS = 64;

  /**
   * @param width of the terminal that {@code out} goes to; 0 where there is none: then without
   *     colours, and with bars of 30 columns
   */
  void print(int width, PrintWriter out) {
    out.printf(
        "%s: %d files, %d groups, %d copies, %s, placement %s, ring epoch %d%n%n",
        path,
        files,
        report.groups(),
        report.copies(),
        size(report.copyBytes()),
        cluster.ring().placement(),
        cluster.ring().epoch());
    int cells = LoadBar.cells(width, COLUMNS);
    out.printf(ROW + "%n", "node", "groups", "copies", "bytes", "sd");
    Map<RingNode, NodeLoad> loads = loads();
    long most = report.nodes().stream().mapToLong(NodeLoad::copies).max().orElse(0);
    for (RingNode node : NodeTable.inOrder(cluster)) {
      NodeLoad load = loads.get(node);
      if (load == null) {
        continue;
      }
      out.printf(
          ROW + "%s%n",
          NodeTable.address(node),
          load.groups(),
          load.copies(),
          size(load.bytes()),
          "%+.1f".formatted(report.deviations(load)),
          LoadBar.coloured(
              LoadBar.of(load.copies(), most, cells, List.of(new LoadBar.Mark('|', report.mean()))),
              report.isBeyond(load),
              width > 0));
    }
    out.printf(
        "%nper node %.1f copies, variance %.2f; %.2f at random places%s%n",
        report.mean(), report.variance(), report.randomVariance(), comparison());
    out.printf(
        "Manhattan distance %.1f copies; beyond one standard deviation (%.2f): %d of %d nodes%n",
        report.manhattanDistance(),
        report.standardDeviation(),
        report.nodes().stream().filter(report::isBeyond).count(),
        report.nodes().size());
  }

  private String comparison() {
    return report.randomVariance() == 0
        ? ""
        : ", of which it is %.0f %%".formatted(100 * report.variance() / report.randomVariance());
  }

  private Map<RingNode, NodeLoad> loads() {
    Map<RingNode, NodeLoad> loads = new HashMap<>();
    for (NodeLoad load : report.nodes()) {
      cluster.ring().node(load.node()).ifPresent(node -> loads.put(node, load));
    }
    return loads;
  }

  private static String size(long bytes) {
    String units = "KMGTPE";
    if (bytes < 1 << 10) {
      return bytes + " B";
    }
    int unit = (63 - Long.numberOfLeadingZeros(bytes)) / 10;
    return "%.1f %siB".formatted((double) bytes / (1L << (10 * unit)), units.charAt(unit - 1));
  }

  /**
   * @param refused directories that could not be listed
   */
  void printJson(long refused, PrintWriter out) throws IOException {
    JsonGenerator json = new ObjectMapper().createGenerator(out);
    json.useDefaultPrettyPrinter();
    json.writeStartObject();
    json.writeStringField("path", path);
    json.writeStringField("placement", cluster.ring().placement().toString());
    json.writeNumberField("ringEpoch", cluster.ring().epoch());
    json.writeNumberField("files", files);
    json.writeNumberField("notListedDirectories", refused);
    json.writeNumberField("groups", report.groups());
    json.writeNumberField("copies", report.copies());
    json.writeNumberField("bytes", report.bytes());
    json.writeNumberField("copyBytes", report.copyBytes());
    json.writeNumberField("mean", report.mean());
    json.writeNumberField("variance", report.variance());
    json.writeNumberField("randomVariance", report.randomVariance());
    json.writeNumberField("standardDeviation", report.standardDeviation());
    json.writeNumberField("manhattanDistance", report.manhattanDistance());
    json.writeArrayFieldStart("nodes");
    Map<RingNode, NodeLoad> loads = loads();
    List<RingNode> nodes = NodeTable.inOrder(cluster).stream().filter(loads::containsKey).toList();
    for (RingNode node : nodes) {
      NodeLoad load = loads.get(node);
      json.writeStartObject();
      json.writeStringField("node", node.id().toString());
      json.writeStringField("address", NodeTable.address(node));
      json.writeNumberField("groups", load.groups());
      json.writeNumberField("copies", load.copies());
      json.writeNumberField("bytes", load.bytes());
      json.writeNumberField("deviations", report.deviations(load));
      json.writeBooleanField("beyond", report.isBeyond(load));
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
    json.flush();
    out.println();
  }
}
