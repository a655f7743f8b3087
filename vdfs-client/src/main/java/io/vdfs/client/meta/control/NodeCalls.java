package io.vdfs.client.meta.control;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Metric;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ClusterInfoRequest;
import io.vdfs.common.wire.proto.ClusterInfoResponse;
import io.vdfs.common.wire.proto.MetadataChangeRequest;
import io.vdfs.common.wire.proto.MetadataChangeResponse;
import io.vdfs.common.wire.proto.MetadataStatusRequest;
import io.vdfs.common.wire.proto.MetadataStatusResponse;
import io.vdfs.common.wire.proto.NodeCountersRequest;
import io.vdfs.common.wire.proto.NodeCountersResponse;
import io.vdfs.common.wire.proto.NodeRepairRequest;
import io.vdfs.common.wire.proto.NodeRepairResponse;
import io.vdfs.common.wire.proto.NodeSpaceProto;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Control calls to one particular node, for tools; each asks once. Thread-safe. */
public final class NodeCalls {
  private final ControlCalls calls;

  public NodeCalls(ControlCalls calls) {
    this.calls = calls;
  }

  /** What a node has counted since it was started. */
  public List<Metric> counters(RingNode node) throws IOException {
    return call(
            node,
            ControlMethods.NODE_COUNTERS,
            NodeCountersRequest.getDefaultInstance(),
            NodeCountersResponse.parser())
        .getCountersList()
        .stream()
        .map(
            counter ->
                new Metric(
                    counter.getGroup(),
                    counter.getName(),
                    counter.getLabel(),
                    counter.getLevel(),
                    counter.getValue()))
        .toList();
  }

  /** Room and state of the volumes of a node. */
  public NodeSpaceProto space(RingNode node) throws IOException {
    ClusterInfoResponse info =
        call(
            node,
            ControlMethods.CLUSTER_INFO,
            ClusterInfoRequest.getDefaultInstance(),
            ClusterInfoResponse.parser());
    if (info.hasError()) {
      throw WireIds.exception(info.getError());
    }
    return info.getSpace();
  }

  /** What a node says of the member of the metadata group that it hosts. */
  public MetadataStatusResponse metadataStatus(RingNode node) throws IOException {
    MetadataStatusResponse status =
        call(
            node,
            ControlMethods.METADATA_STATUS,
            MetadataStatusRequest.getDefaultInstance(),
            MetadataStatusResponse.parser());
    if (status.hasError()) {
      throw WireIds.exception(status.getError());
    }
    return status;
  }

  /**
   * Has the leader begin a change of the metadata members; its status tells how that ends.
   *
   * @throws VdfsException if the leader refuses it
   */
  public void changeMetadataMembers(
      RingNode leader, Optional<NodeId> removed, Optional<NodeId> added) throws IOException {
    MetadataChangeRequest.Builder request = MetadataChangeRequest.newBuilder();
    removed.ifPresent(id -> request.setRemove(WireIds.encode(id)));
    added.ifPresent(id -> request.setAdd(WireIds.encode(id)));
    MetadataChangeResponse response =
        call(
            leader,
            ControlMethods.METADATA_CHANGE,
            request.build(),
            MetadataChangeResponse.parser());
    if (response.hasError()) {
      throw WireIds.exception(response.getError());
    }
  }

  /**
   * Has a node look after its copies now.
   *
   * @throws VdfsException PERMISSION_DENIED for a caller that is no superuser; UNAVAILABLE if the
   *     node can't yet
   */
  public NodeRepairResponse beginRepair(RingNode node, NodeRepairRequest request)
      throws IOException {
    NodeRepairResponse response =
        call(node, ControlMethods.NODE_REPAIR, request, NodeRepairResponse.parser());
    if (response.hasError()) {
      throw WireIds.exception(response.getError());
    }
    return response;
  }

  private <T> T call(RingNode node, String method, MessageLite request, Parser<T> parser)
      throws IOException {
    ControlAddress address = ControlAddress.of(node);
    byte[] answer = calls.call(address, method, request.toByteArray());
    try {
      return parser.parseFrom(answer);
    } catch (InvalidProtocolBufferException e) {
      throw new VdfsException(ErrorCode.IO_ERROR, "answer can't be read: node=" + address, e);
    }
  }
}
