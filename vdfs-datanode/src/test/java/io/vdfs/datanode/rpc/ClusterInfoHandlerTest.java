package io.vdfs.datanode.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.cluster.record.LiveNode;
import io.vdfs.common.cluster.record.MetadataGroup;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ClusterInfoRequest;
import io.vdfs.common.wire.proto.ClusterInfoResponse;
import io.vdfs.common.wire.proto.NodeSpaceProto;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ClusterInfoHandlerTest {
  private final RpcFixture node = new RpcFixture();

  private ClusterInfoResponse ask(long knownEpoch) throws Exception {
    RingMap ring = node.ring();
    LiveNode live =
        new LiveNode(
            ring.node(node.self).orElseThrow(),
            UUID.randomUUID(),
            Instant.EPOCH,
            Duration.ofSeconds(10),
            true);
    MetadataGroup group =
        new MetadataGroup(UUID.randomUUID(), List.of(new MetadataMember(node.other, "host", 9862)));
    ClusterSnapshot snapshot =
        new ClusterSnapshot(Optional.of(ring), Map.of(node.self, live), Optional.of(group), true);
    ClusterProperties properties =
        new ClusterProperties(
            UUID.randomUUID(),
            ClusterGeometry.DEFAULT,
            3,
            2,
            1,
            "hdfs",
            "admins",
            1 << 20,
            Placement.TURN);
    ClusterInfoHandler handler =
        new ClusterInfoHandler(
            "demo",
            properties,
            () -> snapshot,
            () -> Optional.of(node.other),
            node.self,
            () -> Optional.of(NodeSpaceProto.newBuilder().setCapacity(7).build()),
            60);
    byte[] body =
        ClusterInfoRequest.newBuilder().setKnownRingEpoch(knownEpoch).build().toByteArray();
    return ClusterInfoResponse.parseFrom(
        handler.handle(RpcFixture.call("ann", body)).toCompletableFuture().join());
  }

  @Test
  void shouldTellWhatItKnows() throws Exception {
    ClusterInfoResponse response = ask(0);
    assertFalse(response.hasError());
    assertEquals("demo", response.getClusterName());
    assertEquals("hdfs", response.getCluster().getSuperuser());
    assertEquals(node.ring(), RingCodec.fromProto(response.getRing()));
    assertEquals(List.of(WireIds.encode(node.self)), response.getLiveNodesList());
    assertEquals(List.of(WireIds.encode(node.other)), response.getMetadataMembersList());
    assertEquals(WireIds.encode(node.other), response.getLeader());
    assertEquals(WireIds.encode(node.self), response.getSelf());
    assertEquals(7, response.getSpace().getCapacity());
    assertEquals(60, response.getTrashMinutes());
  }

  @Test
  void shouldLeaveOutARingMapThatTheClientHas() throws Exception {
    assertFalse(ask(1).hasRing());
    assertTrue(ask(2).hasRing());
  }
}
