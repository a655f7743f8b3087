package io.vdfs.cli.cluster;

import io.vdfs.common.metrics.Metric;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a node has counted; 0 for a counter that it does not know, as it is older or lacks that
 * part.
 */
public final class NodeCounters {
  private final Map<String, Long> values = new HashMap<>();

  public NodeCounters(List<Metric> metrics) {
    metrics.forEach(metric -> values.put(metric.group() + "." + metric.name(), metric.value()));
  }

  /**
   * @param name {@code group.counter}
   */
  public long get(String name) {
    return values.getOrDefault(name, 0L);
  }
}
