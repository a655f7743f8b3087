package io.vdfs.datanode.rpc;

import io.vdfs.common.metrics.Metric;
import io.vdfs.common.metrics.MetricGroup;
import io.vdfs.common.rpc.ControlCall;
import io.vdfs.common.rpc.ControlHandler;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.wire.proto.CounterProto;
import io.vdfs.common.wire.proto.NodeCountersResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Answers {@value ControlMethods#NODE_COUNTERS} with the counters of this node. Thread-safe. */
public final class NodeCountersHandler implements ControlHandler {
  private final List<MetricGroup> groups;

  public NodeCountersHandler(List<MetricGroup> groups) {
    this.groups = List.copyOf(groups);
  }

  @Override
  public CompletionStage<byte[]> handle(ControlCall call) {
    NodeCountersResponse.Builder response = NodeCountersResponse.newBuilder();
    groups.forEach(group -> group.read().forEach(metric -> response.addCounters(encode(metric))));
    return CompletableFuture.completedFuture(response.build().toByteArray());
  }

  private static CounterProto encode(Metric metric) {
    return CounterProto.newBuilder()
        .setGroup(metric.group())
        .setName(metric.key())
        .setLabel(metric.label())
        .setLevel(metric.level())
        .setValue(metric.value())
        .build();
  }
}
