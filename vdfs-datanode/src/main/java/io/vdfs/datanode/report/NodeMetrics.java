package io.vdfs.datanode.report;

import io.vdfs.common.metrics.Counters;
import io.vdfs.common.metrics.Metric;
import io.vdfs.common.metrics.MetricGroup;
import io.vdfs.common.net.NetCounter;
import io.vdfs.datanode.host.MetadataHost;
import io.vdfs.datanode.local.LocalCounter;
import io.vdfs.datanode.local.LocalDelivery;
import io.vdfs.datanode.machine.DiskLoads;
import io.vdfs.datanode.machine.HeapLevel;
import io.vdfs.datanode.meta.group.GroupMember;
import io.vdfs.datanode.meta.level.FeatureLevels;
import io.vdfs.datanode.segment.SegmentCounter;
import io.vdfs.datanode.segment.SegmentDelivery;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.transfer.TransferCounter;
import io.vdfs.datanode.transfer.server.TransferServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/** The counters and levels of a node's parts, for monitoring. Stateless. */
public final class NodeMetrics {
  private NodeMetrics() {}

  /**
   * The store, its volumes, and the process they live in.
   *
   * @param missedDeletions files that were to be deleted here and are not yet
   */
  public static List<MetricGroup> ofStore(
      BlockStore store, LongSupplier missedDeletions, DiskLoads disks, long readAhead) {
    return List.of(
        MetricGroup.of("store", StoreCounter.class, store.counters()::get),
        MetricGroup.of("deletions", DeletionLevel.class, level -> missedDeletions.getAsLong()),
        MetricGroup.of("volumes", VolumeLevel.class, level -> level.of(store)),
        MetricGroup.of("volume", () -> NodeVolumes.metrics(store, disks, readAhead)),
        MetricGroup.of("process", HeapLevel.class, level -> HeapLevel.read()));
  }

  /** The parts through which bytes come and go. */
  public static List<MetricGroup> ofTransfer(
      TransferServer transfer,
      Optional<LocalDelivery> local,
      Optional<SegmentDelivery> segments,
      Counters<NetCounter> net) {
    List<MetricGroup> metrics = new ArrayList<>();
    metrics.add(MetricGroup.of("transfer", TransferCounter.class, transfer.counters()::get));
    local.ifPresent(
        delivery ->
            metrics.add(MetricGroup.of("local", LocalCounter.class, delivery.counters()::get)));
    segments.ifPresent(
        delivery ->
            metrics.add(
                MetricGroup.of(
                    "segment_delivery", SegmentCounter.class, delivery.counters()::get)));
    metrics.add(MetricGroup.of("net", NetCounter.class, net::get));
    return metrics;
  }

  public static List<Metric> featureLevel(Optional<MetadataHost> host) {
    int inForce = host.flatMap(MetadataHost::member).map(GroupMember::level).orElse(0);
    return List.of(
        new Metric(
            "feature_level",
            "in_force",
            "feature level in force, as this node's metadata member has it; 0 where it hosts none",
            true,
            inForce),
        new Metric(
            "feature_level",
            "newest",
            "highest feature level that this node can carry out",
            true,
            FeatureLevels.ofThisRelease().newest()));
  }
}
