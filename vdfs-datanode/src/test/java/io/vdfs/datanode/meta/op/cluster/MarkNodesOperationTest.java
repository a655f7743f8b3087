package io.vdfs.datanode.meta.op.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ChangeRingOp;
import io.vdfs.common.wire.proto.ClusterRecordQuery;
import io.vdfs.common.wire.proto.CopiedGroupProto;
import io.vdfs.common.wire.proto.GroupKeyProto;
import io.vdfs.common.wire.proto.LiftExclusionsOp;
import io.vdfs.common.wire.proto.MarkNodesOp;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.NodeMarkProto;
import io.vdfs.common.wire.proto.PromoteOp;
import io.vdfs.common.wire.proto.ReportLackingOp;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.meta.state.nodes.NodeMarks;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The decisions of operators about nodes, and the changes of the ring map that follow. */
class MarkNodesOperationTest {
  private static final int ARCS = MetadataHarness.GEOMETRY.arcs();
  private static final NodeMarkProto LEAVING = NodeMarkProto.MARK_LEAVING;
  private static final NodeMarkProto STAYING = NodeMarkProto.MARK_STAYING;
  private static final NodeMarkProto GONE = NodeMarkProto.MARK_GONE;

  private final MetadataHarness meta = new MetadataHarness();

  private static NodeId id(int number) {
    try {
      return WireIds.nodeId(MetadataHarness.id(number));
    } catch (VdfsException e) {
      throw new AssertionError(e);
    }
  }

  private static RingNode node(int number) {
    return new RingNode(id(number), "host" + number, 1, 2, 3, 0, "/r", 1, 1);
  }

  /** Five nodes, of which the first three serve all arcs. */
  @BeforeEach
  void record() {
    Map<NodeId, RingNode> table = new TreeMap<>();
    IntStream.rangeClosed(1, 5).forEach(number -> table.put(id(number), node(number)));
    ArcReplicas arc = new ArcReplicas(List.of(id(1), id(2), id(3)), List.of());
    meta.recordRing(0, new RingMap(1, 3, Placement.TURN, Collections.nCopies(ARCS, arc), table));
  }

  private MetaRequest.Builder mark(NodeMarkProto mark, int... nodes) {
    MarkNodesOp.Builder op = MarkNodesOp.newBuilder().setMark(mark);
    IntStream.of(nodes).forEach(number -> op.addNodes(MetadataHarness.id(number)));
    return meta.request().setMarkNodes(op);
  }

  private NodeMarks marks() {
    return NodeMarks.of(
        meta.answer(meta.request().setClusterRecord(ClusterRecordQuery.getDefaultInstance()))
            .getClusterRecord());
  }

  private static Set<NodeId> ids(int... numbers) {
    Set<NodeId> ids = new TreeSet<>();
    IntStream.of(numbers).forEach(number -> ids.add(id(number)));
    return ids;
  }

  /** Lets the ring map follow these nodes, all of which hold what they should. */
  private void change(int... present) {
    change(ids(), present);
  }

  private void change(Set<NodeId> back, int... present) {
    ChangeRingOp.Builder op = ChangeRingOp.newBuilder().setKnownEpoch(meta.ring().epoch());
    IntStream.of(present)
        .forEach(
            number ->
                op.addPresent(RingCodec.toProto(node(number)))
                    .addConfirmed(MetadataHarness.id(number)));
    back.forEach(node -> op.addBack(WireIds.encode(node)));
    meta.ok(meta.request().setChangeRing(op.setAcceptMassLoss(true)));
  }

  private void promoteAll() {
    for (int number = 1; number <= 5; number++) {
      PromoteOp.Builder op = PromoteOp.newBuilder().setNode(MetadataHarness.id(number));
      IntStream.range(0, ARCS).forEach(op::addArcs);
      meta.ok(meta.request().setPromote(op));
    }
  }

  private static GroupKeyProto group(long file) {
    return GroupKeyProto.newBuilder().setFile(MetadataHarness.key(file)).build();
  }

  private boolean isListed(int number) {
    return meta.ring().members().contains(id(number));
  }

  @Test
  void shouldKeepWhatWasDecidedUntilItIsTakenBack() throws IOException {
    meta.ok(mark(LEAVING, 2, 4));
    meta.ok(mark(GONE, 5));
    assertEquals(new NodeMarks(ids(2, 4), ids(5)), marks());
    assertEquals(meta.saved(), meta.reloaded().saved());
    // the record goes on to another map
    RingMap map = meta.ring();
    meta.recordRing(1, new RingMap(2, 3, map.placement(), map.arcs(), map.nodes()));
    assertEquals(new NodeMarks(ids(2, 4), ids(5)), marks());
    meta.ok(mark(STAYING, 4, 5, 1));
    assertEquals(new NodeMarks(ids(2), ids()), marks());
    ByteString before = meta.saved();
    meta.ok(mark(LEAVING, 2));
    assertEquals(before, meta.saved());
  }

  @Test
  void shouldRefuseWhatMakesNoSense() {
    meta.refuse(ErrorCode.NOT_FOUND, mark(LEAVING, 9));
    meta.refuse(ErrorCode.NOT_FOUND, mark(GONE, 1, 9));
    meta.refuse(ErrorCode.NOT_FOUND, mark(STAYING, 9));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, mark(LEAVING));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, mark(LEAVING, 1, 2, 3));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, mark(GONE, 1, 2, 3, 4, 5));
    meta.refuse(
        ErrorCode.INVALID_ARGUMENT,
        meta.request()
            .setMarkNodes(
                MarkNodesOp.newBuilder()
                    .setMark(LEAVING)
                    .addNodes(ByteString.copyFromUtf8("short"))));
    meta.refuse(
        ErrorCode.INVALID_ARGUMENT,
        meta.request()
            .setMarkNodes(
                MarkNodesOp.newBuilder().setMarkValue(77).addNodes(MetadataHarness.id(1))));
    meta.ok(mark(GONE, 4));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, mark(LEAVING, 4));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, mark(LEAVING, 1, 2));
    meta.as(MetadataHarness.ALICE);
    meta.refuse(ErrorCode.PERMISSION_DENIED, mark(LEAVING, 1));
  }

  @Test
  void shouldLetANodeLeaveOnlyBehindThoseThatTakeItsPlaces() {
    long file = meta.file("/f", MetadataHarness.GROUP);
    meta.ok(mark(LEAVING, 1));
    change(1, 2, 3, 4, 5);
    assertEquals(ARCS, meta.ring().arcs().stream().mapToInt(arc -> arc.joining().size()).sum());
    meta.ring().arcs().forEach(arc -> assertTrue(arc.serving().contains(id(1))));
    promoteAll();
    meta.ring().arcs().forEach(arc -> assertEquals(id(1), arc.serving().get(3)));
    change(1, 2, 3, 4, 5);
    assertEquals(
        1,
        meta.ring().arcs().stream().filter(arc -> arc.contains(id(1))).count(),
        "where the one who came lacks the file that it did not see");
    for (int number = 2; number <= 5; number++) {
      meta.ok(
          meta.request()
              .setLiftExclusions(
                  LiftExclusionsOp.newBuilder()
                      .setNode(MetadataHarness.id(number))
                      .addCopied(
                          CopiedGroupProto.newBuilder()
                              .setGroup(group(file))
                              .setLength(MetadataHarness.GROUP))));
    }
    change(1, 2, 3, 4, 5);
    assertFalse(isListed(1));
    assertTrue(meta.ring().node(id(1)).isPresent(), "as long as it is there");
    change(2, 3, 4, 5);
    assertTrue(meta.ring().node(id(1)).isEmpty());
    assertEquals(ids(1), marks().leaving(), "it would join again otherwise");
    change(1, 2, 3, 4, 5);
    assertFalse(isListed(1));
  }

  @Test
  void shouldForgetThatANodeIsGoneOnceItIsOffTheMapOrBack() {
    meta.ok(mark(GONE, 3, 5));
    change(1, 2, 4, 5);
    assertEquals(ids(5), marks().gone(), "it may only be waited for");
    assertTrue(meta.ring().node(id(3)).isEmpty());
    change(ids(5), 1, 2, 4, 5);
    assertEquals(NodeMarks.NONE, marks());
    assertTrue(meta.ring().node(id(5)).isPresent());
  }

  @Test
  void shouldNotGiveUpTheLastCopiesUnlessToldTo() {
    meta.mkdir("/d");
    long file = meta.file("/d/f", MetadataHarness.GROUP);
    for (int number = 1; number <= 2; number++) {
      meta.ok(
          meta.request()
              .setReportLacking(
                  ReportLackingOp.newBuilder()
                      .setNode(MetadataHarness.id(number))
                      .addGroups(group(file))));
    }
    String refusal = meta.apply(mark(GONE, 3)).getError().getMessage();
    assertTrue(refusal.contains("groups=1"), refusal);
    assertTrue(refusal.contains("/d/f"), refusal);
    meta.ok(mark(GONE, 1));
    MetaRequest.Builder accepting = mark(GONE, 3);
    accepting.getMarkNodesBuilder().setAcceptLoss(true);
    meta.ok(accepting);
    assertEquals(ids(1, 3), marks().gone());
  }
}
