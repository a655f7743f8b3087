package io.vdfs.client.meta.cluster;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.vdfs.client.meta.control.ControlAddress;
import io.vdfs.client.meta.control.ControlCalls;
import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ClusterInfoRequest;
import io.vdfs.common.wire.proto.ClusterInfoResponse;
import io.vdfs.common.wire.proto.NodeSpaceProto;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The control call {@code cluster.info}. Thread-safe. */
final class ClusterInfoQuestion {
  private final ControlCalls calls;
  private final Optional<String> name;

  /**
   * @param name of the cluster that is meant, where it is known by its name
   */
  ClusterInfoQuestion(ControlCalls calls, Optional<String> name) {
    this.calls = calls;
    this.name = name;
  }

  /**
   * @param before what is known already, or null; its ring map is kept where it is newer
   * @throws VdfsException IO_ERROR if the node belongs to another cluster than before, or than the
   *     one that is meant
   */
  ClusterDescription ask(ControlAddress node, ClusterDescription before) throws IOException {
    long knownEpoch = before == null ? 0 : before.ring().epoch();
    ClusterInfoRequest request =
        ClusterInfoRequest.newBuilder().setKnownRingEpoch(knownEpoch).build();
    return read(answer(node, request), before, node);
  }

  /**
   * Room on the volumes of a node.
   *
   * @param knownEpoch of the ring map, which isn't sent again
   * @throws VdfsException UNAVAILABLE if the node can't tell
   */
  ClusterSpace space(ControlAddress node, long knownEpoch) throws IOException {
    ClusterInfoRequest request =
        ClusterInfoRequest.newBuilder().setKnownRingEpoch(knownEpoch).build();
    ClusterInfoResponse response = answer(node, request);
    if (!response.hasSpace()) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE, "node can't tell the room on its volumes: node=" + node);
    }
    NodeSpaceProto space = response.getSpace();
    return new ClusterSpace(space.getCapacity(), space.getUsed(), space.getFree());
  }

  private ClusterInfoResponse answer(ControlAddress node, ClusterInfoRequest request)
      throws IOException {
    byte[] answer = calls.call(node, ControlMethods.CLUSTER_INFO, request.toByteArray());
    try {
      ClusterInfoResponse response = ClusterInfoResponse.parseFrom(answer);
      if (response.hasError()) {
        throw new VdfsException(
            ErrorCode.UNAVAILABLE,
            response.getError().getCode() + ": " + response.getError().getMessage());
      }
      return response;
    } catch (InvalidProtocolBufferException e) {
      throw new VdfsException(ErrorCode.IO_ERROR, "answer can't be read: node=" + node, e);
    }
  }

  private ClusterDescription read(
      ClusterInfoResponse response, ClusterDescription before, ControlAddress node)
      throws VdfsException {
    if (before == null && !response.hasRing()) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE, "the cluster has no ring map yet: node=" + node);
    }
    if (name.isPresent() && !name.get().equals(response.getClusterName())) {
      throw new VdfsException(
          ErrorCode.IO_ERROR,
          "node belongs to another cluster: node=%s, expected=%s, found=%s"
              .formatted(node, name.get(), response.getClusterName()));
    }
    ClusterProperties properties = ClusterCodec.fromProto(response.getCluster());
    if (before != null && !before.properties().equals(properties)) {
      throw new VdfsException(
          ErrorCode.IO_ERROR,
          "node belongs to another cluster: node=%s, expected=%s, found=%s"
              .formatted(node, before.properties().clusterId(), properties.clusterId()));
    }
    return new ClusterDescription(
        response.getClusterName(),
        properties,
        newerRing(response, properties, before),
        nodes(response.getLiveNodesList()),
        nodes(response.getMetadataMembersList()),
        leader(response.getLeader()),
        response.getTrashMinutes());
  }

  private static RingMap newerRing(
      ClusterInfoResponse response, ClusterProperties properties, ClusterDescription before)
      throws VdfsException {
    if (!response.hasRing()) {
      return before.ring();
    }
    RingMap ring = RingCodec.fromProto(response.getRing());
    if (ring.placement() != properties.placement()) {
      throw new VdfsException(
          ErrorCode.IO_ERROR,
          "the ring map places files by another rule than the cluster: map=%s, cluster=%s"
              .formatted(ring.placement(), properties.placement()));
    }
    return before != null && before.ring().epoch() > ring.epoch() ? before.ring() : ring;
  }

  private static Optional<NodeId> leader(ByteString id) throws VdfsException {
    return id.isEmpty() ? Optional.empty() : Optional.of(WireIds.nodeId(id));
  }

  private static List<NodeId> nodes(List<ByteString> ids) throws VdfsException {
    List<NodeId> nodes = new ArrayList<>(ids.size());
    for (ByteString id : ids) {
      nodes.add(WireIds.nodeId(id));
    }
    return nodes;
  }
}
