package io.vdfs.datanode.meta.op;

import static io.vdfs.datanode.CpuTime.assertCpuTime;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.BeginRecoveryOp;
import io.vdfs.common.wire.proto.ChangeRingOp;
import io.vdfs.common.wire.proto.FinishRecoveryOp;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.SetAttributesOp;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.meta.state.settings.MetadataSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Files of very many groups, with the usual limits: a writer may claim any length. */
class HugeFileTest {
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(8 << 20, 16, 64 << 10, 12);
  private static final long PETABYTE = 1L << 50;
  private static final int TEN_TERABYTES = 81_920; // groups
  private static final int LIMIT = 16_384;

  private final MetadataHarness meta = new MetadataHarness(MetadataSettings.of(GEOMETRY, "vdfs"));

  private static NodeId node(int number) {
    try {
      return WireIds.nodeId(MetadataHarness.id(number));
    } catch (VdfsException e) {
      throw new AssertionError(e);
    }
  }

  private static RingNode ringNode(int number) {
    return new RingNode(node(number), "host" + number, 1, 2, 3, 0, "/r", 1, 1);
  }

  /** Records a ring whose arcs have these lists in turn. */
  private void ring(int[]... lists) {
    Map<NodeId, RingNode> nodes = new TreeMap<>();
    for (int number = 1; number <= 4; number++) {
      nodes.put(node(number), ringNode(number));
    }
    List<ArcReplicas> arcs = new ArrayList<>();
    for (int arc = 0; arc < GEOMETRY.arcs(); arc++) {
      int[] list = lists[arc % lists.length];
      arcs.add(
          new ArcReplicas(IntStream.of(list).mapToObj(HugeFileTest::node).toList(), List.of()));
    }
    meta.recordRing(0, new RingMap(1, 3, Placement.TURN, arcs, nodes));
  }

  /** Makes a closed file of so many bytes. */
  private void file(long length, int copies) {
    long file = meta.open("/f", 9).getFileId();
    meta.ok(
        meta.request()
            .setBeginRecovery(
                BeginRecoveryOp.newBuilder().setFile(MetadataHarness.key(file)).setWriteEpoch(1)));
    meta.ok(
        meta.request()
            .setFinishRecovery(
                FinishRecoveryOp.newBuilder()
                    .setFile(MetadataHarness.key(file))
                    .setWriteEpoch(2)
                    .setLength(length)));
    meta.ok(replicate(copies));
  }

  private MetaRequest.Builder replicate(int replication) {
    return meta.request()
        .setSetAttributes(
            SetAttributesOp.newBuilder()
                .setPath("/f")
                .setReplication(replication)
                .setRingCopies(3));
  }

  private static String tooMany(int exclusions) {
    return "too many nodes lack groups of one file: exclusions=%d, limit=%d"
        .formatted(exclusions, LIMIT);
  }

  private void refuseToRaise(int exclusions, Duration limit) {
    MetaResponse refused = assertCpuTime(limit, () -> meta.apply(replicate(2)));
    assertEquals(ErrorCode.QUOTA_EXCEEDED.name(), refused.getError().getCode());
    assertEquals(tooMany(exclusions), refused.getError().getMessage());
    assertEquals(1, meta.status("/f").getReplication());
    assertEquals(List.of(), meta.leftOut("/f"));
  }

  @Test
  void shouldRaiseTheReplicationOfALargeFileQuickly() {
    int[][] lists = new int[GEOMETRY.arcs()][];
    Arrays.setAll(lists, arc -> arc == 0 ? new int[] {2, 1, 3} : new int[] {1, 2, 3});
    ring(lists);
    file(TEN_TERABYTES * GEOMETRY.groupSize(), 1);
    assertCpuTime(Duration.ofSeconds(1), () -> meta.ok(replicate(2)));
    assertEquals(2, meta.status("/f").getReplication());
    // 1 and 2 lack each other's groups, 3 lacks all
    List<String> leftOut = meta.leftOut("/f");
    assertTrue(leftOut.size() > 13_600 && leftOut.size() < 13_700, "ranges=" + leftOut.size());
    assertTrue(leftOut.contains("3:0-" + TEN_TERABYTES));
  }

  @Test
  void shouldRefuseToRaiseTheReplicationOfALargeFileQuickly() {
    ring(new int[] {1, 2, 3}, new int[] {2, 3, 1}, new int[] {3, 1, 2});
    file(TEN_TERABYTES * GEOMETRY.groupSize(), 1);
    refuseToRaise(TEN_TERABYTES + 1, Duration.ofSeconds(1));
  }

  @Test
  void shouldRefuseToRaiseTheReplicationOfAFileOfAClaimedLength() {
    ring(new int[] {1, 2, 3}, new int[] {2, 3, 1}, new int[] {3, 1, 2});
    file(PETABYTE, 1);
    refuseToRaise(GEOMETRY.groupCount(PETABYTE) + 1, Duration.ofSeconds(10));
  }

  @Test
  void shouldChangeTheRingWithAFileOfAClaimedLength() {
    ring(new int[] {1, 2, 3});
    file(PETABYTE, 2);
    // node 1 is given up, so that 3 becomes a keeper without a copy
    ChangeRingOp.Builder change = ChangeRingOp.newBuilder().setKnownEpoch(1);
    IntStream.of(2, 3, 4).forEach(number -> change.addPresent(RingCodec.toProto(ringNode(number))));
    assertCpuTime(Duration.ofSeconds(2), () -> meta.ok(meta.request().setChangeRing(change)));
    assertEquals(Set.of(node(2), node(3)), Set.copyOf(meta.ring().arcs().get(0).serving()));
    assertEquals(List.of(), meta.leftOut("/f"), "so many groups cannot be recorded");
  }
}
