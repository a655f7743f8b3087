package io.vdfs.client.cli;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.meta.ClusterSnapshot;
import io.vdfs.common.metrics.Metric;
import io.vdfs.common.ring.RingNode;
import java.io.IOException;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.Map;

/** What the disks of each node were asked for and did since its daemon was started. */
final class DiskTable {
  private DiskTable() {}

  static void print(VdfsClient client, ClusterSnapshot cluster, PrintStream out) {
    out.printf(
        "%n%-28s %9s %9s %9s %9s %9s %9s%n",
        "disks", "read GB", "MB a run", "waiting", "in memory", "shared", "in vain");
    for (RingNode node : cluster.ring().nodes().values()) {
      if (cluster.live().contains(node.id())) {
        printNode(client, node, out);
      }
    }
  }

  private static void printNode(VdfsClient client, RingNode node, PrintStream out) {
    Map<String, Long> stream = new HashMap<>();
    try {
      for (Metric metric : client.counters(node)) {
        if (metric.group().equals("stream")) {
          stream.put(metric.name(), metric.value());
        }
      }
    } catch (IOException e) {
      out.printf("%-28s %s%n", NodeTable.address(node), e.getMessage());
      return;
    }
    long read = stream.getOrDefault("disk_bytes", 0L);
    out.printf(
        "%-28s %9.1f %9.1f %9d %8.0f%% %9d %8.0f%%%n",
        NodeTable.address(node),
        read / 1e9,
        read / 1e6 / Math.max(1, stream.getOrDefault("discontinuities", 0L)),
        stream.getOrDefault("waiting", 0L),
        percent(stream, "memory_hit_bytes", "request_bytes"),
        stream.getOrDefault("shared_scan_hits", 0L),
        percent(stream, "read_ahead_wasted", "read_ahead_bytes"));
  }

  private static double percent(Map<String, Long> values, String part, String whole) {
    return 100.0 * values.getOrDefault(part, 0L) / Math.max(1, values.getOrDefault(whole, 0L));
  }
}
