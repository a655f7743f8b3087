package io.vdfs.cli.report;

import io.vdfs.cli.cluster.NodeCounters;
import io.vdfs.cli.cluster.NodeTable;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.common.ring.RingNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Counters of each live node since its daemon was started: how its disks were read, in which runs,
 * and how the bytes came to readers and tasks.
 */
final class CounterTables {
  private static final List<Column> DISKS =
      List.of(
          gigabytes("read GB", "stream.disk_bytes"),
          count("reads", "stream.disk_reads"),
          count("seeks", "stream.discontinuities"),
          ratio("MB a run", CounterTables::megabytesPerRun),
          count("waiting", "stream.waiting"),
          ratio("ms a wait", CounterTables::millisPerWait),
          percent("in memory", "stream.memory_hit_bytes", "stream.request_bytes"),
          percent("in vain", "stream.read_ahead_wasted", "stream.read_ahead_bytes"));

  private static final List<Column> RUNS =
      List.of(
          count("< 1 MiB", "stream.runs_below_1m"),
          count("< 8 MiB", "stream.runs_1m_to_8m"),
          count("< 32 MiB", "stream.runs_8m_to_32m"),
          count("longer", "stream.runs_from_32m"),
          count("shared", "stream.shared_scan_hits"),
          gigabytes("shared GB", "stream.shared_scan_bytes"));

  private static final List<Column> READERS =
      List.of(
          gigabytes("local GB", "local.read_bytes"),
          gigabytes("fetched", "local.fetched_by_client_bytes"),
          gigabytes("segment GB", "segment_delivery.filled_bytes"),
          gigabytes("socket GB", "transfer.bytes_read"),
          count("grants", "stream.grants"),
          count("shared", "stream.shared_grants"),
          ratio("waited s", node -> node.get("stream.task_wait_millis") / 1e3));

  private static final List<Column> REPAIR =
      List.of(
          count("lacking", "repair.lacking"),
          count("waiting", "repair.waiting"),
          gigabytes("copied GB", "repair.bytes_copied"),
          ratio("MB/s now", node -> node.get("repair.copied_bytes_per_second") / 1e6),
          count("failed", "repair.failed"),
          count("audit s", "repair.clean_audit_age_seconds"),
          count("damaged", "scrub.damaged"),
          ratio("oldest d", node -> node.get("scrub.oldest_unverified_seconds") / 86_400.0));

  private CounterTables() {}

  private record Column(String title, Function<NodeCounters, String> cell) {}

  static void print(VdfsClient client, ClusterDescription cluster, PrintWriter out) {
    Map<String, NodeCounters> counters = new LinkedHashMap<>();
    Map<String, String> silent = new LinkedHashMap<>();
    for (RingNode node : NodeTable.inOrder(cluster)) {
      if (cluster.live().contains(node.id())) {
        try {
          counters.put(NodeTable.address(node), new NodeCounters(client.counters(node)));
        } catch (IOException e) {
          silent.put(NodeTable.address(node), e.getMessage());
        }
      }
    }
    print("disks", DISKS, counters, out);
    silent.forEach((address, why) -> out.printf("%-28s %s%n", address, why));
    print("runs of the disks", RUNS, counters, out);
    print("readers and tasks", READERS, counters, out);
    print("repair and scrubbing", REPAIR, counters, out);
  }

  private static void print(
      String title, List<Column> columns, Map<String, NodeCounters> nodes, PrintWriter out) {
    out.println();
    out.println(line(title, columns, Column::title));
    nodes.forEach(
        (address, counters) ->
            out.println(line(address, columns, column -> column.cell().apply(counters))));
  }

  private static String line(String first, List<Column> columns, Function<Column, String> text) {
    return columns.stream()
        .map(column -> "%9s".formatted(text.apply(column)))
        .collect(Collectors.joining(" ", "%-28s ".formatted(first), ""));
  }

  private static Column count(String title, String name) {
    return new Column(title, node -> Long.toString(node.get(name)));
  }

  private static Column gigabytes(String title, String name) {
    return ratio(title, node -> node.get(name) / 1e9);
  }

  private static Column percent(String title, String part, String whole) {
    return new Column(
        title, node -> "%.0f%%".formatted(100.0 * node.get(part) / Math.max(1, node.get(whole))));
  }

  private static Column ratio(String title, Function<NodeCounters, Double> value) {
    return new Column(title, node -> "%.1f".formatted(value.apply(node)));
  }

  private static double megabytesPerRun(NodeCounters node) {
    return node.get("stream.disk_bytes") / 1e6 / Math.max(1, node.get("stream.discontinuities"));
  }

  private static double millisPerWait(NodeCounters node) {
    long waits = node.get("stream.requests") - node.get("stream.memory_hits");
    return (double) node.get("stream.wait_millis") / Math.max(1, waits);
  }
}
