package io.vdfs.datanode.meta.op.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.ring.RingPlanner;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ChangeRingOp;
import io.vdfs.common.wire.proto.GroupKeyProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.NodeWeightProto;
import io.vdfs.common.wire.proto.PromoteOp;
import io.vdfs.common.wire.proto.ReportLackingOp;
import io.vdfs.common.wire.proto.WeighNodesOp;
import io.vdfs.datanode.meta.MetadataHarness;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The effect of the weights that operators give to nodes. */
class WeighNodesOperationTest {
  private static final int ARCS = MetadataHarness.GEOMETRY.arcs();
  private static final int NODES = 5;

  private final MetadataHarness meta = new MetadataHarness();

  private static NodeId id(int number) {
    try {
      return WireIds.nodeId(MetadataHarness.id(number));
    } catch (VdfsException e) {
      throw new AssertionError(e);
    }
  }

  private static RingNode node(int number, double weight) {
    return new RingNode(id(number), "host" + number, 1, 2, 3, 0, "/r", 1, weight);
  }

  @BeforeEach
  void record() {
    List<RingNode> nodes = new ArrayList<>();
    IntStream.rangeClosed(1, NODES).forEach(number -> nodes.add(node(number, 1)));
    meta.recordRing(0, RingPlanner.plan(Optional.empty(), nodes, 3, ARCS).map());
  }

  private MetaRequest.Builder weigh(double weight, int... nodes) {
    WeighNodesOp.Builder op = WeighNodesOp.newBuilder();
    IntStream.of(nodes)
        .forEach(
            number ->
                op.addWeights(
                    NodeWeightProto.newBuilder()
                        .setNode(MetadataHarness.id(number))
                        .setWeight(weight)));
    return meta.request().setWeighNodes(op);
  }

  /** All nodes are there, and publish this weight. */
  private void follow(double published) {
    ChangeRingOp.Builder op = ChangeRingOp.newBuilder().setKnownEpoch(meta.ring().epoch());
    IntStream.rangeClosed(1, NODES)
        .forEach(
            number ->
                op.addPresent(RingCodec.toProto(node(number, published)))
                    .addConfirmed(MetadataHarness.id(number)));
    meta.ok(meta.request().setChangeRing(op));
  }

  private int places(int node) {
    return (int) meta.ring().arcs().stream().filter(arc -> arc.contains(id(node))).count();
  }

  private void promoteAll() {
    for (int number = 1; number <= NODES; number++) {
      PromoteOp.Builder op = PromoteOp.newBuilder().setNode(MetadataHarness.id(number));
      IntStream.range(0, ARCS).forEach(op::addArcs);
      meta.ok(meta.request().setPromote(op));
    }
  }

  private void settle() {
    for (long epoch = 0; epoch != meta.ring().epoch(); ) {
      epoch = meta.ring().epoch();
      follow(1);
      promoteAll();
    }
  }

  @Test
  void shouldMoveOnlyWhatTheWeightsOfTheRecordAskFor() throws IOException {
    RingMap before = meta.ring();
    follow(9);
    assertEquals(before, meta.ring(), "what a node publishes moves nothing");
    int even = places(1);
    meta.ok(weigh(3, 1));
    assertEquals(before.epoch() + 1, meta.ring().epoch());
    assertEquals(before.arcs(), meta.ring().arcs());
    assertEquals(3, meta.ring().node(id(1)).orElseThrow().weight());
    assertEquals(meta.saved(), meta.reloaded().saved());

    settle();
    assertTrue(places(1) >= even + even / 2, () -> "even=" + even + ", now=" + places(1));
    ByteString settled = meta.saved();
    meta.ok(weigh(3, 1));
    assertEquals(settled, meta.saved());
  }

  @Test
  void shouldRefuseWhatMakesNoSense() {
    meta.refuse(ErrorCode.NOT_FOUND, weigh(1, 1, 9));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, weigh(1));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, weigh(1, 2, 2));
    for (double weight : new double[] {0, -1, 1001, Double.NaN, Double.POSITIVE_INFINITY}) {
      meta.refuse(ErrorCode.INVALID_ARGUMENT, weigh(weight, 1));
    }
    meta.refuse(
        ErrorCode.INVALID_ARGUMENT,
        meta.request()
            .setWeighNodes(
                WeighNodesOp.newBuilder()
                    .addWeights(
                        NodeWeightProto.newBuilder().setNode(ByteString.copyFromUtf8("x")))));
    meta.refuse(ErrorCode.PERMISSION_DENIED, weigh(2, 1).setCaller(MetadataHarness.ALICE));
  }

  @Test
  void shouldRefuseWhileAnythingIsToBeCopied() {
    meta.ok(weigh(3, 1));
    follow(1);
    meta.refuse(ErrorCode.INVALID_ARGUMENT, weigh(1, 1));
    promoteAll();
    settle();
    long file = meta.file("/f", 10);
    NodeId keeper = meta.ring().replicas(file, 0).owner();
    meta.ok(
        meta.request()
            .setReportLacking(
                ReportLackingOp.newBuilder()
                    .setNode(WireIds.encode(keeper))
                    .addGroups(GroupKeyProto.newBuilder().setFile(MetadataHarness.key(file)))));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, weigh(1, 1));
  }
}
