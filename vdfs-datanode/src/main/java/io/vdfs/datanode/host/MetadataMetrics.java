package io.vdfs.datanode.host;

import io.vdfs.common.metrics.Counters;
import io.vdfs.common.metrics.MetricGroup;
import io.vdfs.datanode.meta.group.GroupCounter;
import io.vdfs.datanode.meta.service.ring.RingFigures;
import io.vdfs.datanode.rpc.request.RequestMeter;
import java.util.List;

/**
 * The counters of a node for the metadata service; all 0 where it hosts no member. Thread-safe.
 *
 * @param requests by operation
 * @param group of the member of the metadata group
 * @param ring as the leader sees it
 */
public record MetadataMetrics(
    RequestMeter requests, Counters<GroupCounter> group, RingFigures ring) {
  private static final String OPERATIONS = "metadata";
  private static final String GROUP = "raft";
  private static final String RING = "cluster_ring";

  public static MetadataMetrics create() {
    return new MetadataMetrics(
        new RequestMeter(System::nanoTime), new Counters<>(GroupCounter.class), new RingFigures());
  }

  public List<MetricGroup> groups() {
    return List.of(
        MetricGroup.of(OPERATIONS, () -> requests.read(OPERATIONS)),
        MetricGroup.of(GROUP, GroupCounter.class, group::get),
        MetricGroup.of(RING, RingLevel.class, level -> level.of(ring)));
  }
}
