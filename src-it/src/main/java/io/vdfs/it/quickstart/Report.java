package io.vdfs.it.quickstart;

import io.vdfs.it.quickstart.NodeReads.Reads;
import io.vdfs.it.quickstart.StreamReport.NodeShare;
import io.vdfs.it.quickstart.StreamReport.TaskList;
import io.vdfs.it.quickstart.StreamReport.TaskShare;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The wording of results. Stateless. */
final class Report {
  private Report() {}

  /** The result of a phase that ran a job, in a line. */
  static String summary(RanJob job) {
    String tasks =
        Amounts.of(job.maps(), "map task") + ", " + Amounts.of(job.reduces(), "reduce task");
    return job.stream()
        .map(
            stream ->
                tasks
                    + "; drew "
                    + Amounts.of(stream.blocks(), "block")
                    + ", "
                    + stream.stolen()
                    + " of them from other nodes")
        .orElse(tasks);
  }

  static String counts(TopCounts counts) {
    StringBuilder text = new StringBuilder();
    for (TopCounts.Entry entry : counts.top()) {
      text.append(String.format(Locale.ROOT, "  %,14d  %s%n", entry.count(), entry.text()));
    }
    return text.toString();
  }

  /** Which nodes kept the blocks of a job, and which tasks drew them. */
  static String shares(RanJob job, StreamReport stream) {
    StringBuilder text = new StringBuilder();
    row(text, "node", "blocks", "drawn on it", "drawn elsewhere");
    for (NodeShare node : stream.nodes()) {
      row(text, node.node(), node.served(), node.drawnHere(), node.drawnElsewhere());
    }
    List<Object> titles = new ArrayList<>(List.of("task", "blocks", "in runs", "longest run"));
    stream.nodes().forEach(node -> titles.add("of " + node.node()));
    row(text, titles.toArray());
    for (int task = 0; task < stream.tasks().size(); task++) {
      row(text, taskCells(job, stream, task).toArray());
    }
    return text.toString();
  }

  private static List<Object> taskCells(RanJob job, StreamReport stream, int task) {
    TaskShare share = stream.tasks().get(task);
    TaskList list = job.lists().get(task);
    String host = task < job.maps() ? job.mapHosts().get(task) : "?";
    List<Object> cells =
        new ArrayList<>(
            List.of(task + " on " + host, share.blocks(), share.runs(), list.longestRun()));
    for (NodeShare node : stream.nodes()) {
      cells.add(list.bySource().getOrDefault(node.node(), 0L));
    }
    return cells;
  }

  /** How the nodes read their disks for a job. */
  static String reads(NodeReads reads, StreamReport stream) {
    StringBuilder text = new StringBuilder();
    row(
        text,
        "node",
        "MiB from disk",
        "in reads",
        "with seeks",
        "MiB to a seek",
        "MiB from memory");
    for (NodeShare node : stream.nodes()) {
      Reads read = reads.byNode().get(node.node());
      if (read == null) {
        row(text, node.node(), "killed");
      } else {
        row(
            text,
            node.node(),
            mebibytes(read.bytes()),
            read.reads(),
            read.seeks(),
            mebibytes(read.bytes() / Math.max(1, read.seeks())),
            mebibytes(read.memoryBytes()));
      }
    }
    return text.toString();
  }

  private static String mebibytes(long bytes) {
    return String.format(Locale.ROOT, "%,.1f", bytes / (double) (1 << 20));
  }

  private static void row(StringBuilder text, Object... cells) {
    text.append(String.format(Locale.ROOT, "  %-16s", cells[0]));
    for (int cell = 1; cell < cells.length; cell++) {
      text.append(String.format(Locale.ROOT, " %15s", cells[cell]));
    }
    text.append(System.lineSeparator());
  }
}
