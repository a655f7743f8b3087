package io.vdfs.it.quickstart;

import io.vdfs.it.quickstart.StreamReport.NodeShare;
import io.vdfs.it.quickstart.StreamReport.TaskShare;
import java.util.Locale;

/** The words in which results are told. Stateless. */
final class Report {
  private Report() {}

  /** What came of a phase that ran a job, in a line. */
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

  /** Who served the blocks of a job, and to whom. */
  static String shares(RanJob job, StreamReport stream) {
    StringBuilder text = new StringBuilder();
    row(text, "node", "blocks served", "to its own tasks", "to tasks elsewhere");
    for (NodeShare node : stream.nodes()) {
      row(text, node.node(), node.served(), node.drawnHere(), node.drawnElsewhere());
    }
    row(text, "task", "blocks drawn", "from its own node", "from other nodes");
    for (int task = 0; task < stream.tasks().size(); task++) {
      TaskShare share = stream.tasks().get(task);
      String host = task < job.maps() ? job.mapHosts().get(task) : "?";
      long own = share.blocks() - share.stolen();
      row(text, task + " on " + host, share.blocks(), own, share.stolen());
    }
    return text.toString();
  }

  private static void row(StringBuilder text, Object... cells) {
    text.append(String.format(Locale.ROOT, "  %-20s %14s %18s %19s%n", cells));
  }
}
