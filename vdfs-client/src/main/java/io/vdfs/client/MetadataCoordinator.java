package io.vdfs.client;

import io.vdfs.client.io.WriteCoordinator;
import io.vdfs.client.meta.ClusterAccess;
import io.vdfs.client.meta.MetadataCalls;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ChangePipelineOp;
import io.vdfs.common.wire.proto.CompleteOp;
import io.vdfs.common.wire.proto.GroupSyncProto;
import io.vdfs.common.wire.proto.LeftOutProto;
import io.vdfs.common.wire.proto.MetaRequest;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What writers of one lease holder tell the metadata service. Thread-safe. */
final class MetadataCoordinator implements WriteCoordinator {
  private final MetadataCalls metadata;
  private final ClusterAccess cluster;
  private final UUID holder;

  MetadataCoordinator(MetadataCalls metadata, ClusterAccess cluster, UUID holder) {
    this.metadata = metadata;
    this.cluster = cluster;
    this.holder = holder;
  }

  @Override
  public int changePipeline(
      FileKey file, int writeEpoch, Map<Integer, List<NodeId>> leftOut, long length)
      throws IOException {
    ChangePipelineOp.Builder operation =
        ChangePipelineOp.newBuilder()
            .setFile(WireIds.encode(file))
            .setHolder(WireIds.encode(holder))
            .setWriteEpoch(writeEpoch)
            .setLength(length);
    leftOut.forEach(
        (group, nodes) -> {
          LeftOutProto.Builder ofGroup = operation.addLeftOutBuilder().setGroup(group);
          nodes.forEach(node -> ofGroup.addNodes(WireIds.encode(node)));
        });
    // a pipeline that failed may have met a ring that changed
    cluster.refresh(cluster.current());
    return metadata
        .call(MetaRequest.newBuilder().setChangePipeline(operation).build())
        .getOpenFile()
        .getStatus()
        .getWriteEpoch();
  }

  @Override
  public void complete(
      FileKey file, int writeEpoch, long length, long ringEpoch, Map<Integer, List<NodeId>> synced)
      throws IOException {
    CompleteOp.Builder operation =
        CompleteOp.newBuilder()
            .setFile(WireIds.encode(file))
            .setHolder(WireIds.encode(holder))
            .setWriteEpoch(writeEpoch)
            .setLength(length)
            .setRingEpoch(ringEpoch);
    synced.forEach(
        (group, nodes) -> {
          GroupSyncProto.Builder groupSync = operation.addSyncedBuilder().setGroup(group);
          nodes.forEach(node -> groupSync.addNodes(WireIds.encode(node)));
        });
    metadata.call(MetaRequest.newBuilder().setComplete(operation).build());
  }
}
