package io.vdfs.common.cluster.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ClusterProto;
import io.vdfs.common.wire.proto.MetadataGroupProto;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class ClusterCodecTest {
  private static final ClusterProperties PROPERTIES =
      new ClusterProperties(
          new UUID(3, 4),
          ClusterGeometry.DEFAULT,
          3,
          5,
          3,
          "vdfs",
          "supergroup",
          128L << 20,
          Placement.TURN);
  private static final RingNode NODE =
      new RingNode(
          new NodeId(new UUID(1, 2)), "host-1", 9860, 9861, 9862, 0, "/default-rack", 4, 1);
  private static final LiveNode LIVE =
      new LiveNode(
          NODE,
          new UUID(5, 6),
          Instant.ofEpochMilli(1_700_000_000_123L),
          Duration.ofSeconds(10),
          true);
  private static final MetadataGroup GROUP =
      new MetadataGroup(new UUID(7, 8), List.of(MetadataMember.of(NODE)));

  @Test
  void shouldDecodeWhatItEncodes() throws VdfsException {
    assertEquals(PROPERTIES, ClusterCodec.decodeProperties(ClusterCodec.encode(PROPERTIES)));
    assertEquals(LIVE, ClusterCodec.decodeNode(ClusterCodec.encode(LIVE)));
    assertEquals(GROUP, ClusterCodec.decodeMetadataGroup(ClusterCodec.encode(GROUP)));
    MetadataGroup recovered =
        new MetadataGroup(
            new UUID(9, 9), GROUP.members(), 77, List.of(GROUP.groupId(), new UUID(1, 0)));
    assertEquals(recovered, ClusterCodec.decodeMetadataGroup(ClusterCodec.encode(recovered)));
  }

  @Test
  void shouldNeverAnswerHostileBytesOtherwiseThanWithInvalidArgument() {
    Random random = new Random(1);
    for (byte[] valid :
        List.of(
            ClusterCodec.encode(PROPERTIES),
            ClusterCodec.encode(LIVE),
            ClusterCodec.encode(GROUP))) {
      int refused = 0;
      for (int round = 0; round < 5000; round++) {
        byte[] bytes = valid.clone();
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        refused += decodeAll(bytes);
      }
      assertTrue(refused > 10_000, "refused=" + refused);
    }
  }

  @Test
  void shouldNameTheOffendingValue() {
    assertRefused("version=1", proto -> proto.setFormatVersion(1));
    assertRefused("blockSize=-1", proto -> proto.setBlockSize(-1));
    assertRefused("arcs=0", proto -> proto.setArcs(0));
    assertRefused("replication=0", proto -> proto.setReplication(0));
    assertRefused("metadataMembers=6", proto -> proto.setMetadataMembers(6));
    assertRefused("superuser=a?b", proto -> proto.setSuperuser("a\nb"));
    assertRefused("minimumSplitBytes=-5", proto -> proto.setMinimumSplitBytes(-5));
  }

  @Test
  void shouldRefuseAMetadataGroupWithoutOrWithDoubleMembers() {
    MetadataGroupProto.Builder proto =
        MetadataGroupProto.newBuilder()
            .setFormatVersion(1)
            .setGroupId(WireIds.encode(new UUID(1, 1)));
    assertThrows(
        VdfsException.class, () -> ClusterCodec.decodeMetadataGroup(proto.build().toByteArray()));
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new MetadataGroup(
                new UUID(1, 1), List.of(GROUP.members().get(0), GROUP.members().get(0))));
  }

  @Test
  void shouldTellInitialMembers() {
    assertTrue(GROUP.hasMember(NODE.id()));
    assertEquals(false, GROUP.hasMember(new NodeId(new UUID(9, 9))));
  }

  private static int decodeAll(byte[] bytes) {
    int refused = 0;
    for (Decoder decoder :
        List.<Decoder>of(
            ClusterCodec::decodeProperties,
            ClusterCodec::decodeNode,
            ClusterCodec::decodeMetadataGroup)) {
      try {
        decoder.decode(bytes);
      } catch (VdfsException e) {
        assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
        refused++;
      }
    }
    return refused;
  }

  private static void assertRefused(String expected, Consumer<ClusterProto.Builder> harm) {
    ClusterProto.Builder proto = ClusterCodec.toProto(PROPERTIES).toBuilder();
    harm.accept(proto);
    VdfsException e =
        assertThrows(VdfsException.class, () -> ClusterCodec.fromProto(proto.build()));
    assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
    assertTrue(e.getMessage().contains(expected), e.getMessage());
  }

  private interface Decoder {
    Object decode(byte[] bytes) throws VdfsException;
  }
}
