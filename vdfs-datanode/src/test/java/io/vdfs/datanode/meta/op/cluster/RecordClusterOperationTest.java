package io.vdfs.datanode.meta.op.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.ring.RingPlanner;
import io.vdfs.common.wire.proto.ClusterRecordProto;
import io.vdfs.common.wire.proto.ClusterRecordQuery;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.RecordClusterOp;
import io.vdfs.datanode.meta.MetadataHarness;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RecordClusterOperationTest {
  private static final RingMap FIRST =
      RingPlanner.plan(Optional.empty(), List.of(node(1000)), 3, MetadataHarness.GEOMETRY.arcs())
          .map();
  private static final RingMap SECOND = FIRST.withAddresses(List.of(node(2000)));

  private final MetadataHarness meta = new MetadataHarness();

  private static RingNode node(int port) {
    return new RingNode(new NodeId(new UUID(0, 1)), "host", port, 2, 3, 0, "/r", 1, 1);
  }

  private static ClusterProperties properties(int id, ClusterGeometry geometry) {
    return new ClusterProperties(
        new UUID(0, id), geometry, 3, 1, 0, "vdfs", "wheel", 1 << 20, Placement.TURN);
  }

  private static ClusterRecordProto record(int id, RingMap ring) {
    return ClusterRecordProto.newBuilder()
        .setCluster(ClusterCodec.toProto(properties(id, MetadataHarness.GEOMETRY)))
        .setRing(RingCodec.toProto(ring))
        .build();
  }

  private MetaRequest.Builder write(long knownEpoch, ClusterRecordProto record) {
    return meta.request()
        .setRecordCluster(RecordClusterOp.newBuilder().setKnownEpoch(knownEpoch).setRecord(record));
  }

  private ClusterRecordProto recorded() {
    return meta.answer(meta.request().setClusterRecord(ClusterRecordQuery.getDefaultInstance()))
        .getClusterRecord();
  }

  @Test
  void shouldRecordOneMapAfterTheOtherAndKeepTheLastInSnapshots() throws IOException {
    assertFalse(recorded().hasCluster());
    meta.ok(write(0, record(1, FIRST)));
    assertEquals(record(1, FIRST), recorded());
    meta.ok(write(1, record(1, SECOND)));
    assertEquals(record(1, SECOND), recorded());
    MetadataHarness reloaded = meta.reloaded();
    assertEquals(meta.saved(), reloaded.saved());
    assertEquals(
        record(1, SECOND),
        reloaded
            .answer(meta.request().setClusterRecord(ClusterRecordQuery.getDefaultInstance()))
            .getClusterRecord());
  }

  @Test
  void shouldNeverGoBack() {
    meta.ok(write(0, record(1, SECOND)));
    meta.refuse(ErrorCode.STALE_RING, write(2, record(1, FIRST)));
    meta.refuse(ErrorCode.STALE_RING, write(2, record(1, SECOND)));
    meta.refuse(ErrorCode.STALE_RING, write(0, record(1, FIRST)));
  }

  @Test
  void shouldRefuseALeaderThatDoesNotKnowTheRecordedMap() {
    meta.refuse(ErrorCode.STALE_RING, write(1, record(1, SECOND)));
    meta.ok(write(0, record(1, FIRST)));
    meta.refuse(ErrorCode.STALE_RING, write(0, record(1, SECOND)));
  }

  @Test
  void shouldRefuseAnotherClusterOrGeometry() {
    meta.ok(write(0, record(1, FIRST)));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, write(1, record(2, SECOND)));
    ClusterGeometry other = new ClusterGeometry(2048, 4, 512, 12);
    meta.refuse(
        ErrorCode.INVALID_ARGUMENT,
        write(
            1,
            record(1, SECOND).toBuilder()
                .setCluster(ClusterCodec.toProto(properties(1, other)))
                .build()));
    RingMap wide = RingPlanner.plan(Optional.empty(), List.of(node(1)), 3, 24).map();
    meta.refuse(ErrorCode.INVALID_ARGUMENT, write(1, record(1, wide)));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, write(1, ClusterRecordProto.getDefaultInstance()));
  }

  @Test
  void shouldRefuseAMapThatPlacesFilesByAnotherOrAnUnknownRule() {
    RingMap other = FIRST.placing(Placement.HASH);
    meta.refuse(ErrorCode.INVALID_ARGUMENT, write(0, record(1, other)));
    ClusterRecordProto.Builder unknown = record(1, FIRST).toBuilder();
    unknown.getRingBuilder().setPlacement(4);
    meta.refuse(ErrorCode.INVALID_ARGUMENT, write(0, unknown.build()));
    unknown = record(1, FIRST).toBuilder();
    unknown.getClusterBuilder().setPlacement(0);
    meta.refuse(ErrorCode.INVALID_ARGUMENT, write(0, unknown.build()));
    meta.ok(write(0, record(1, FIRST)));
  }

  @Test
  void shouldBeForSuperusersOnly() {
    meta.as(MetadataHarness.ALICE).refuse(ErrorCode.PERMISSION_DENIED, write(0, record(1, FIRST)));
  }
}
