package io.vdfs.datanode.rpc;

import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.rpc.ControlCall;
import io.vdfs.common.rpc.ControlHandler;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ClusterInfoRequest;
import io.vdfs.common.wire.proto.ClusterInfoResponse;
import io.vdfs.common.wire.proto.NodeSpaceProto;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Answers {@value ControlMethods#CLUSTER_INFO} from what this node knows. Thread-safe. */
public final class ClusterInfoHandler implements ControlHandler {
  private final String clusterName;
  private final ClusterProperties properties;
  private final Supplier<ClusterSnapshot> snapshot;
  private final Supplier<Optional<NodeId>> leader;
  private final NodeId self;
  private final Supplier<Optional<NodeSpaceProto>> space;
  private final long trashMinutes;

  /**
   * @param snapshot the newest state of the cluster
   * @param leader of the metadata, as far as this node knows
   * @param space of this node's volumes; empty where it can't be read
   * @param trashMinutes after which what is in the trash is deleted; 0: never
   */
  public ClusterInfoHandler(
      String clusterName,
      ClusterProperties properties,
      Supplier<ClusterSnapshot> snapshot,
      Supplier<Optional<NodeId>> leader,
      NodeId self,
      Supplier<Optional<NodeSpaceProto>> space,
      long trashMinutes) {
    this.clusterName = clusterName;
    this.properties = properties;
    this.snapshot = snapshot;
    this.leader = leader;
    this.self = self;
    this.space = space;
    this.trashMinutes = trashMinutes;
  }

  @Override
  public CompletionStage<byte[]> handle(ControlCall call) throws VdfsException {
    ClusterInfoRequest request =
        Bodies.parse(ControlMethods.CLUSTER_INFO, call.body(), ClusterInfoRequest.parser());
    return CompletableFuture.completedFuture(answer(request).toByteArray());
  }

  private ClusterInfoResponse answer(ClusterInfoRequest request) {
    ClusterSnapshot now = snapshot.get();
    ClusterInfoResponse.Builder response =
        ClusterInfoResponse.newBuilder()
            .setClusterName(clusterName)
            .setCluster(ClusterCodec.toProto(properties))
            .setSelf(WireIds.encode(self))
            .setTrashMinutes(trashMinutes);
    now.ringMap()
        .filter(map -> map.epoch() != request.getKnownRingEpoch())
        .ifPresent(map -> response.setRing(RingCodec.toProto(map)));
    now.liveNodes().keySet().forEach(id -> response.addLiveNodes(WireIds.encode(id)));
    now.metadataGroup()
        .ifPresent(
            group ->
                group
                    .members()
                    .forEach(member -> response.addMetadataMembers(WireIds.encode(member.id()))));
    leader.get().ifPresent(id -> response.setLeader(WireIds.encode(id)));
    space.get().ifPresent(response::setSpace);
    return response.build();
  }
}
