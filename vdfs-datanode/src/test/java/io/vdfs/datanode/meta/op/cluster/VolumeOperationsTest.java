package io.vdfs.datanode.meta.op.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ClusterRecordProto;
import io.vdfs.common.wire.proto.ClusterRecordQuery;
import io.vdfs.common.wire.proto.GiveUpVolumesOp;
import io.vdfs.common.wire.proto.KnownVolumeProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.NodeVolumesProto;
import io.vdfs.common.wire.proto.ReportVolumesOp;
import io.vdfs.common.wire.proto.VolumeStateProto;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.meta.state.nodes.RecordedVolumes;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What nodes report of their volumes, and what operators decide about them. */
class VolumeOperationsTest {
  private static final VolumeStateProto SERVING = VolumeStateProto.VOLUME_SERVING;
  private static final VolumeStateProto SUSPECT = VolumeStateProto.VOLUME_SUSPECT;
  private static final VolumeStateProto FAILED = VolumeStateProto.VOLUME_FAILED;
  private static final VolumeStateProto GIVEN_UP = VolumeStateProto.VOLUME_GIVEN_UP;

  private final MetadataHarness meta = new MetadataHarness();

  private static UUID uuid(int number) {
    return new UUID(1, number);
  }

  private static ByteString id(int number) {
    return WireIds.encode(uuid(number));
  }

  private static NodeId node(int number) {
    return new NodeId(uuid(number));
  }

  private static KnownVolumeProto volume(int number, VolumeStateProto state) {
    return KnownVolumeProto.newBuilder()
        .setId(id(number))
        .setDirectory("/d" + number)
        .setCapacity(state == FAILED ? 0 : 1000L * number)
        .setState(state)
        .build();
  }

  private MetaRequest.Builder report(int node, KnownVolumeProto... volumes) {
    NodeVolumesProto.Builder report =
        NodeVolumesProto.newBuilder().setNode(id(node)).addAllVolumes(List.of(volumes));
    return meta.request().setReportVolumes(ReportVolumesOp.newBuilder().setVolumes(report));
  }

  private MetaRequest.Builder giveUp(int node, int... volumes) {
    GiveUpVolumesOp.Builder op = GiveUpVolumesOp.newBuilder().setNode(id(node));
    IntStream.of(volumes).forEach(volume -> op.addVolumes(id(volume)));
    return meta.request().setGiveUpVolumes(op);
  }

  private ClusterRecordProto record() {
    return meta.answer(meta.request().setClusterRecord(ClusterRecordQuery.getDefaultInstance()))
        .getClusterRecord();
  }

  private RecordedVolumes recorded() {
    return RecordedVolumes.of(record());
  }

  private VolumeStateProto state(int node, int volume) {
    return recorded().of(node(node)).get(uuid(volume)).getState();
  }

  @Test
  void shouldRecordWhatEachNodeReportsLast() throws IOException {
    meta.ok(report(2, volume(22, SERVING), volume(21, SERVING)));
    meta.ok(report(1, volume(11, SERVING)));
    assertEquals(Set.of(node(1), node(2)), recorded().nodes());
    assertEquals(0, recorded().bad(recorded().nodes()));
    meta.ok(report(2, volume(22, FAILED), volume(23, SUSPECT)));
    assertEquals(Set.of(uuid(22), uuid(23)), recorded().of(node(2)).keySet());
    assertEquals(2, recorded().bad(recorded().nodes()));
    KnownVolumeProto failed = recorded().of(node(2)).get(uuid(22));
    assertEquals(FAILED, failed.getState());
    assertEquals(22_000, failed.getCapacity(), "as it was when it served");
    assertEquals(meta.saved(), meta.reloaded().saved());
    ByteString before = meta.saved();
    meta.ok(report(2, volume(23, SUSPECT), volume(22, FAILED)));
    assertEquals(before, meta.saved(), "the same in another order");
  }

  @Test
  void shouldKeepVolumesWhenTheRingMapIsRecorded() {
    meta.ok(report(1, volume(11, SERVING)));
    RingNode known = new RingNode(node(1), "host", 1, 2, 3, 0, "/r", 1, 1);
    ArcReplicas arc = new ArcReplicas(List.of(known.id()), List.of());
    List<ArcReplicas> arcs = Collections.nCopies(MetadataHarness.GEOMETRY.arcs(), arc);
    meta.recordRing(0, new RingMap(1, 1, Placement.TURN, arcs, Map.of(known.id(), known)));
    assertEquals(SERVING, state(1, 11));
  }

  @Test
  void shouldKeepAVolumeGivenUpUntilItServesOrItsNodeForgetsIt() {
    meta.ok(report(1, volume(11, FAILED), volume(12, SERVING), volume(13, SUSPECT)));
    meta.ok(giveUp(1, 11, 13));
    assertEquals(Set.of(uuid(11), uuid(13)), recorded().givenUp());
    assertEquals(0, recorded().bad(List.of(node(1))));
    ByteString before = meta.saved();
    meta.ok(giveUp(1, 13));
    assertEquals(before, meta.saved());

    meta.ok(report(1, volume(11, FAILED), volume(12, SERVING), volume(13, FAILED)));
    assertEquals(GIVEN_UP, state(1, 11));
    assertEquals(GIVEN_UP, state(1, 13));
    meta.ok(report(1, volume(11, FAILED), volume(12, SERVING), volume(13, SERVING)));
    assertEquals(SERVING, state(1, 13));
    meta.ok(report(1, volume(12, SERVING), volume(13, SERVING), volume(14, SERVING)));
    assertEquals(Set.of(), recorded().givenUp());
    assertEquals(Set.of(uuid(12), uuid(13), uuid(14)), recorded().of(node(1)).keySet());
  }

  @Test
  void shouldRefuseToGiveUpWhatTheNodeDoesNotHave() {
    meta.ok(report(1, volume(11, FAILED)));
    meta.ok(report(2, volume(21, FAILED)));
    meta.refuse(ErrorCode.NOT_FOUND, giveUp(3, 11));
    meta.refuse(ErrorCode.NOT_FOUND, giveUp(1, 11, 12));
    meta.refuse(ErrorCode.NOT_FOUND, giveUp(1, 21));
    String other = meta.apply(giveUp(1, 21)).getError().getMessage();
    for (Object part : List.of(node(1), uuid(21), "of node=" + node(2), uuid(11) + " at /d11")) {
      assertTrue(other.contains(part.toString()), other);
    }
    meta.refuse(ErrorCode.INVALID_ARGUMENT, giveUp(1));
    MetaRequest.Builder odd = giveUp(1, 11);
    odd.getGiveUpVolumesBuilder().addVolumes(ByteString.copyFromUtf8("short"));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, odd);
    meta.as(MetadataHarness.ALICE);
    meta.refuse(ErrorCode.PERMISSION_DENIED, giveUp(1, 11));
    assertEquals(Set.of(), recorded().givenUp());
  }

  @Test
  void shouldRefuseReportsThatMakeNoSense() {
    meta.refuse(ErrorCode.INVALID_ARGUMENT, report(1));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, report(1, volume(11, SERVING), volume(11, FAILED)));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, report(1, volume(11, GIVEN_UP)));
    KnownVolumeProto good = volume(11, SERVING);
    for (KnownVolumeProto bad :
        List.of(
            good.toBuilder().setId(ByteString.copyFromUtf8("short")).build(),
            good.toBuilder().setDirectory("/".repeat(5000)).build(),
            good.toBuilder().setCapacity(-1).build(),
            good.toBuilder().setStateValue(77).build())) {
      meta.refuse(ErrorCode.INVALID_ARGUMENT, report(1, bad));
    }
    KnownVolumeProto[] tooMany =
        IntStream.range(100, 613)
            .mapToObj(number -> volume(number, SERVING))
            .toArray(KnownVolumeProto[]::new);
    meta.refuse(ErrorCode.INVALID_ARGUMENT, report(1, tooMany));
    meta.as(MetadataHarness.ALICE);
    meta.refuse(ErrorCode.PERMISSION_DENIED, report(1, good));
    assertEquals(Set.of(), recorded().nodes());
  }

  @Test
  void shouldForgetNodesOutsideTheRingMapWhereThereAreVeryMany() {
    RingNode known = new RingNode(node(1), "host", 1, 2, 3, 0, "/r", 1, 1);
    ArcReplicas arc = new ArcReplicas(List.of(known.id()), List.of());
    List<ArcReplicas> arcs = Collections.nCopies(MetadataHarness.GEOMETRY.arcs(), arc);
    meta.recordRing(0, new RingMap(1, 1, Placement.TURN, arcs, Map.of(known.id(), known)));
    IntStream.rangeClosed(1, 1000).forEach(node -> meta.ok(report(node, volume(1, SERVING))));
    assertEquals(1000, recorded().nodes().size());
    meta.ok(report(1001, volume(1, SERVING)));
    assertEquals(Set.of(node(1), node(1001)), recorded().nodes());
  }
}
