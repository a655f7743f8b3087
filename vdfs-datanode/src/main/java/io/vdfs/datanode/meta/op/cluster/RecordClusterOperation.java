package io.vdfs.datanode.meta.op.cluster;

import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.proto.ClusterRecordProto;
import io.vdfs.common.wire.proto.EmptyResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.RecordClusterOp;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;

/**
 * Records the cluster's properties and ring map. The properties are recorded once; the map only
 * moves forward, from the epoch that the leader took for the newest.
 */
final class RecordClusterOperation implements Operation {
  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    context.access().requireSuperuser("record of the cluster");
    RecordClusterOp op = request.getRecordCluster();
    ClusterProperties properties = ClusterCodec.fromProto(op.getRecord().getCluster());
    RingMap ring = RingCodec.fromProto(op.getRecord().getRing());
    if (!properties.geometry().equals(context.settings().geometry())
        || ring.arcCount() != properties.geometry().arcs()) {
      throw Refusals.invalid(
          "a cluster of another geometry: geometry=%s, arcs=%s, expected=%s"
              .formatted(properties.geometry(), ring.arcCount(), context.settings().geometry()));
    }
    if (ring.placement() != properties.placement()) {
      throw Refusals.invalid(
          "the ring map places files by another rule than the cluster: map=%s, cluster=%s"
              .formatted(ring.placement(), properties.placement()));
    }
    ClusterRecordProto record =
        context.cluster().toBuilder()
            .setCluster(ClusterCodec.toProto(properties))
            .setRing(RingCodec.toProto(ring))
            .build();
    checkFollows(context.cluster(), op.getKnownEpoch(), record);
    changes.recordCluster(record);
    return MetaResponse.newBuilder().setEmpty(EmptyResult.getDefaultInstance()).build();
  }

  private static void checkFollows(
      ClusterRecordProto recorded, long knownEpoch, ClusterRecordProto next) throws VdfsException {
    if (recorded.hasCluster() && !recorded.getCluster().equals(next.getCluster())) {
      throw Refusals.invalid(
          "the record is of another cluster: recorded=%s, given=%s"
              .formatted(
                  ClusterCodec.fromProto(recorded.getCluster()),
                  ClusterCodec.fromProto(next.getCluster())));
    }
    long epoch = recorded.getRing().getEpoch();
    if (knownEpoch != epoch || next.getRing().getEpoch() <= epoch) {
      throw new VdfsException(
          ErrorCode.STALE_RING,
          "the ring map does not follow the recorded one: recorded=%d, expected=%d, given=%d"
              .formatted(epoch, knownEpoch, next.getRing().getEpoch()));
    }
  }
}
