package io.vdfs.client.meta;

import com.google.protobuf.InvalidProtocolBufferException;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Metric;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.wire.proto.NodeCountersRequest;
import io.vdfs.common.wire.proto.NodeCountersResponse;
import java.io.IOException;
import java.util.List;

/** The control call {@code node.counters}. Thread-safe. */
public final class NodeCounters {
  private final ControlCalls calls;

  public NodeCounters(ControlCalls calls) {
    this.calls = calls;
  }

  /** What a node has counted since it was started; asks once. */
  public List<Metric> of(RingNode node) throws IOException {
    ControlAddress address = new ControlAddress(node.host(), node.controlPort());
    byte[] answer =
        calls.call(
            address,
            ControlMethods.NODE_COUNTERS,
            NodeCountersRequest.getDefaultInstance().toByteArray());
    try {
      return NodeCountersResponse.parseFrom(answer).getCountersList().stream()
          .map(
              counter ->
                  new Metric(
                      counter.getGroup(),
                      counter.getName(),
                      counter.getLabel(),
                      counter.getLevel(),
                      counter.getValue()))
          .toList();
    } catch (InvalidProtocolBufferException e) {
      throw new VdfsException(ErrorCode.IO_ERROR, "answer can't be read: node=" + address, e);
    }
  }
}
