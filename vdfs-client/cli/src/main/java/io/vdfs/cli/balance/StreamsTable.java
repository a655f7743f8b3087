package io.vdfs.cli.balance;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vdfs.cli.cluster.NodeTable;
import io.vdfs.client.ledger.NodeDraws;
import io.vdfs.client.ledger.StreamOverview;
import io.vdfs.client.ledger.StreamStatus;
import io.vdfs.client.meta.cluster.ClusterDescription;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Shows streams, each with its nodes: what is left of a node's own blocks, and which nodes took the
 * others. Immutable.
 */
record StreamsTable(ClusterDescription cluster, List<StreamOverview> streams) {
  private static final String ROW = "%-24s %5s %8s %8s %8s %8s %6s  ";
  private static final int COLUMNS = 75;

  StreamsTable {
    streams = List.copyOf(streams);
  }

  /** Whether all tasks of all streams have ended. */
  boolean isOver() {
    return streams.stream().allMatch(stream -> stream.endedTasks() == stream.tasks());
  }

  /**
   * @param width of the terminal that {@code out} goes to; 0 where there is none: then without
   *     colours, and with short bars
   */
  void print(int width, PrintWriter out) {
    if (streams.isEmpty()) {
      out.println("no stream");
    }
    boolean first = true;
    for (StreamOverview stream : streams) {
      if (!first) {
        out.println();
      }
      first = false;
      print(stream, width, out);
    }
  }

  private void print(StreamOverview stream, int width, PrintWriter out) {
    StreamStatus status = stream.status();
    out.printf(
        "stream %s of %s: %d files from %s on, %d of %d blocks left%s%n",
        stream.stream(),
        status.owner(),
        status.files(),
        printable(stream.firstPath()),
        status.remainingBlocks(),
        status.totals().blocks(),
        status.sealed() ? "" : ", not complete yet");
    out.printf(
        "tasks  %d, %d of them draw, %d have ended%n",
        stream.tasks(), stream.drawingTasks(), stream.endedTasks());
    out.printf(ROW + "%n", "node", "tasks", "left", "local", "taken", "lost", "sd");
    Spread spread = spread(status);
    long most = status.nodes().stream().mapToLong(NodeDraws::remainingBlocks).max().orElse(0);
    for (Row row : rows(status)) {
      NodeDraws node = row.status();
      long left = node.remainingBlocks();
      String bar = LoadBar.of(left, most, LoadBar.cells(width, COLUMNS), marks(spread));
      out.printf(
          ROW + "%s%n",
          row.address(),
          node.drawingTasks(),
          left,
          node.localBlocks(),
          node.stolenBlocks(),
          node.lostBlocks(),
          "%+.1f".formatted(spread.deviations(left)),
          LoadBar.coloured(bar, spread.isBeyond(left), width > 0));
    }
    out.printf(
        "left per node %.1f blocks (|), one standard deviation %.1f (to [ and ]); beyond it: %d of"
            + " %d nodes%n",
        spread.mean(),
        spread.standardDeviation(),
        status.nodes().stream().filter(node -> spread.isBeyond(node.remainingBlocks())).count(),
        status.nodes().size());
  }

  private static List<LoadBar.Mark> marks(Spread spread) {
    return List.of(
        new LoadBar.Mark('[', spread.mean() - spread.standardDeviation()),
        new LoadBar.Mark(']', spread.mean() + spread.standardDeviation()),
        new LoadBar.Mark('|', spread.mean()));
  }

  private static Spread spread(StreamStatus status) {
    return Spread.of(status.nodes().stream().map(NodeDraws::remainingBlocks).toList());
  }

  /** A path may contain control characters, which a terminal would obey. */
  private static String printable(String path) {
    return path.replaceAll("\\p{Cntrl}", "?");
  }

  /** A node of a stream; it may be gone from the ring. */
  private record Row(String address, NodeDraws status) {}

  /** In the order in which people would count them. */
  private List<Row> rows(StreamStatus status) {
    List<Row> rows = new ArrayList<>();
    for (NodeDraws node : status.nodes()) {
      rows.add(new Row(NodeTable.address(cluster, node.node()), node));
    }
    rows.sort(
        Comparator.comparing((Row row) -> NodeTable.sortable(row.address()))
            .thenComparing(row -> row.status().node()));
    return rows;
  }

  /** One object. */
  ObjectNode toJson() {
    ObjectNode all = new ObjectMapper().createObjectNode();
    ArrayNode told = all.putArray("streams");
    for (StreamOverview stream : streams) {
      add(stream, told.addObject());
    }
    return all;
  }

  private void add(StreamOverview stream, ObjectNode told) {
    StreamStatus status = stream.status();
    Spread spread = spread(status);
    told.put("stream", stream.stream().toString())
        .put("owner", status.owner())
        .put("complete", status.sealed())
        .put("files", status.files())
        .put("firstPath", stream.firstPath())
        .put("blocks", status.totals().blocks())
        .put("bytes", status.totals().bytes())
        .put("blocksLeft", status.remainingBlocks())
        .put("tasks", stream.tasks())
        .put("drawingTasks", stream.drawingTasks())
        .put("endedTasks", stream.endedTasks())
        .put("mean", spread.mean())
        .put("standardDeviation", spread.standardDeviation());
    ArrayNode nodes = told.putArray("nodes");
    for (Row row : rows(status)) {
      NodeDraws node = row.status();
      long left = node.remainingBlocks();
      nodes
          .addObject()
          .put("node", node.node().toString())
          .put("address", row.address())
          .put("drawingTasks", node.drawingTasks())
          .put("blocksLeft", left)
          .put("local", node.localBlocks())
          .put("taken", node.stolenBlocks())
          .put("lost", node.lostBlocks())
          .put("deviations", spread.deviations(left))
          .put("beyond", spread.isBeyond(left));
    }
  }
}
