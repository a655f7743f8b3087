package io.vdfs.datanode.host;

import io.vdfs.common.metrics.Counters;
import io.vdfs.common.metrics.MetricGroup;
import io.vdfs.datanode.meta.raft.GroupCounter;
import io.vdfs.datanode.rpc.RequestMeter;
import java.util.List;

/**
 * What a node counts of the metadata service; all 0 where it hosts no member. Thread-safe.
 *
 * @param requests by operation
 * @param group of the member of the metadata group
 */
public record MetadataMetrics(RequestMeter requests, Counters<GroupCounter> group) {
  private static final String OPERATIONS = "metadata";
  private static final String GROUP = "raft";

  public static MetadataMetrics create() {
    return new MetadataMetrics(
        new RequestMeter(System::nanoTime), new Counters<>(GroupCounter.class));
  }

  public List<MetricGroup> groups() {
    return List.of(
        MetricGroup.of(OPERATIONS, () -> requests.read(OPERATIONS)),
        MetricGroup.of(GROUP, GroupCounter.class, group::get));
  }
}
