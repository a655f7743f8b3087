package io.vdfs.datanode.meta.op.cluster;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.proto.ClusterRecordProto;
import io.vdfs.datanode.meta.state.MetaContext;

/** The ring map in the cluster's record. Stateless. */
final class RecordedRing {
  private RecordedRing() {}

  /**
   * @throws VdfsException UNAVAILABLE before one was recorded
   */
  static RingMap require(MetaContext context) throws VdfsException {
    return context
        .ring()
        .orElseThrow(
            () ->
                new VdfsException(
                    ErrorCode.UNAVAILABLE, "no ring map is recorded yet, try again in a second"));
  }

  /**
   * The record with the next map.
   *
   * @throws VdfsException INVALID_ARGUMENT if ZooKeeper would not take the map
   */
  static ClusterRecordProto with(RingMap ring, MetaContext context) throws VdfsException {
    RingCodec.encode(ring);
    return context.cluster().toBuilder().setRing(RingCodec.toProto(ring)).build();
  }
}
