package io.vdfs.datanode.transfer.replica;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.ReplicaCalls;
import io.vdfs.common.security.NodeProofs;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CopyGroup;
import io.vdfs.common.wire.proto.ReplicaRequest;
import io.vdfs.common.wire.proto.ReplicaResponse;
import io.vdfs.common.wire.proto.TruncateGroup;
import io.vdfs.common.wire.proto.VerifyGroup;
import io.vdfs.datanode.meta.service.edge.ReplicaProbe;
import io.vdfs.datanode.store.ReadPace;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Asks nodes over their data ports. Thread-safe; never blocks. */
public final class NettyReplicaProbe implements ReplicaProbe {
  private final ReplicaCalls calls;
  private final NodeProofs proofs;
  private final ByteString cluster;
  private final ClusterGeometry geometry;
  private final Function<NodeId, Optional<DataAddress>> addresses;
  private final Duration limit;
  private final ReadPace pace;

  /**
   * @param proofs that this is a node
   * @param addresses where a node's data port is now, empty if unknown; quick
   * @param limit of a quick question, connecting included
   * @param pace at which nodes read back what they are asked for
   */
  public NettyReplicaProbe(
      DataConnections connections,
      NodeProofs proofs,
      UUID cluster,
      ClusterGeometry geometry,
      Function<NodeId, Optional<DataAddress>> addresses,
      Duration limit,
      ReadPace pace) {
    this.calls = new ReplicaCalls(connections, limit);
    this.proofs = proofs;
    this.cluster = WireIds.encode(cluster);
    this.geometry = geometry;
    this.limit = limit;
    this.pace = pace;
    this.addresses = addresses;
  }

  @Override
  public CompletableFuture<Extent> fence(
      NodeId node, FileKey file, int group, int epoch, LeaseBound lease) {
    ReplicaRequest.Builder question =
        ReplicaRequest.newBuilder().setFenceEpoch(epoch).setLease(WireIds.encode(lease));
    return ask(node, file, group, question, limit).thenApply(NettyReplicaProbe::extent);
  }

  @Override
  public CompletableFuture<VerifiedGroup> verify(
      NodeId node, FileKey file, int group, LeaseBound lease, List<Long> marks, Duration ownLimit) {
    ReplicaRequest.Builder question =
        ReplicaRequest.newBuilder()
            .setVerify(
                VerifyGroup.newBuilder().addAllMarks(marks).setInTurns(pace == ReadPace.IN_TURNS))
            .setLease(WireIds.encode(lease));
    return ask(node, file, group, question, ownLimit).thenCompose(this::verified);
  }

  @Override
  public CompletableFuture<Extent> truncateGroup(
      NodeId node, FileKey file, int group, long length, int epoch) {
    TruncateGroup cut = TruncateGroup.newBuilder().setLength(length).setWriteEpoch(epoch).build();
    return ask(node, file, group, ReplicaRequest.newBuilder().setTruncate(cut), limit)
        .thenApply(NettyReplicaProbe::extent);
  }

  @Override
  public CompletableFuture<Extent> copy(
      NodeId node, FileKey file, int group, Copy copy, Duration ownLimit) {
    CopyGroup wanted =
        CopyGroup.newBuilder()
            .setSource(WireIds.encode(copy.source()))
            .setFirstBlock(copy.firstBlock())
            .setLength(copy.length())
            .setWriteEpoch(copy.epoch())
            .setPrimary(copy.primary())
            .build();
    return ask(node, file, group, ReplicaRequest.newBuilder().setCopy(wanted), ownLimit)
        .thenApply(NettyReplicaProbe::extent);
  }

  private CompletableFuture<ReplicaResponse> ask(
      NodeId node, FileKey file, int group, ReplicaRequest.Builder question, Duration ownLimit) {
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
    return calls.callAsNode(address.get(), request, proofs, ownLimit);
  }

  private static Extent extent(ReplicaResponse response) {
    return new Extent(response.getLength(), response.getHeld(), response.getWriteEpoch());
  }

  private CompletableFuture<VerifiedGroup> verified(ReplicaResponse response) {
    try {
      return CompletableFuture.completedFuture(VerifiedGroups.decode(response, geometry));
    } catch (VdfsException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
