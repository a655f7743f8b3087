package io.vdfs.cli.balance;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vdfs.cli.cluster.NodeTable;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.model.StreamId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ListedStream;
import io.vdfs.common.wire.proto.StreamNodeStatus;
import io.vdfs.common.wire.proto.StreamStatusResult;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Shows streams, each with its nodes: what is left of a node's own blocks, and which nodes took the
 * others. Immutable.
 */
record StreamsTable(ClusterDescription cluster, List<ListedStream> streams) {
  private static final String ROW = "%-24s %5s %8s %8s %8s %8s %6s  ";
  private static final int COLUMNS = 75;

  StreamsTable {
    streams = List.copyOf(streams);
  }

  /** Whether all tasks of all streams have ended. */
  boolean isOver() {
    return streams.stream().allMatch(stream -> stream.getEndedTasks() == stream.getTasks());
  }

  /**
   * @param width of the terminal that {@code out} goes to; 0 where there is none: then without
   *     colours, and with short bars
   */
  void print(int width, PrintWriter out) throws VdfsException {
    if (streams.isEmpty()) {
      out.println("no stream");
    }
    boolean first = true;
    for (ListedStream stream : streams) {
      if (!first) {
        out.println();
      }
      first = false;
      print(stream, width, out);
    }
  }

  private void print(ListedStream stream, int width, PrintWriter out) throws VdfsException {
    StreamStatusResult status = stream.getStatus();
    out.printf(
        "stream %s of %s: %d files from %s on, %d of %d blocks left%s%n",
        id(stream),
        status.getOwner(),
        status.getFiles(),
        printable(stream.getFirstPath()),
        status.getRemainingBlocks(),
        status.getTotals().getBlocks(),
        status.getSealed() ? "" : ", not complete yet");
    out.printf(
        "tasks  %d, %d of them draw, %d have ended%n",
        stream.getTasks(), stream.getDrawingTasks(), stream.getEndedTasks());
    out.printf(ROW + "%n", "node", "tasks", "left", "local", "taken", "lost", "sd");
    Spread spread = spread(status);
    long most =
        status.getNodesList().stream()
            .mapToLong(StreamNodeStatus::getRemainingBlocks)
            .max()
            .orElse(0);
    for (Row row : rows(status)) {
      StreamNodeStatus node = row.status();
      long left = node.getRemainingBlocks();
      String bar = LoadBar.of(left, most, LoadBar.cells(width, COLUMNS), marks(spread));
      out.printf(
          ROW + "%s%n",
          row.address(),
          node.getDrawingTasks(),
          left,
          node.getLocalBlocks(),
          node.getStolenBlocks(),
          node.getLostBlocks(),
          "%+.1f".formatted(spread.deviations(left)),
          LoadBar.coloured(bar, spread.isBeyond(left), width > 0));
    }
    out.printf(
        "left per node %.1f blocks (|), one standard deviation %.1f (to [ and ]); beyond it: %d of"
            + " %d nodes%n",
        spread.mean(),
        spread.standardDeviation(),
        status.getNodesList().stream()
            .filter(node -> spread.isBeyond(node.getRemainingBlocks()))
            .count(),
        status.getNodesCount());
  }

  private static List<LoadBar.Mark> marks(Spread spread) {
    return List.of(
        new LoadBar.Mark('[', spread.mean() - spread.standardDeviation()),
        new LoadBar.Mark(']', spread.mean() + spread.standardDeviation()),
        new LoadBar.Mark('|', spread.mean()));
  }

  private static Spread spread(StreamStatusResult status) {
    return Spread.of(
        status.getNodesList().stream().map(StreamNodeStatus::getRemainingBlocks).toList());
  }

  private static String id(ListedStream stream) {
    return StreamId.of(stream.getStreamId().toByteArray()).toString();
  }

  /** A path may contain control characters, which a terminal would obey. */
  private static String printable(String path) {
    return path.replaceAll("\\p{Cntrl}", "?");
  }

  /** A node of a stream; it may be gone from the ring. */
  private record Row(NodeId node, String address, StreamNodeStatus status) {}

  /** In the order in which people would count them. */
  private List<Row> rows(StreamStatusResult status) throws VdfsException {
    List<Row> rows = new ArrayList<>();
    for (StreamNodeStatus node : status.getNodesList()) {
      NodeId id = WireIds.nodeId(node.getNode());
      rows.add(new Row(id, NodeTable.address(cluster, id), node));
    }
    rows.sort(
        Comparator.comparing((Row row) -> NodeTable.sortable(row.address()))
            .thenComparing(Row::node));
    return rows;
  }

  /** One object. */
  ObjectNode toJson() throws VdfsException {
    ObjectNode all = new ObjectMapper().createObjectNode();
    ArrayNode told = all.putArray("streams");
    for (ListedStream stream : streams) {
      add(stream, told.addObject());
    }
    return all;
  }

  private void add(ListedStream stream, ObjectNode told) throws VdfsException {
    StreamStatusResult status = stream.getStatus();
    Spread spread = spread(status);
    told.put("stream", id(stream))
        .put("owner", status.getOwner())
        .put("complete", status.getSealed())
        .put("files", status.getFiles())
        .put("firstPath", stream.getFirstPath())
        .put("blocks", status.getTotals().getBlocks())
        .put("bytes", status.getTotals().getBytes())
        .put("blocksLeft", status.getRemainingBlocks())
        .put("tasks", stream.getTasks())
        .put("drawingTasks", stream.getDrawingTasks())
        .put("endedTasks", stream.getEndedTasks())
        .put("mean", spread.mean())
        .put("standardDeviation", spread.standardDeviation());
    ArrayNode nodes = told.putArray("nodes");
    for (Row row : rows(status)) {
      StreamNodeStatus node = row.status();
      long left = node.getRemainingBlocks();
      nodes
          .addObject()
          .put("node", row.node().toString())
          .put("address", row.address())
          .put("drawingTasks", node.getDrawingTasks())
          .put("blocksLeft", left)
          .put("local", node.getLocalBlocks())
          .put("taken", node.getStolenBlocks())
          .put("lost", node.getLostBlocks())
          .put("deviations", spread.deviations(left))
          .put("beyond", spread.isBeyond(left));
    }
  }
}
