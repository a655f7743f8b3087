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
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.BeginRecoveryOp;
import io.vdfs.common.wire.proto.ChangePipelineOp;
import io.vdfs.common.wire.proto.CompleteOp;
import io.vdfs.common.wire.proto.CopiedGroupProto;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.FinishRecoveryOp;
import io.vdfs.common.wire.proto.GroupKeyProto;
import io.vdfs.common.wire.proto.HeldFileProto;
import io.vdfs.common.wire.proto.LackingProto;
import io.vdfs.common.wire.proto.LeftOutNodeProto;
import io.vdfs.common.wire.proto.LeftOutProto;
import io.vdfs.common.wire.proto.LiftExclusionsOp;
import io.vdfs.common.wire.proto.ListHoldingsQuery;
import io.vdfs.common.wire.proto.ListHoldingsResult;
import io.vdfs.common.wire.proto.ListLackingQuery;
import io.vdfs.common.wire.proto.ListLackingResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.OpenFileResult;
import io.vdfs.common.wire.proto.RecordProgressOp;
import io.vdfs.common.wire.proto.ReportLackingOp;
import io.vdfs.common.wire.proto.ReportLackingResult;
import io.vdfs.common.wire.proto.SetAttributesOp;
import io.vdfs.datanode.meta.MetadataHarness;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which nodes are recorded to lack copies, and when copies count again. */
class RepairOperationsTest {
  private static final long GROUP = MetadataHarness.GROUP;
  private static final int ARCS = MetadataHarness.GEOMETRY.arcs();

  private MetadataHarness meta = new MetadataHarness();
  private long epoch;

  private static ByteString id(int node) {
    return MetadataHarness.id(node);
  }

  private static NodeId node(int number) {
    try {
      return WireIds.nodeId(id(number));
    } catch (VdfsException e) {
      throw new AssertionError(e);
    }
  }

  /** Every arc has this list. */
  private void ring(int... serving) {
    ring(List.of(), serving);
  }

  private void ring(List<Integer> joining, int... serving) {
    ring(Collections.nCopies(ARCS, arc(joining, serving)));
  }

  private static ArcReplicas arc(List<Integer> joining, int... serving) {
    return new ArcReplicas(
        IntStream.of(serving).mapToObj(RepairOperationsTest::node).toList(),
        joining.stream().map(RepairOperationsTest::node).toList());
  }

  private void ring(List<ArcReplicas> arcs) {
    ring(Placement.TURN, arcs);
  }

  private void ring(Placement placement, List<ArcReplicas> arcs) {
    Map<NodeId, RingNode> nodes = new TreeMap<>();
    for (int number = 1; number <= 5; number++) {
      nodes.put(node(number), new RingNode(node(number), "host" + number, 1, 2, 3, 0, "/r", 1, 1));
    }
    RingMap map = new RingMap(epoch + 1, 3, placement, arcs, nodes);
    meta.recordRing(epoch, map);
    epoch++;
  }

  private static GroupKeyProto key(long file, int group) {
    return GroupKeyProto.newBuilder().setFile(MetadataHarness.key(file)).setGroup(group).build();
  }

  private int report(int node, GroupKeyProto... groups) {
    return meta.ok(lacks(node, groups)).getReportLacking().getRecorded();
  }

  private MetaRequest.Builder lacks(int node, GroupKeyProto... groups) {
    return meta.request()
        .setReportLacking(
            ReportLackingOp.newBuilder()
                .setNode(id(node))
                .addAllGroups(List.of(groups))
                .setSparesLack(true));
  }

  private int lift(int node, long file, int group, long length, int writeEpoch) {
    return meta.ok(
            meta.request()
                .setLiftExclusions(
                    LiftExclusionsOp.newBuilder()
                        .setNode(id(node))
                        .addCopied(
                            CopiedGroupProto.newBuilder()
                                .setGroup(key(file, group))
                                .setLength(length)
                                .setWriteEpoch(writeEpoch))))
        .getLiftExclusions()
        .getLifted();
  }

  private ListLackingResult lacking(int node) {
    ListLackingQuery.Builder query = ListLackingQuery.newBuilder();
    if (node != 0) {
      query.setNode(id(node));
    }
    return meta.answer(meta.request().setListLacking(query)).getLacking();
  }

  private ListHoldingsResult holdings(int node, long after, int limit) {
    return meta.answer(
            meta.request()
                .setListHoldings(
                    ListHoldingsQuery.newBuilder()
                        .setNode(id(node))
                        .setAfter(after)
                        .setLimit(limit)))
        .getHoldings();
  }

  @Test
  void shouldLeaveOutKeepersThatAWriterWithAnOlderMapDoesNotName() {
    ring(1, 4, 2, 3);
    long file = meta.file("/f", 2 * GROUP + 1);
    // it named 1, 2 and 3; three nodes keep it, and 4 is one of the first three of the list
    assertEquals(List.of("4:0-3"), meta.leftOut("/f"));
    assertEquals(3, lacking(0).getGroupsCount(), "3 steps in for 4, but only until it may leave");
    assertEquals(3, lacking(4).getGroups(0).getCopiesLeft());

    ring(1, 4, 2);
    assertEquals(1, meta.status("/f").getExclusions(0).getEpoch(), "it lacks what was written");
    assertEquals(List.of(leftOut(4, 1)), lacking(4).getGroups(0).getLeftOutList());
    assertEquals(3, lacking(4).getGroupsCount());
    LackingProto last = lacking(4).getGroups(2);
    assertEquals(key(file, 2).getFile(), last.getFile());
    assertEquals(1, last.getLength());
    assertEquals(2, last.getCopiesLeft());
    assertEquals(List.of(leftOut(4, 1)), last.getLeftOutList());
    assertEquals(0, lacking(1).getGroupsCount());
  }

  @Test
  void shouldLeaveOutUnnamedKeepersOfGroupsRecordedOnTheWay() {
    ring(1, 2, 5);
    OpenFileResult opened = meta.open("/f", 9);
    meta.ok(
        meta.request()
            .setRecordProgress(
                RecordProgressOp.newBuilder()
                    .setFile(MetadataHarness.key(opened.getFileId()))
                    .setHolder(id(9))
                    .setWriteEpoch(1)
                    .setRequiredCopies(2)
                    .addSynced(MetadataHarness.synced(0, 1, 2, 3))));
    assertEquals(List.of("5:0-1"), meta.leftOut("/f"));
    assertEquals(GROUP, lacking(5).getGroups(0).getLength());
    assertEquals(1, lift(5, opened.getFileId(), 0, GROUP, 0), "a whole group never changes");
  }

  @Test
  void shouldCloseAFileThatCannotHaveSoManyExclusions() {
    meta = new MetadataHarness(MetadataHarness.settings(2));
    List<ArcReplicas> arcs = new ArrayList<>();
    for (int arc = 0; arc < ARCS; arc++) {
      arcs.add(arc % 2 == 0 ? arc(List.of(), 1, 2, 3) : arc(List.of(), 1, 2, 4));
    }
    ring(arcs);
    meta.file("/few", 4 * GROUP);
    assertEquals(2, meta.leftOut("/few").size());
    meta.file("/many", 8 * GROUP);
    assertEquals(List.of(), meta.leftOut("/many"));
    assertEquals(8 * GROUP, meta.status("/many").getLength());
  }

  @Test
  void shouldNotCountALeftOutNodeThatIsNamed() {
    ring(1, 2, 3);
    long file = meta.open("/f", 9).getFileId();
    ChangePipelineOp.Builder change =
        ChangePipelineOp.newBuilder()
            .setFile(MetadataHarness.key(file))
            .setHolder(id(9))
            .setWriteEpoch(1)
            .addLeftOut(LeftOutProto.newBuilder().setGroup(0).addNodes(id(3)));
    meta.ok(meta.request().setChangePipeline(change));
    meta.ok(meta.complete(file, 9, 2, GROUP));
    assertEquals(List.of("3:0-1"), meta.leftOut("/f"));

    long other = meta.open("/g", 9).getFileId();
    change.setFile(MetadataHarness.key(other));
    change.addLeftOut(LeftOutProto.newBuilder().setGroup(0).addNodes(id(2)));
    meta.ok(meta.request().setChangePipeline(change));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, meta.complete(other, 9, 2, GROUP));
  }

  @Test
  void shouldLeaveNoNodeOutThatIsNamedOrOnlyASpare() {
    ring(1, 2, 3, 4);
    meta.file("/f", GROUP);
    assertEquals(List.of(), meta.leftOut("/f"));
    ring(4, 5);
    meta.file("/g", GROUP);
    assertEquals(List.of(), meta.leftOut("/g"), "somebody of the list has to be asked");
  }

  @Test
  void shouldRecordWhatANodeLacksButNeverLeaveOutTheLastOne() {
    ring(1, 2, 3);
    long file = meta.file("/f", 2 * GROUP + 5);
    assertEquals(2, report(1, key(file, 0), key(file, 2), key(file, 3), key(file + 256, 0)));
    assertEquals(0, report(1, key(file, 0)), "known already");
    assertEquals(1, report(2, key(file, 0)));
    assertEquals(0, report(3, key(file, 0)), "the last one");
    assertEquals(0, report(4, key(file, 0)), "not of the list");
    assertEquals(List.of("1:0-1", "1:2-3", "2:0-1"), meta.leftOut("/f"));
    assertEquals(1, lacking(1).getGroups(0).getCopiesLeft());
    assertEquals(3, lacking(0).getGroupsCount());
  }

  @Test
  void shouldLeaveOutASpareThatStepsInForANodeThatLacksAGroup() {
    ring(1, 2, 3, 4);
    long file = meta.file("/f", GROUP);
    assertEquals(1, report(2, key(file, 0)));
    assertEquals(List.of("2:0-1", "4:0-1"), meta.leftOut("/f"));
    assertEquals(2, lacking(0).getGroups(0).getCopiesLeft());
    assertEquals(1, lacking(2).getGroupsCount(), "at once");
    assertEquals(0, lacking(4).getGroupsCount(), "one copy more is enough");
  }

  @Test
  void shouldNotTakeASpareForACopyOfTheLastKeepersGroup() {
    ring(1, 2, 3, 4);
    long file = meta.file("/f", GROUP);
    meta.ok(replicate(1));
    assertEquals(0, report(1, key(file, 0)), "it is the last copy, read where it is");
    assertEquals(List.of(), meta.leftOut("/f"));
  }

  /** A writer may name it as one of its nodes. */
  @Test
  void shouldLeaveOutNoSpareOfAnOpenFile() {
    ring(1, 2, 3, 4);
    long file = meta.file("/f", GROUP);
    meta.ok(meta.append("/f", 9));
    assertEquals(1, report(2, key(file, 0)));
    assertEquals(List.of("2:0-1"), meta.leftOut("/f"));
  }

  /** As a leader of an earlier release has it recorded. */
  @Test
  void shouldCountSparesAsHoldersWhereTheLeaderDoesNotSayOtherwise() {
    ring(1, 2, 3, 4);
    long file = meta.file("/f", GROUP);
    meta.ok(replicate(1));
    MetaRequest.Builder report = lacks(1, key(file, 0));
    report.getReportLackingBuilder().clearSparesLack();
    assertEquals(1, meta.ok(report).getReportLacking().getRecorded());
    assertEquals(List.of("1:0-1"), meta.leftOut("/f"));
  }

  /** What a node has of a closed file is right, whatever it lacks. */
  @Test
  void shouldKeepTheEpochUnderWhichANodeSaidThatItLackedAGroup() {
    ring(1, 2, 3);
    long file = meta.file("/f", GROUP);
    meta.ok(meta.append("/f", 9));
    report(1, key(file, 0));
    MetaRequest.Builder complete = meta.complete(file, 9, 2, 3 * GROUP);
    complete.getCompleteBuilder().removeSynced(0);
    meta.ok(complete);
    report(1, key(file, 1));
    assertEquals(List.of("1:0-1", "1:1-2"), meta.leftOut("/f"));
    report(1, key(file, 2));
    assertEquals(List.of("1:0-1", "1:1-3"), meta.leftOut("/f"));
    assertEquals(
        List.of(List.of(leftOut(1, 2)), List.of(leftOut(1, 0)), List.of(leftOut(1, 0))),
        lacking(1).getGroupsList().stream().map(LackingProto::getLeftOutList).toList());
  }

  private static LeftOutNodeProto leftOut(int node, int epoch) {
    return LeftOutNodeProto.newBuilder().setNode(id(node)).setEpoch(epoch).build();
  }

  @Test
  void shouldCountACopyAgainOnlyIfItIsOfWhatTheFileIsNow() {
    ring(1, 2, 3);
    long file = meta.file("/f", 3 * GROUP + 5);
    report(1, key(file, 0), key(file, 1), key(file, 2), key(file, 3));
    assertEquals(List.of("1:0-4"), meta.leftOut("/f"));
    assertEquals(0, lift(1, file, 1, GROUP - 1, 1));
    assertEquals(0, lift(1, file, 3, 5, 2), "of another epoch");
    assertEquals(0, lift(1, file, 4, 5, 1));
    assertEquals(0, lift(2, file, 1, GROUP, 1), "not left out");
    assertEquals(0, lift(1, file + 256, 1, GROUP, 1));
    assertEquals(1, lift(1, file, 1, GROUP, 1));
    assertEquals(List.of("1:0-1", "1:2-4"), meta.leftOut("/f"));
    assertEquals(1, lift(1, file, 3, 5, 1));
    assertEquals(1, lift(1, file, 0, GROUP, 1));
    assertEquals(1, lift(1, file, 2, GROUP, 1));
    assertEquals(0, lacking(0).getGroupsCount());
    assertEquals(List.of(), meta.leftOut("/f"));
  }

  @Test
  void shouldNotCountACopyOfAGroupThatIsBeingWritten() {
    ring(1, 2, 3);
    long file = meta.file("/f", GROUP + 5);
    report(1, key(file, 0), key(file, 1));
    meta.ok(meta.append("/f", 9));
    assertEquals(0, lift(1, file, 1, 5, 2));
    assertEquals(1, lift(1, file, 0, GROUP, 2));
    assertEquals(0, lacking(1).getGroupsCount(), "the writer brings the open group");
  }

  @Test
  void shouldListWhatANodeHasToHoldPageByPage() {
    ring(List.of(4), 1, 2, 3);
    meta.mkdir("/d");
    long first = meta.file("/d/a", 1);
    meta.file("/d/empty", 0);
    long second = meta.file("/d/b", GROUP + 1);
    OpenFileResult open = meta.open("/d/open", 9);
    assertEquals(List.of(), holdings(5, 0, 0).getFilesList());

    ListHoldingsResult page = holdings(1, 0, 2);
    assertTrue(page.getMore() && page.hasRing());
    assertEquals(List.of(first), ids(page), "of two looked at, one is empty");
    ListHoldingsResult rest = holdings(1, page.getReached(), 2);
    assertFalse(rest.getMore() || rest.hasRing());
    assertEquals(List.of(second), ids(rest), "nothing of the open file is whole");
    assertEquals(2, ids(holdings(4, 0, 0)).size(), "it is joining");

    long before = rest.getSequence();
    meta.ok(meta.complete(open.getFileId(), 9, 1, 7));
    HeldFileProto closed = holdings(1, second, 0).getFiles(0);
    assertEquals(7, closed.getLength());
    assertTrue(holdings(1, second, 0).getSequence() > before);
  }

  private static List<Long> ids(ListHoldingsResult page) {
    return page.getFilesList().stream().map(file -> file.getFile().getFileId()).toList();
  }

  @Test
  void shouldNumberChangesOfWhatNodesHaveToHoldAndNothingElse() throws IOException {
    ring(1, 2, 3);
    long file = meta.file("/f", GROUP);
    long closed = holdings(1, 0, 0).getSequence();
    meta.ok(meta.chmod("/f", 0600));
    meta.ok(meta.rename("/f", "/g", false));
    assertEquals(closed, holdings(1, 0, 0).getSequence());
    report(1, key(file, 0));
    long reported = holdings(1, 0, 0).getSequence();
    assertTrue(reported > closed);
    assertEquals(1, lift(1, file, 0, GROUP, 1));
    assertEquals(reported, holdings(1, 0, 0).getSequence(), "nobody has to hold more");
    meta.ok(meta.delete("/g", false));
    MetadataHarness reloaded = meta.reloaded();
    assertEquals(meta.saved(), reloaded.saved());
    assertEquals(
        reported,
        reloaded
            .answer(meta.request().setListHoldings(ListHoldingsQuery.newBuilder().setNode(id(1))))
            .getHoldings()
            .getSequence());
  }

  @Test
  void shouldHaveCopiesMadeWhereAReplicationIsRaised() {
    ring(1, 2, 3);
    meta.ok(meta.create("/f", 0644, 9, false));
    meta.ok(replicate(1));
    long file = meta.status("/f").getInodeId();
    meta.ok(
        meta.request()
            .setComplete(
                CompleteOp.newBuilder()
                    .setFile(MetadataHarness.key(file))
                    .setHolder(id(9))
                    .setWriteEpoch(1)
                    .setLength(GROUP + 1)
                    .setRequiredCopies(2)
                    .addSynced(MetadataHarness.synced(0, 1))
                    .addSynced(MetadataHarness.synced(1, 1))));
    meta.ok(replicate(2));
    assertEquals(List.of("2:0-2", "3:0-2"), meta.leftOut("/f"));
    assertEquals(2, lacking(0).getGroupsCount(), "one more copy of two groups");
    assertEquals(List.of(leftOut(2, 0), leftOut(3, 0)), lacking(2).getGroups(0).getLeftOutList());
    assertEquals(2, lacking(2).getGroupsCount());
    assertEquals(1, lift(2, file, 0, GROUP, 1));
    assertEquals(1, lift(2, file, 1, 1, 1));
    assertEquals(0, lacking(0).getGroupsCount());
    meta.ok(replicate(3));
    assertEquals(2, lacking(3).getGroupsCount());
  }

  private MetaRequest.Builder replicate(int replication) {
    return meta.request()
        .setSetAttributes(
            SetAttributesOp.newBuilder()
                .setPath("/f")
                .setReplication(replication)
                .setRingCopies(3));
  }

  @Test
  void shouldNotEndARecoveryThatWentByAnotherMap() {
    ring(1, 2, 3);
    long file = meta.open("/f", 9).getFileId();
    meta.ok(
        meta.request()
            .setBeginRecovery(
                BeginRecoveryOp.newBuilder().setFile(MetadataHarness.key(file)).setWriteEpoch(1)));
    FinishRecoveryOp.Builder finish =
        FinishRecoveryOp.newBuilder()
            .setFile(MetadataHarness.key(file))
            .setWriteEpoch(2)
            .setLength(3)
            .setRingEpoch(1);
    ring(1, 2, 4);
    meta.refuse(ErrorCode.STALE_RING, meta.request().setFinishRecovery(finish));
    meta.ok(meta.request().setFinishRecovery(finish.setRingEpoch(2)));
  }

  @Test
  void shouldCountACopyAgainThatARecoveryMade() {
    ring(1, 2, 3);
    long file = meta.file("/f", 2 * GROUP);
    meta.ok(meta.append("/f", 9));
    report(2, key(file, 0), key(file, 1));
    report(3, key(file, 1));
    assertEquals(List.of("2:0-2", "3:1-2"), meta.leftOut("/f"));
    meta.ok(
        meta.request()
            .setBeginRecovery(
                BeginRecoveryOp.newBuilder().setFile(MetadataHarness.key(file)).setWriteEpoch(2)));
    FinishRecoveryOp.Builder finish =
        FinishRecoveryOp.newBuilder()
            .setFile(MetadataHarness.key(file))
            .setWriteEpoch(3)
            .setLength(2 * GROUP)
            .setRingEpoch(1);
    ExclusionProto.Builder restored =
        ExclusionProto.newBuilder().setNode(id(2)).setFirstGroup(1).setEndGroup(3);
    meta.refuse(
        ErrorCode.INVALID_ARGUMENT,
        meta.request().setFinishRecovery(finish.clone().addRestored(restored)));
    meta.ok(meta.request().setFinishRecovery(finish.clone().addRestored(restored.setEndGroup(2))));
    assertEquals(List.of("2:0-1", "3:1-2"), meta.leftOut("/f"));
  }

  @Test
  void shouldRecordWhatItCanThoughOneFileHasTooManyExclusions() {
    meta = new MetadataHarness(MetadataHarness.settings(2));
    ring(1, 2, 3);
    long full = meta.file("/full", 6 * GROUP);
    long other = meta.file("/other", GROUP);
    assertEquals(2, report(1, key(full, 0), key(full, 2)));
    ReportLackingResult result = meta.ok(lacks(1, key(full, 4), key(other, 0))).getReportLacking();
    assertEquals(1, result.getRecorded());
    assertEquals(1, result.getPassedOver());
    assertEquals(List.of("1:0-1", "1:2-3"), meta.leftOut("/full"));
    assertEquals(List.of("1:0-1"), meta.leftOut("/other"));
  }

  /** There the first groups of a large file may lie on fewer arcs than the others do. */
  @Test
  void shouldListAFileOfWhichOnlyALateGroupIsHeldWhereGroupsLieAnywhere() {
    int groups = 20 * ARCS;
    List<ArcReplicas> arcs = new ArrayList<>(Collections.nCopies(ARCS, arc(List.of(), 1, 2, 3)));
    ring(Placement.RANDOM, arcs);
    long file = meta.file("/f", groups * GROUP);
    RingMap map = meta.ring();
    Set<Integer> first = new TreeSet<>();
    IntStream.range(0, ARCS).forEach(group -> first.add(map.arcOf(file, group)));
    int late =
        IntStream.range(0, groups)
            .map(group -> map.arcOf(file, group))
            .filter(arc -> !first.contains(arc))
            .findFirst()
            .orElseThrow();
    arcs.set(late, arc(List.of(), 4, 1, 2));
    ring(Placement.RANDOM, arcs);
    assertEquals(List.of(file), ids(holdings(4, 0, 0)));
    assertEquals(List.of(), ids(holdings(5, 0, 0)));
  }

  @Test
  void shouldRefuseWhatNoNodeAsks() {
    ring(1, 2, 3);
    long file = meta.file("/f", GROUP);
    meta.refuse(
        ErrorCode.INVALID_ARGUMENT,
        meta.request().setReportLacking(ReportLackingOp.newBuilder().setNode(ByteString.EMPTY)));
    meta.refuse(
        ErrorCode.INVALID_ARGUMENT,
        lacks(1, Collections.nCopies(1001, key(file, 0)).toArray(GroupKeyProto[]::new)));
    assertEquals(0, report(1, key(file, -1), key(0, 0), key(Long.MIN_VALUE, Integer.MIN_VALUE)));
    assertEquals(0, lift(1, file, -1, GROUP, 1));
    meta.as(MetadataHarness.ALICE);
    meta.refuse(ErrorCode.PERMISSION_DENIED, lacks(1, key(file, 0)));
    meta.refuse(
        ErrorCode.PERMISSION_DENIED,
        meta.request().setLiftExclusions(LiftExclusionsOp.newBuilder().setNode(id(1))));
    meta.refuseQuery(
        ErrorCode.PERMISSION_DENIED,
        meta.request().setListHoldings(ListHoldingsQuery.newBuilder().setNode(id(1))));
    meta.refuseQuery(
        ErrorCode.PERMISSION_DENIED,
        meta.request().setListLacking(ListLackingQuery.getDefaultInstance()));
  }
}
