package io.vdfs.common.ring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.ArcProto;
import io.vdfs.common.wire.proto.RingMapProto;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class RingCodecTest {
  private static final RingMap MAP = map(new Random(7));

  @Test
  void shouldDecodeWhatItEncodes() throws VdfsException {
    for (int seed = 0; seed < 50; seed++) {
      RingMap map = map(new Random(seed));
      assertEquals(map, RingCodec.decode(RingCodec.encode(map)));
    }
  }

  @Test
  void shouldEncodeEqualMapsToEqualBytes() throws VdfsException {
    assertArrayEquals(RingCodec.encode(MAP), RingCodec.encode(map(new Random(7))));
  }

  @Test
  void shouldNeverAnswerHostileBytesOtherwiseThanWithInvalidArgument() throws VdfsException {
    byte[] valid = RingCodec.encode(MAP);
    Random random = new Random(1);
    int refused = 0;
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = valid.clone();
      for (int flips = random.nextInt(4); flips >= 0; flips--) {
        bytes[random.nextInt(round % 2 == 0 ? bytes.length : 120)] = (byte) random.nextInt(256);
      }
      try {
        RingCodec.decode(bytes);
      } catch (VdfsException e) {
        assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
        refused++;
      }
    }
    assertTrue(refused > 1000, "refused=" + refused);
  }

  @Test
  void shouldRefuseWhatIsNoMap() {
    assertRefused("not a ring map", new byte[] {1, 2, 3});
    assertRefused("version=0", new byte[0]);
    assertRefused("ring map too large: bytes=1000001", new byte[RingCodec.MAX_BYTES + 1]);
  }

  @Test
  void shouldNameTheOffendingValue() {
    assertRefused("version=9", proto -> proto.setFormatVersion(9));
    assertRefused("epoch=0", proto -> proto.setEpoch(0));
    assertRefused("epoch=-1", proto -> proto.setEpoch(-1));
    assertRefused("replication=0", proto -> proto.setReplication(0));
    assertRefused("arcs=0", RingMapProto.Builder::clearArcs);
    assertRefused("listed twice", proto -> proto.addNodes(proto.getNodes(0)));
    assertRefused("arc=3, index=77", proto -> proto.getArcsBuilder(3).addJoining(77));
    assertRefused("index=4294967295", proto -> proto.getArcsBuilder(0).addServing(-1));
    assertRefused("listed twice", proto -> proto.getArcsBuilder(0).addServing(0).addServing(0));
    assertRefused("serving node", proto -> proto.setArcs(0, ArcProto.getDefaultInstance()));
    assertRefused("too many members", RingCodecTest::crowd);
    assertRefused("controlPort=0", proto -> proto.getNodesBuilder(0).setControlPort(0));
    assertRefused("raftPort=65536", proto -> proto.getNodesBuilder(0).setRaftPort(65_536));
    assertRefused("host=a?b", proto -> proto.getNodesBuilder(0).setHost("a\nb"));
    assertRefused("cores=0", proto -> proto.getNodesBuilder(0).setCores(0));
    assertRefused("weight=NaN", proto -> proto.getNodesBuilder(0).setWeight(Double.NaN));
    assertRefused("bytes=3", proto -> proto.getNodesBuilder(0).setId(ByteString.fromHex("010203")));
  }

  private static void crowd(RingMapProto.Builder proto) {
    for (int i = 0; i < 40; i++) {
      proto.getArcsBuilder(0).addServing(0);
    }
  }

  private static void assertRefused(String expected, Consumer<RingMapProto.Builder> harm) {
    RingMapProto.Builder proto = RingCodec.toProto(MAP).toBuilder();
    harm.accept(proto);
    assertRefused(expected, proto.build().toByteArray());
  }

  private static void assertRefused(String expected, byte[] bytes) {
    VdfsException e = assertThrows(VdfsException.class, () -> RingCodec.decode(bytes));
    assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
    assertTrue(e.getMessage().contains(expected), e.getMessage());
  }

  /** A map with joining nodes. */
  private static RingMap map(Random random) {
    List<RingNode> nodes = new ArrayList<>(RingNodes.dealt(random, 4, 2));
    RingMap fresh = RingPlanner.plan(Optional.empty(), nodes, 3, 60).map();
    nodes.add(RingNodes.random(random, "/rack-0", 0.5));
    return RingPlanner.plan(Optional.of(fresh), nodes, 3, 60).map();
  }
}
