package io.vdfs.datanode.meta.op;

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
import io.vdfs.common.wire.proto.ChangeRingResult;
import io.vdfs.common.wire.proto.GroupKeyProto;
import io.vdfs.common.wire.proto.ListHoldingsQuery;
import io.vdfs.common.wire.proto.ListLackingQuery;
import io.vdfs.common.wire.proto.MarkNodesOp;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.NodeMarkProto;
import io.vdfs.common.wire.proto.PromoteOp;
import io.vdfs.common.wire.proto.PromoteResult;
import io.vdfs.common.wire.proto.ReportLackingOp;
import io.vdfs.common.wire.proto.SetAttributesOp;
import io.vdfs.datanode.meta.MetadataHarness;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Checks how the recorded ring map changes. */
class RingOperationsTest {
  private static final long GROUP = MetadataHarness.GROUP;
  private static final int ARCS = MetadataHarness.GEOMETRY.arcs();

  private MetadataHarness meta = new MetadataHarness();

  private static ByteString id(int node) {
    return MetadataHarness.id(node);
  }

  private static NodeId nodeId(int number) {
    try {
      return WireIds.nodeId(id(number));
    } catch (VdfsException e) {
      throw new AssertionError(e);
    }
  }

  private static RingNode node(int number) {
    return new RingNode(nodeId(number), "host" + number, 1, 2, 3, 0, "/r", 1, 1);
  }

  private static ArcReplicas arc(List<Integer> joining, int... serving) {
    return new ArcReplicas(
        IntStream.of(serving).mapToObj(RingOperationsTest::nodeId).toList(),
        joining.stream().map(RingOperationsTest::nodeId).toList());
  }

  /** Records a first map in which every arc is like this one, of nodes 1 to {@code nodes}. */
  private void record(int nodes, ArcReplicas arc) {
    Map<NodeId, RingNode> table = new TreeMap<>();
    for (int number = 1; number <= nodes; number++) {
      table.put(nodeId(number), node(number));
    }
    RingMap map = new RingMap(1, 3, Placement.TURN, Collections.nCopies(ARCS, arc), table);
    meta.recordRing(0, map);
  }

  private static ChangeRingOp.Builder present(long epoch, int... nodes) {
    ChangeRingOp.Builder op = ChangeRingOp.newBuilder().setKnownEpoch(epoch);
    IntStream.of(nodes).forEach(number -> op.addPresent(RingCodec.toProto(node(number))));
    return op;
  }

  private static ChangeRingOp.Builder confirmed(ChangeRingOp.Builder op, int... nodes) {
    IntStream.of(nodes).forEach(number -> op.addConfirmed(id(number)));
    return op;
  }

  private MetaRequest.Builder change(ChangeRingOp.Builder op) {
    return meta.request().setChangeRing(op);
  }

  private ChangeRingResult changed(ChangeRingOp.Builder op) {
    return meta.ok(change(op)).getChangeRing();
  }

  private MetaRequest.Builder promote(int node, long sequence, Integer... arcs) {
    return meta.request()
        .setPromote(
            PromoteOp.newBuilder()
                .setNode(id(node))
                .setSequence(sequence)
                .addAllArcs(List.of(arcs)));
  }

  private PromoteResult promoted(int node, long sequence, Integer... arcs) {
    return meta.ok(promote(node, sequence, arcs)).getPromote();
  }

  private static Integer[] allArcs() {
    return IntStream.range(0, ARCS).boxed().toArray(Integer[]::new);
  }

  private long sequence() {
    return meta.answer(
            meta.request().setListHoldings(ListHoldingsQuery.newBuilder().setNode(id(1))))
        .getHoldings()
        .getSequence();
  }

  private void lacks(int node, long file, int group) {
    GroupKeyProto key =
        GroupKeyProto.newBuilder().setFile(MetadataHarness.key(file)).setGroup(group).build();
    assertEquals(
        1,
        meta.ok(
                meta.request()
                    .setReportLacking(
                        ReportLackingOp.newBuilder().setNode(id(node)).addGroups(key)))
            .getReportLacking()
            .getRecorded());
  }

  @Test
  void shouldFollowNodesThatComeAndGo() throws IOException {
    record(4, arc(List.of(), 1, 2, 3));
    ChangeRingResult result = changed(present(1, 1, 2, 4));
    assertEquals(2, result.getEpoch());
    assertEquals("CHANGED", result.getOutcome());
    assertEquals(ARCS, result.getMoved());
    RingMap ring = meta.ring();
    assertFalse(ring.node(nodeId(3)).isPresent());
    ring.arcs().forEach(arc -> assertEquals(List.of(nodeId(4)), arc.joining()));
    assertEquals(meta.saved(), meta.reloaded().saved());
  }

  @Test
  void shouldLeaveTheRecordWhereNothingChanges() {
    record(3, arc(List.of(), 1, 2, 3));
    // node 1 owns all arcs so far
    assertEquals(2, changed(present(1, 1, 2, 3)).getEpoch());
    ByteString before = meta.saved();
    ChangeRingResult result = changed(present(2, 1, 2, 3));
    assertEquals(2, result.getEpoch());
    assertEquals("UNCHANGED", result.getOutcome());
    assertEquals("TOO_FEW_NODES", changed(present(2, 1, 2)).getOutcome());
    assertEquals("FROZEN", changed(present(2, 1)).getOutcome());
    assertEquals(before, meta.saved());
  }

  @Test
  void shouldFollowWhatNodesPublishAnew() {
    record(3, arc(List.of(), 1, 2, 3));
    RingNode moved = new RingNode(nodeId(2), "elsewhere", 7, 8, 9, 0, "/r", 1, 1);
    ChangeRingResult result = changed(present(1, 1).addPresent(RingCodec.toProto(moved)));
    assertEquals(2, result.getEpoch());
    assertEquals(moved, meta.ring().node(nodeId(2)).orElseThrow());
    assertEquals(List.of(nodeId(1), nodeId(2), nodeId(3)), meta.ring().arcs().get(0).serving());
  }

  @Test
  void shouldFollowAMassLossOnlyWhereToldSo() {
    record(6, arc(List.of(), 1, 2, 3));
    assertEquals("FROZEN", changed(present(1, 1, 4, 5, 6)).getOutcome());
    assertEquals(1, meta.ring().epoch());
    assertEquals("CHANGED", changed(present(1, 1, 4, 5, 6).setAcceptMassLoss(true)).getOutcome());
    meta.ring().arcs().forEach(arc -> assertEquals(List.of(nodeId(1)), arc.serving()));
  }

  @Test
  void shouldTakeAPlaceOnlyWhereAllOthersAreConfirmed() {
    record(4, arc(List.of(), 1, 2, 3, 4));
    changed(confirmed(present(1, 1, 2, 3, 4), 1, 2));
    assertEquals(4, meta.ring().arcs().get(0).serving().size());
    changed(confirmed(present(meta.ring().epoch(), 1, 2, 3, 4), 1, 2, 3));
    meta.ring()
        .arcs()
        .forEach(
            arc -> {
              assertEquals(3, arc.serving().size());
              assertFalse(arc.serving().contains(nodeId(4)));
            });
  }

  @Test
  void shouldTakeNoPlaceFromANodeThatKeepsAGroupInThePlaceOfAnother() {
    record(4, arc(List.of(), 1, 2, 3, 4));
    long file = meta.file("/f", GROUP);
    lacks(2, file, 0);
    int arc = meta.ring().arcOf(file, 0);
    changed(confirmed(present(1, 1, 2, 3, 4), 1, 2, 3));
    RingMap after = meta.ring();
    for (int number = 0; number < ARCS; number++) {
      assertEquals(number == arc ? 4 : 3, after.arcs().get(number).serving().size());
    }
    assertEquals(
        1,
        meta.answer(meta.request().setListLacking(ListLackingQuery.newBuilder().setNode(id(2))))
            .getLacking()
            .getGroupsCount(),
        "the node that is left out has to get the group, or the other one could never leave");
    // an exclusion behind the end of its file, or in a deleted one, keeps no node in its place
    meta.ok(meta.delete("/f", false));
    changed(confirmed(present(after.epoch(), 1, 2, 3, 4), 1, 2, 3));
    meta.ring().arcs().forEach(now -> assertEquals(3, now.serving().size()));
  }

  /** A missing node goes by the same plan, and then holds nothing for the arc. */
  @Test
  void shouldLetNoNodeLeaveInTheBeliefThatAMissingNodeStays() {
    record(6, arc(List.of(), 1, 2, 3, 4, 5));
    long file = meta.file("/f", GROUP / 2);
    meta.ok(
        meta.request()
            .setMarkNodes(
                MarkNodesOp.newBuilder().setMark(NodeMarkProto.MARK_LEAVING).addNodes(id(5))));
    lacks(1, file, 0);
    lacks(2, file, 0);
    meta.ok(meta.append("/f", 7));
    int open = meta.ring().arcOf(file, 0);
    changed(confirmed(present(1, 1, 2, 4, 5, 6), 1, 2, 4, 5, 6));
    for (int arc = 0; arc < ARCS; arc++) {
      List<NodeId> serving = meta.ring().arcs().get(arc).serving();
      assertFalse(serving.contains(nodeId(3)));
      assertEquals(arc == open, serving.contains(nodeId(5)), serving::toString);
    }
  }

  @Test
  void shouldRefuseAnUnknownRingAndWhatIsNoNode() {
    meta.refuse(ErrorCode.UNAVAILABLE, change(present(0, 1)));
    meta.refuse(ErrorCode.UNAVAILABLE, promote(1, 0, 0));
    record(3, arc(List.of(), 1, 2, 3));
    meta.refuse(ErrorCode.STALE_RING, change(present(0, 1, 2, 3)));
    meta.refuse(ErrorCode.STALE_RING, change(present(2, 1, 2, 3)));
    meta.refuse(ErrorCode.STALE_RING, change(present(-1, 1, 2, 3)));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, change(present(1, 1, 2, 3, 3)));
    meta.refuse(
        ErrorCode.INVALID_ARGUMENT,
        change(
            present(1, 1, 2)
                .addPresent(RingCodec.toProto(node(3)).toBuilder().setWeight(Double.NaN))));
    meta.refuse(
        ErrorCode.INVALID_ARGUMENT,
        change(present(1, 1, 2, 3).addConfirmed(ByteString.copyFromUtf8("short"))));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, promote(1, 0, ARCS));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, promote(1, 0, -1));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, promote(1, 1, 0));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, promote(1, -1, 0));
    meta.refuse(
        ErrorCode.INVALID_ARGUMENT, meta.request().setPromote(PromoteOp.newBuilder().addArcs(0)));
  }

  @Test
  void shouldBeForNodesAlone() {
    record(3, arc(List.of(), 1, 2, 3));
    meta.as(MetadataHarness.ALICE);
    meta.refuse(ErrorCode.PERMISSION_DENIED, change(present(1, 1, 2, 3)));
    meta.refuse(ErrorCode.PERMISSION_DENIED, promote(1, 0, 0));
  }

  @Test
  void shouldPassOverANodeThatIsNotJoining() {
    record(4, arc(List.of(4), 1, 2));
    ByteString before = meta.saved();
    assertEquals(0, promoted(1, 0, 0, 1).getPromoted());
    assertEquals(0, promoted(9, 0, 0, 1).getPromoted());
    assertEquals(1, promoted(4, 0).getEpoch());
    assertEquals(before, meta.saved());
  }

  @Test
  void shouldServeFromNowOnAndLackOnlyWhatIsOpenOrYounger() {
    record(4, arc(List.of(4), 1, 2));
    meta.file("/old", 3 * GROUP);
    long seen = sequence();
    long young = meta.file("/young", 2 * GROUP + 1);
    meta.open("/open", 5);
    PromoteResult result = promoted(4, seen, allArcs());
    assertEquals(ARCS, result.getPromoted());
    assertEquals(2, result.getEpoch());
    meta.ring()
        .arcs()
        .forEach(arc -> assertEquals(List.of(nodeId(1), nodeId(2), nodeId(4)), arc.serving()));
    assertEquals(List.of(), meta.leftOut("/old"));
    assertEquals(List.of("4:0-3"), meta.leftOut("/young"));
    assertEquals(List.of(), meta.leftOut("/open"), "nothing of it is recorded");
    assertEquals(seen + 2, sequence(), "who else joins has to look at it anew");
    assertEquals(0, meta.status("/young").getExclusions(0).getEpoch());
    assertTrue(young > 0);
    // a second time nothing is left to do
    assertEquals(0, promoted(4, seen, allArcs()).getPromoted());
  }

  @Test
  void shouldLackOnlyGroupsOfTheArcsThatItServesNow() {
    record(4, arc(List.of(4), 1, 2));
    long file = meta.file("/f", 4 * GROUP);
    RingMap ring = meta.ring();
    assertEquals(2, promoted(4, 0, ring.arcOf(file, 1), ring.arcOf(file, 2)).getPromoted());
    assertEquals(List.of("4:1-3"), meta.leftOut("/f"));
  }

  @Test
  void shouldLackTheRecordedPartOfAnOpenFile() {
    record(4, arc(List.of(4), 1, 2));
    meta.file("/f", GROUP + 5);
    meta.ok(meta.append("/f", 7));
    promoted(4, sequence(), allArcs());
    assertEquals(List.of("4:0-2"), meta.leftOut("/f"));
    assertEquals(0, meta.status("/f").getExclusions(0).getEpoch());
  }

  @Test
  void shouldTakeOneOfTheFirstPlacesOfAFullArc() {
    record(4, arc(List.of(4), 1, 2, 3));
    meta.file("/f", GROUP);
    promoted(4, 0, allArcs());
    meta.ring()
        .arcs()
        .forEach(
            arc -> {
              assertEquals(nodeId(4), arc.serving().get(2));
              assertEquals(4, arc.serving().size());
            });
    assertEquals(List.of("4:0-1"), meta.leftOut("/f"));
  }

  @Test
  void shouldBeLeftOutAlsoWhereItIsOnlyASpare() {
    record(4, arc(List.of(4), 1, 2));
    meta.file("/f", GROUP);
    meta.ok(
        meta.request()
            .setSetAttributes(
                SetAttributesOp.newBuilder().setPath("/f").setRingCopies(3).setReplication(1)));
    promoted(4, 0, allArcs());
    assertEquals(List.of("4:0-1"), meta.leftOut("/f"));
  }

  @Test
  void shouldLeaveOutASpareThatBecomesAKeeper() {
    record(3, arc(List.of(), 1, 2, 3));
    meta.file("/three", GROUP);
    meta.file("/two", GROUP);
    meta.file("/one", GROUP);
    for (int copies = 1; copies <= 2; copies++) {
      meta.ok(
          meta.request()
              .setSetAttributes(
                  SetAttributesOp.newBuilder()
                      .setPath(copies == 1 ? "/one" : "/two")
                      .setRingCopies(3)
                      .setReplication(copies)));
    }
    // node 1 is given up; 4 is there
    changed(present(1, 2, 3, 4));
    assertEquals(List.of(), meta.leftOut("/three"));
    assertEquals(List.of("3:0-1"), meta.leftOut("/two"));
    assertEquals(List.of(), meta.leftOut("/one"), "nobody known has it");
  }

  @Test
  void shouldNotServeArcsOfAFileThatCannotHaveSoManyExclusions() {
    meta = new MetadataHarness(MetadataHarness.settings(2));
    record(4, arc(List.of(4), 1, 2));
    long file = meta.file("/f", 8 * GROUP);
    RingMap ring = meta.ring();
    // groups 0, 2 and 4 are three ranges, of two that a file may have
    Integer[] arcs = {
      ring.arcOf(file, 0), ring.arcOf(file, 2), ring.arcOf(file, 4), ring.arcOf(file, 10)
    };
    PromoteResult result = promoted(4, 0, arcs);
    assertEquals(1, result.getPromoted());
    assertEquals(List.of(), meta.leftOut("/f"));
    assertTrue(meta.ring().arcs().get(ring.arcOf(file, 10)).serving().contains(nodeId(4)));
    assertEquals(2, promoted(4, 0, arcs[0], arcs[1]).getPromoted());
    assertEquals(List.of("4:0-1", "4:2-3"), meta.leftOut("/f"));
  }

  /** Two states that were given the same requests, one of them loaded anew in between, agree. */
  @Test
  void shouldDecideTheSameOnEveryReplica() throws IOException {
    Random random = new Random(3);
    record(5, arc(List.of(4), 1, 2, 3));
    for (int step = 0; step < 60; step++) {
      MetaRequest request = random(random, step);
      MetadataHarness other = meta.reloaded();
      assertEquals(meta.state().apply(request), other.state().apply(request));
      assertEquals(meta.saved(), other.saved(), "step=" + step);
    }
    assertTrue(meta.ring().epoch() > 10, "epoch=" + meta.ring().epoch());
  }

  private MetaRequest random(Random random, int step) {
    switch (random.nextInt(3)) {
      case 0 -> {
        meta.file("/f" + step, 1 + random.nextInt(5) * GROUP);
        return meta.request().build();
      }
      case 1 -> {
        return promote(1 + random.nextInt(6), Math.max(0, sequence() - 1), allArcs()).build();
      }
      default -> {
        int[] nodes = IntStream.rangeClosed(1, 6).filter(node -> random.nextInt(4) > 0).toArray();
        return change(confirmed(present(meta.ring().epoch(), nodes), nodes)).build();
      }
    }
  }
}
