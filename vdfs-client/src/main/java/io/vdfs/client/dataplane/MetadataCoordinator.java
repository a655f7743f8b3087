package io.vdfs.client.dataplane;

import com.google.protobuf.ByteString;
import io.vdfs.client.meta.ClientLeases;
import io.vdfs.client.meta.MetadataCalls;
import io.vdfs.client.meta.cluster.ClusterAccess;
import io.vdfs.client.write.SyncedGroup;
import io.vdfs.client.write.WriteCoordinator;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ChangePipelineOp;
import io.vdfs.common.wire.proto.CompleteOp;
import io.vdfs.common.wire.proto.GroupSyncProto;
import io.vdfs.common.wire.proto.LeftOutProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.OpenFileResult;
import io.vdfs.common.wire.proto.RecordProgressOp;
import io.vdfs.common.wire.proto.WriteTicketProto;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What one writer tells the metadata service. Thread-safe. */
final class MetadataCoordinator implements WriteCoordinator {
  private final MetadataCalls metadata;
  private final ClusterAccess cluster;
  private final ClientLeases lease;
  private volatile WriteTicketProto ticket;

  /**
   * @param ticket that came with the opening
   */
  MetadataCoordinator(
      MetadataCalls metadata, ClusterAccess cluster, ClientLeases lease, WriteTicketProto ticket) {
    this.metadata = metadata;
    this.cluster = cluster;
    this.lease = lease;
    this.ticket = ticket;
  }

  private ByteString holder() {
    return WireIds.encode(lease.holder());
  }

  @Override
  public int changePipeline(
      FileKey file, int writeEpoch, Map<Integer, List<NodeId>> leftOut, long length)
      throws IOException {
    ChangePipelineOp.Builder operation =
        ChangePipelineOp.newBuilder()
            .setFile(WireIds.encode(file))
            .setHolder(holder())
            .setWriteEpoch(writeEpoch)
            .setLength(length);
    leftOut.forEach(
        (group, nodes) -> {
          LeftOutProto.Builder ofGroup = operation.addLeftOutBuilder().setGroup(group);
          nodes.forEach(node -> ofGroup.addNodes(WireIds.encode(node)));
        });
    // the pipeline may have failed because the ring changed
    cluster.refresh(cluster.current());
    OpenFileResult begun =
        metadata.call(MetaRequest.newBuilder().setChangePipeline(operation).build()).getOpenFile();
    ticket = begun.getTicket();
    return begun.getStatus().getWriteEpoch();
  }

  @Override
  public WriteTicketProto ticket(FileKey file, int writeEpoch) {
    return ticket;
  }

  @Override
  public void complete(
      FileKey file,
      int writeEpoch,
      long length,
      long ringEpoch,
      Map<Integer, SyncedGroup> synced,
      boolean unforced)
      throws IOException {
    CompleteOp.Builder operation =
        CompleteOp.newBuilder()
            .setFile(WireIds.encode(file))
            .setHolder(holder())
            .setWriteEpoch(writeEpoch)
            .setLength(length)
            .setRingEpoch(ringEpoch)
            .setUnforced(unforced);
    operation.addAllSynced(encode(synced));
    metadata.call(MetaRequest.newBuilder().setComplete(operation).build());
  }

  @Override
  public void recordProgress(
      FileKey file, int writeEpoch, long flushed, Map<Integer, SyncedGroup> synced)
      throws IOException {
    RecordProgressOp.Builder operation =
        RecordProgressOp.newBuilder()
            .setFile(WireIds.encode(file))
            .setHolder(holder())
            .setWriteEpoch(writeEpoch)
            .setFlushedLength(flushed)
            .addAllSynced(encode(synced));
    metadata.call(MetaRequest.newBuilder().setRecordProgress(operation).build());
  }

  private static List<GroupSyncProto> encode(Map<Integer, SyncedGroup> synced) {
    List<GroupSyncProto> groups = new ArrayList<>();
    synced.forEach(
        (group, finished) -> {
          GroupSyncProto.Builder groupSync =
              GroupSyncProto.newBuilder().setGroup(group).setChecksum(finished.checksum());
          finished.nodes().forEach(node -> groupSync.addNodes(WireIds.encode(node)));
          groups.add(groupSync.build());
        });
    return groups;
  }

  @Override
  public void flushed(FileKey file, long length) {
    lease.flushed(file.fileId(), length);
  }
}
