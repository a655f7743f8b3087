package io.vdfs.datanode.transfer;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.ReplicaCalls;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ReplicaRequest;
import io.vdfs.common.wire.proto.ReplicaResponse;
import io.vdfs.common.wire.proto.TruncateGroup;
import io.vdfs.datanode.meta.service.ReplicaProbe;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Asks nodes over their data ports. Thread-safe; never blocks. */
public final class NettyReplicaProbe implements ReplicaProbe {
  private final ReplicaCalls calls;
  private final ByteString cluster;
  private final Function<NodeId, Optional<DataAddress>> addresses;

  /**
   * @param addresses where a node's data port is now, empty if unknown; quick
   * @param limit of one question, connecting included
   */
  public NettyReplicaProbe(
      DataConnections connections,
      UUID cluster,
      Function<NodeId, Optional<DataAddress>> addresses,
      Duration limit) {
    this.calls = new ReplicaCalls(connections, limit);
    this.cluster = WireIds.encode(cluster);
    this.addresses = addresses;
  }

  @Override
  public CompletableFuture<Extent> visibleLength(NodeId node, FileKey file, int group) {
    return ask(node, file, group, ReplicaRequest.newBuilder().setVisibleLength(true));
  }

  @Override
  public CompletableFuture<Extent> fence(NodeId node, FileKey file, int group, int epoch) {
    return ask(node, file, group, ReplicaRequest.newBuilder().setFenceEpoch(epoch));
  }

  @Override
  public CompletableFuture<Extent> truncateGroup(
      NodeId node, FileKey file, int group, long length, int epoch) {
    TruncateGroup cut = TruncateGroup.newBuilder().setLength(length).setWriteEpoch(epoch).build();
    return ask(node, file, group, ReplicaRequest.newBuilder().setTruncate(cut));
  }

  private CompletableFuture<Extent> ask(
      NodeId node, FileKey file, int group, ReplicaRequest.Builder question) {
    Optional<DataAddress> address = addresses.apply(node);
    if (address.isEmpty()) {
      return CompletableFuture.failedFuture(
          new VdfsException(ErrorCode.UNAVAILABLE, "node has no known address: node=" + node));
    }
    ReplicaRequest request =
        question
            .setClusterId(cluster)
            .setNode(WireIds.encode(node))
            .setFile(WireIds.encode(file))
            .setGroup(group)
            .build();
    CompletableFuture<Extent> extent = new CompletableFuture<>();
    var unused =
        calls
            .call(address.get(), request)
            .whenComplete((response, failure) -> complete(extent, response, failure));
    return extent;
  }

  private static void complete(
      CompletableFuture<Extent> extent, ReplicaResponse response, Throwable failure) {
    if (failure == null) {
      extent.complete(new Extent(response.getLength(), response.getWriteEpoch()));
    } else {
      extent.completeExceptionally(failure);
    }
  }
}
