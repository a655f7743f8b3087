package io.vdfs.it.quickstart;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.common.metrics.Metric;
import io.vdfs.common.ring.RingNode;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the disks of the nodes were read, by the label of the node; nodes that do not answer are left
 * out. Immutable.
 */
record NodeReads(Map<String, Reads> byNode) {
  private static final Logger LOG = LoggerFactory.getLogger(NodeReads.class);

  /**
   * Of one node.
   *
   * @param bytes read
   * @param reads of the disk
   * @param seeks reads that did not continue where the last one ended
   * @param memoryBytes asked for that were in memory
   */
  record Reads(long bytes, long reads, long seeks, long memoryBytes) {
    Reads since(Reads earlier) {
      return new Reads(
          bytes - earlier.bytes,
          reads - earlier.reads,
          seeks - earlier.seeks,
          memoryBytes - earlier.memoryBytes);
    }
  }

  NodeReads {
    byNode = Map.copyOf(byNode);
  }

  /** The counters of the nodes since they were started. */
  static NodeReads now(VdfsClient client) throws IOException {
    ClusterDescription cluster = client.cluster();
    NodeLabels labels = new NodeLabels(cluster.ring());
    Map<String, Reads> byNode = new TreeMap<>();
    for (RingNode node : cluster.ring().nodes().values()) {
      try {
        byNode.put(labels.of(node.id()), reads(client, node));
      } catch (IOException e) {
        LOG.info("no counters of {}", node, e);
      }
    }
    return new NodeReads(byNode);
  }

  private static Reads reads(VdfsClient client, RingNode node) throws IOException {
    Map<String, Long> values = new TreeMap<>();
    for (Metric metric : client.counters(node)) {
      values.put(metric.group() + "." + metric.name(), metric.value());
    }
    return new Reads(
        values.get("stream.disk_bytes"),
        values.get("stream.disk_reads"),
        values.get("stream.discontinuities"),
        values.get("stream.memory_hit_bytes"));
  }

  /** Of the nodes that answered both times. */
  NodeReads since(NodeReads earlier) {
    Map<String, Reads> difference = new TreeMap<>();
    byNode.forEach(
        (node, reads) -> {
          if (earlier.byNode.containsKey(node)) {
            difference.put(node, reads.since(earlier.byNode.get(node)));
          }
        });
    return new NodeReads(difference);
  }
}
