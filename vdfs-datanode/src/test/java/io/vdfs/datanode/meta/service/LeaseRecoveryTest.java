package io.vdfs.datanode.meta.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.datanode.meta.service.edge.ReplicaProbe;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LeaseRecoveryTest {
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(4096, 4, 1024, 8);
  private static final long GROUP = GEOMETRY.groupSize();
  private static final FileKey FILE = new FileKey(FakeMetadata.FILE, 1);
  private static final NodeId A = node(1);
  private static final NodeId B = node(2);
  private static final NodeId C = node(3);
  private static final NodeId D = node(4);

  private final ManualLoop loop = new ManualLoop();
  private final FakeReplicas replicas = new FakeReplicas(GEOMETRY);
  private final FakeMetadata metadata = new FakeMetadata();
  private final Set<NodeId> holders = new HashSet<>(Set.of(A, B, C));
  private Optional<RingMap> ring = Optional.of(ring());

  static NodeId node(int number) {
    return new NodeId(new UUID(0, number));
  }

  /** A list of three, and more nodes that are in none. */
  static RingMap ring(NodeId... strangers) {
    Map<NodeId, RingNode> nodes =
        Stream.concat(Stream.of(A, B, C), Stream.of(strangers))
            .collect(
                Collectors.toMap(
                    id -> id, id -> new RingNode(id, "host", 1, 2, 3, 0, "/rack", 1, 1.0)));
    ArcReplicas arc = new ArcReplicas(List.of(A, B, C), List.of());
    return new RingMap(
        1, 3, Placement.TURN, List.of(arc, arc, arc, arc, arc, arc, arc, arc), nodes);
  }

  private LeaseRecovery recovery() {
    return new LeaseRecovery(
        metadata,
        new RecoverySurroundings(
            replicas,
            () -> ring,
            () -> CompletableFuture.completedFuture(Set.copyOf(holders)),
            GEOMETRY,
            loop,
            Duration.ofSeconds(8)));
  }

  private CompletableFuture<String> recover() {
    return recover(recovery(), false);
  }

  private CompletableFuture<String> recover(LeaseRecovery recovery, boolean accept) {
    CompletableFuture<String> found = recovery.recover(FILE, metadata.epoch, accept);
    loop.run();
    return found;
  }

  private void hold(int group, long a, long b, long c) {
    replicas.hold(A, group, a);
    replicas.hold(B, group, b);
    replicas.hold(C, group, c);
  }

  private void assertClosedAt(long length) {
    assertClosedAt(length, recover());
  }

  private void assertClosedAt(long length, CompletableFuture<String> attempt) {
    assertFalse(attempt.join().isEmpty());
    assertEquals(length, metadata.finished.getLength());
    assertEquals(metadata.epoch, metadata.finished.getWriteEpoch());
  }

  private Set<NodeId> excluded(int group) {
    return metadata.finished.getExclusionsList().stream()
        .filter(range -> range.getFirstGroup() <= group && group < range.getEndGroup())
        .map(range -> WireIds.nodeIdIfSet(range.getNode()).orElseThrow())
        .collect(Collectors.toSet());
  }

  private void assertLeftOpen(String reason, CompletableFuture<String> attempt) {
    assertTrue(attempt.isDone());
    CompletionException left = assertThrows(CompletionException.class, attempt::join);
    assertTrue(left.getMessage().contains(reason), left::getMessage);
    assertNull(metadata.finished);
    assertTrue(metadata.open);
  }

  @Test
  void shouldCloseAtTheLongestReplicaAndBringAnotherOneUpToIt() {
    hold(0, 3000, 2500, 2600);
    assertClosedAt(3000);
    assertEquals(3000, replicas.length(A, 0));
    assertEquals(3000, replicas.length(C, 0));
    assertEquals(1, replicas.copies.size(), "the rest is left to repair");
    assertEquals(2500, replicas.length(B, 0));
    assertEquals(Set.of(B), excluded(0));
    assertEquals(2, replicas.epoch(B, 0));
  }

  @Test
  void shouldNotBeShortenedByARottenReplica() {
    hold(0, 10_000, 10_000, 10_000);
    replicas.rot(B, 0, 2100);
    assertClosedAt(10_000);
    assertEquals(10_000, replicas.length(A, 0));
    assertEquals(10_000, replicas.length(C, 0));
    assertEquals(List.of(), replicas.copies);
    assertEquals(Set.of(B), excluded(0));
  }

  @Test
  void shouldMendARottenReplicaWhereItIsNeeded() {
    hold(0, 10_000, 10_000, 10_000);
    replicas.rot(B, 0, 5000);
    replicas.dead.add(C);
    assertClosedAt(10_000);
    assertTrue(replicas.isSound(B, 0));
    assertEquals(10_000, replicas.length(B, 0));
    assertEquals(1, replicas.copies.get(0).firstBlock(), "sound blocks are not sent again");
    assertEquals(Set.of(C), excluded(0));
  }

  @Test
  void shouldKeepWhatVerifiesOfARottenReplicaThatHasMost() {
    hold(0, 10_000, 3000, 3000);
    replicas.rot(A, 0, 5000);
    assertClosedAt(4096);
    assertEquals(4096, replicas.length(A, 0));
    assertEquals(4096, replicas.length(B, 0));
    assertEquals(Set.of(C), excluded(0));
  }

  @Test
  void shouldWaitWhileRotMayHideBytesThatAnAbsentNodeHas() {
    hold(0, 10_000, 10_000, 10_000);
    replicas.rot(A, 0, 2100);
    replicas.rot(B, 0, 5000);
    replicas.dead.add(C);
    LeaseRecovery recovery = recovery();
    assertLeftOpen("a damaged copy had more", recover(recovery, false));
    assertEquals(10_000, replicas.length(A, 0), "nothing is cut before it is decided");
    replicas.dead.clear();
    assertClosedAt(10_000, recover(recovery, false));
    assertTrue(replicas.isSound(B, 0));
    assertEquals(Set.of(A), excluded(0));
  }

  @Test
  void shouldWaitWhenEveryCopyIsRotten() {
    hold(0, 10_000, 10_000, 10_000);
    List.of(A, B, C).forEach(node -> replicas.rot(node, 0, 2100));
    assertLeftOpen("a damaged copy had more", recover());
    assertClosedAt(2048, recover(recovery(), true));
    assertEquals(2048, replicas.length(A, 0));
  }

  @Test
  void shouldBelieveTheHigherWriteEpochWhereCopiesDiffer() {
    hold(0, 9000, 6000, 6000);
    replicas.differ(A, 0, 5000, 1);
    replicas.written(B, 0, 2);
    replicas.written(C, 0, 2);
    assertClosedAt(6000);
    assertEquals(Set.of(A), excluded(0));
  }

  @Test
  void shouldOverwriteAStaleCopyWhereItIsNeeded() {
    hold(0, 9000, 6000, 6000);
    replicas.differ(A, 0, 5000, 1);
    replicas.written(B, 0, 2);
    replicas.dead.add(C);
    assertClosedAt(6000);
    assertTrue(replicas.isSame(A, B, 0));
    assertEquals(Set.of(C), excluded(0));
  }

  @Test
  void shouldNotCloseWhereCopiesOfOneEpochDiffer() {
    hold(0, 6000, 6000, 6000);
    replicas.differ(A, 0, 5000, 1);
    assertLeftOpen("two copies differ in a block of the same write epoch", recover());
    // a caller that accepts that gets what most have
    assertClosedAt(6000, recover(recovery(), true));
    assertEquals(Set.of(A), excluded(0));
  }

  @Test
  void shouldNoticeADifferenceInThePartThatBothHave() {
    hold(0, 6000, 5500, 5300);
    replicas.differ(B, 0, 5400, 1);
    assertLeftOpen("two copies differ", recover());
  }

  @Test
  void shouldCloseAnEmptyFileWithoutExclusions() {
    assertClosedAt(0);
    assertEquals(0, metadata.finished.getExclusionsCount());
    assertEquals(Map.of(), replicas.verified);
  }

  @Test
  void shouldExcludeADeadReplica() {
    hold(0, 3000, 9999, 3000);
    replicas.dead.add(B);
    assertClosedAt(3000);
    assertEquals(Set.of(B), excluded(0));
  }

  @Test
  void shouldNotCloseOnOneAnswer() {
    hold(0, 3000, 3000, 3000);
    replicas.dead.addAll(List.of(A, B));
    LeaseRecovery recovery = recovery();
    assertLeftOpen("too few nodes answer", recover(recovery, false));
    assertEquals(Map.of(), replicas.verified, "nothing is read back for nothing");
    replicas.dead.remove(B);
    assertClosedAt(3000, recover(recovery, false));
    assertEquals(1, metadata.count(MetaRequest.OpCase.BEGIN_RECOVERY), "attempts add no entries");
    assertEquals(Set.of(A), excluded(0));
  }

  private void leaveOut(NodeId... nodes) {
    for (NodeId node : nodes) {
      metadata.exclusions.add(
          ExclusionProto.newBuilder()
              .setNode(WireIds.encode(node))
              .setFirstGroup(0)
              .setEndGroup(1)
              .build());
    }
  }

  /** Nodes that took the places of others while the file was written have no copy. */
  @Test
  void shouldCopyToANodeThatWasLeftOutWhereTooFewOthersAre() {
    hold(0, 3000, 1200, 0);
    replicas.differ(B, 0, 700, 1);
    leaveOut(B, C);
    assertClosedAt(3000);
    assertEquals(1, replicas.copies.size(), "the rest is left to repair");
    assertTrue(replicas.isSame(A, B, 0), "what a node left out had before is nothing");
    assertEquals(List.of(WireIds.encode(B)), restored());
    assertEquals(Set.of(), excluded(0), "C is left out as before");
  }

  @Test
  void shouldTryTheNextNodeThatWasLeftOutWhereACopyFails() {
    hold(0, 3000, 0, 0);
    leaveOut(B, C);
    replicas.full.add(B);
    assertClosedAt(3000);
    assertTrue(replicas.isSame(A, C, 0));
    assertEquals(1, metadata.finished.getRestoredCount());
  }

  @Test
  void shouldWaitWhereNoNodeCanTakeASecondCopy() {
    hold(0, 3000, 0, 0);
    leaveOut(B, C);
    replicas.full.addAll(List.of(B, C));
    assertLeftOpen("too few copies", recover());
    replicas.dead.addAll(List.of(B, C));
    assertLeftOpen("too few nodes answer", recover());
  }

  /** The keeper may be one that was never given the bytes. */
  @Test
  void shouldTakeWhatNodesLeftOutGotUnderTheLeaseWhereTheKeeperHasNothing() {
    hold(0, 0, 3000, 2000);
    leaveOut(B, C);
    assertClosedAt(3000);
    assertTrue(replicas.isSame(A, B, 0));
    assertEquals(1, replicas.copies.size(), "the rest is left to repair");
    assertEquals(List.of(WireIds.encode(B)), restored());
    assertEquals(Set.of(), excluded(0), "C is left out as before");
  }

  private List<ByteString> restored() {
    return metadata.finished.getRestoredList().stream().map(ExclusionProto::getNode).toList();
  }

  @Test
  void shouldTakeWhatANodeHasThatLostItsPlace() {
    ring = Optional.of(ring(D));
    hold(0, 1000, 0, 0);
    replicas.hold(D, 0, 3000);
    leaveOut(B, C);
    assertClosedAt(3000);
    assertEquals(List.of(D, D), replicas.copies.stream().map(ReplicaProbe.Copy::source).toList());
    assertTrue(replicas.isSame(A, D, 0));
    assertEquals(List.of(WireIds.encode(B)), restored());
  }

  @Test
  void shouldAskNodesThatLostTheirPlacesWhereKeepersHaveLostBytes() {
    ring = Optional.of(ring(D));
    hold(0, 3000, 3000, 3000);
    replicas.hold(D, 0, 3000);
    List.of(A, B, C).forEach(node -> replicas.rot(node, 0, 2100));
    assertClosedAt(3000);
    assertEquals(2, replicas.copies.size());
  }

  @Test
  void shouldWaitWhereOthersThanKeepersHaveMoreAndOneIsSilent() {
    hold(0, 0, 3000, 5000);
    leaveOut(B, C);
    replicas.dead.add(C);
    assertLeftOpen("may have still more", recover());
    assertEquals(0, replicas.length(A, 0), "nothing is changed before it is decided");
    assertClosedAt(3000, recover(recovery(), true));
  }

  @Test
  void shouldAskAllOthersBeforeLessIsAccepted() {
    ring = Optional.of(ring(D));
    hold(0, 3000, 3000, 3000);
    replicas.hold(D, 0, 4000);
    replicas.dead.addAll(List.of(A, B));
    assertClosedAt(4000, recover(recovery(), true));
    assertTrue(replicas.isSame(C, D, 0));
  }

  @Test
  void shouldNotBelieveOldBytesOfANodeThatWasLeftOut() {
    metadata.length = 3000;
    metadata.leaseStart = 3000;
    metadata.leaseEpoch = 5;
    metadata.epoch = 5;
    hold(0, 1500, 3000, 3000);
    leaveOut(B, C);
    assertLeftOpen("has all acknowledged bytes", recover());
    assertLeftOpen("has all acknowledged bytes", recover(recovery(), true));
  }

  @Test
  void shouldWaitWhereNodesLeftOutHaveOtherBytes() {
    hold(0, 0, 3000, 3000);
    replicas.differ(C, 0, 100, 1);
    leaveOut(B, C);
    assertLeftOpen("too few copies", recover());
    assertEquals(0, replicas.copies.size());
  }

  @Test
  void shouldCloseEmptyWhereAllNodesSayThatNothingIsThere() {
    leaveOut(B, C);
    replicas.dead.add(C);
    assertLeftOpen("too few copies", recover());
    replicas.dead.clear();
    assertClosedAt(0);
  }

  @Test
  void shouldNotTakeOneEmptyAnswerForProofThatNothingIsThere() {
    hold(0, 3000, 3000, 0);
    replicas.dead.addAll(List.of(A, B));
    assertLeftOpen("too few nodes answer", recover());
  }

  @Test
  void shouldCloseOnOneCopyWhereOneIsAccepted() {
    hold(0, 3000, 3000, 3000);
    replicas.dead.addAll(List.of(A, B));
    CompletableFuture<String> found = recover(recovery(), true);
    assertClosedAt(3000, found);
    assertTrue(found.join().contains("3000 of 3000 good"), found::join);
    assertEquals(Set.of(A, B), excluded(0));
  }

  @Test
  void shouldNeverCloseOnNoAnswer() {
    hold(0, 3000, 3000, 3000);
    replicas.dead.addAll(List.of(A, B, C));
    assertLeftOpen("no keeper answers", recover(recovery(), true));
    assertTrue(metadata.recovering);
  }

  @Test
  void shouldCloseOnOneCopyWhereTheFactorIsOne() {
    metadata.replication = 1;
    hold(0, 3000, 0, 0);
    replicas.dead.addAll(List.of(B, C));
    assertClosedAt(3000);
    assertEquals(0, metadata.finished.getExclusionsCount(), "spares are not left out");
  }

  /** Others took the places of those that the writer wrote to, which are in the list still. */
  @Test
  void shouldTakeWhatASpareHasThatWasAKeeper() {
    metadata.replication = 1;
    hold(0, 0, 3000, 0);
    assertClosedAt(3000);
    assertEquals(Set.of(A), excluded(0));
    assertEquals(List.of(), replicas.copies);
  }

  @Test
  void shouldCopyWhatASpareHasWhereAnotherCopyIsNeeded() {
    metadata.replication = 2;
    hold(0, 0, 1000, 3000);
    assertClosedAt(3000);
    assertEquals(List.of(C), replicas.copies.stream().map(ReplicaProbe.Copy::source).toList());
    assertTrue(replicas.isSame(B, C, 0));
  }

  /** As one whose disk is full: it is copied from, and is no holder. */
  @Test
  void shouldOnlyCopyFromASpareThatCannotBeFenced() {
    metadata.replication = 2;
    hold(0, 0, 0, 3000);
    replicas.unfenceable.add(C);
    assertClosedAt(3000);
    assertTrue(replicas.isSame(A, C, 0));
    assertTrue(replicas.isSame(B, C, 0));
  }

  @Test
  void shouldAskAllNodesWhereKeepersHaveNothing() {
    ring = Optional.of(ring(D));
    hold(0, 0, 0, 0);
    replicas.hold(D, 0, 3000);
    assertClosedAt(3000);
    assertTrue(replicas.isSame(A, D, 0));
    assertTrue(replicas.isSame(B, D, 0));
  }

  @Test
  void shouldWaitForASilentNodeWhereMoreWasFlushedThanOthersHave() {
    ring = Optional.of(ring(D));
    metadata.flushed = 3000;
    hold(0, 2000, 2000, 2000);
    replicas.hold(D, 0, 3000);
    replicas.dead.add(D);
    assertLeftOpen("more was flushed than any node has that answers", recover());
    replicas.dead.clear();
    assertClosedAt(3000);
  }

  @Test
  void shouldCloseAtLessThanWasFlushedWhereNoNodeHasIt() {
    ring = Optional.of(ring(D));
    metadata.flushed = 3000;
    hold(0, 2000, 2000, 2000);
    assertClosedAt(2000);
  }

  @Test
  void shouldWaitForANodeThatFellOutOfTheRingMapWhereMoreWasFlushedThanOthersHave() {
    metadata.replication = 1;
    metadata.flushed = 3000;
    hold(0, 0, 0, 0);
    replicas.hold(D, 0, 5000);
    replicas.dead.add(D);
    holders.add(D);
    assertLeftOpen("away=[" + D + "]", recover());
    assertLeftOpen("away=[" + D + "]", recover());

    replicas.dead.clear();
    ring = Optional.of(ring(D));
    assertClosedAt(5000);
  }

  @Test
  void shouldWaitForANodeThatFellOutOfTheRingMapWhereAnotherHasPartOfWhatWasFlushed() {
    ring = Optional.of(ring(D));
    metadata.flushed = 3000;
    hold(0, 0, 0, 0);
    replicas.hold(D, 0, 2000);
    NodeId e = node(5);
    holders.addAll(Set.of(D, e));
    assertLeftOpen("away=[" + e + "]", recover());
    assertClosedAt(2000, recover(recovery(), true));
  }

  @Test
  void shouldNotWaitForANodeThatFellOutOfTheRingMapWhereAllThatWasFlushedIsThere() {
    metadata.flushed = 3000;
    holders.add(D);
    hold(0, 3000, 3000, 3000);
    assertClosedAt(3000);
  }

  @Test
  void shouldLetASpareTakeTheCopyOfADeadKeeper() {
    metadata.replication = 2;
    hold(0, 3000, 3000, 0);
    replicas.dead.add(A);
    assertClosedAt(3000);
    assertEquals(3000, replicas.length(C, 0));
    assertEquals(Set.of(A), excluded(0));
  }

  @Test
  void shouldNotWaitLongForALateAnswerAndIgnoreItWhenItComes() {
    hold(0, 3000, 100, 3000);
    replicas.mute.add(B);
    CompletableFuture<String> outcome = recover();
    assertFalse(outcome.isDone());
    loop.advance(Duration.ofSeconds(9));
    assertClosedAt(3000, outcome);
    assertEquals(Set.of(B), excluded(0));
    replicas.held.forEach(Runnable::run);
    loop.run();
    assertEquals(3000, metadata.finished.getLength());
  }

  @Test
  void shouldNeverGoBelowTheRecordedLength() {
    metadata.length = 2000;
    hold(0, 2500, 1500, 2500);
    assertClosedAt(2500);
    assertEquals(Set.of(B), excluded(0));
  }

  @Test
  void shouldWaitWhenNoReplicaThatAnswersHasTheRecordedBytes() {
    metadata.length = 2000;
    hold(0, 1500, 1500, 2200);
    replicas.dead.add(C);
    assertLeftOpen("has all acknowledged bytes", recover());
    assertLeftOpen("has all acknowledged bytes", recover(recovery(), true));
  }

  /** Bytes that were flushed and not synced may be gone after a loss of power of all nodes. */
  @Test
  void shouldGiveUpAcknowledgedBytesOnlyWhereThatIsAcceptedAndAllNodesSayThatTheyAreGone() {
    metadata.length = 2000;
    metadata.leaseStart = 1000;
    hold(0, 1500, 1200, 1500);
    assertLeftOpen("has all acknowledged bytes", recover());
    replicas.dead.add(B);
    assertLeftOpen("has all acknowledged bytes", recover(recovery(), true));
    replicas.dead.clear();
    assertClosedAt(1500, recover(recovery(), true));
    assertTrue(metadata.finished.getGivenUp());
    assertEquals(Set.of(B), excluded(0));
  }

  @Test
  void shouldGiveUpAGroupThatIsNowhereOnlyWhereThatIsAccepted() {
    metadata.length = GROUP + 5;
    hold(0, GROUP, GROUP, GROUP);
    assertLeftOpen("has all acknowledged bytes", recover());
    assertClosedAt(GROUP, recover(recovery(), true));
    assertTrue(metadata.finished.getGivenUp());
  }

  @Test
  void shouldNotSayThatBytesAreGivenUpWhereNoneAre() {
    hold(0, 3000, 3000, 3000);
    assertClosedAt(3000, recover(recovery(), true));
    assertFalse(metadata.finished.getGivenUp());
  }

  @Test
  void shouldFollowTheWriterThroughWholeGroups() {
    hold(0, GROUP, GROUP, GROUP);
    hold(1, GROUP, GROUP, GROUP);
    hold(2, 700, 700, 600);
    assertClosedAt(2 * GROUP + 700);
    assertEquals(Set.of(), excluded(1));
    assertEquals(Set.of(C), excluded(2));
  }

  @Test
  void shouldReadBackAtMostThreeGroupsOfANodeWhereTheRecordedLengthIsNear() {
    for (int group = 0; group < 160; group++) {
      hold(group, GROUP, GROUP, GROUP);
    }
    hold(160, 700, 700, 700);
    metadata.length = 158 * GROUP + 5;
    assertClosedAt(160 * GROUP + 700);
    assertEquals(Map.of(A, 3, B, 3, C, 3), replicas.verified);
  }

  @Test
  void shouldMergeExclusionsOfAdjoiningGroups() {
    hold(0, GROUP, GROUP, 0);
    hold(1, GROUP, GROUP, 0);
    hold(2, 700, 700, 700);
    replicas.dead.add(C);
    assertClosedAt(2 * GROUP + 700);
    assertEquals(
        List.of(
            ExclusionProto.newBuilder()
                .setNode(WireIds.encode(C))
                .setFirstGroup(0)
                .setEndGroup(3)
                .setEpoch(2)
                .build()),
        metadata.finished.getExclusionsList());
  }

  @Test
  void shouldEndOnAGroupBoundaryWithoutNamingTheGroupBehindIt() {
    metadata.length = GROUP;
    hold(0, GROUP, GROUP, GROUP);
    replicas.dead.add(B);
    assertClosedAt(GROUP);
    assertEquals(0, metadata.finished.getExclusionsCount());
  }

  @Test
  void shouldFenceAndEmptyWhatLiesBehindTheEnd() {
    hold(0, GROUP, GROUP, GROUP - 100);
    hold(1, 300, 300, 0);
    hold(2, 0, 500, 0);
    hold(3, 0, 500, 600);
    assertClosedAt(GROUP + 300);
    assertEquals(Set.of(C), excluded(0));
    for (int group = 1; group <= 3; group++) {
      assertEquals(2, replicas.epoch(A, group), "late packets of group " + group);
      assertEquals(2, replicas.epoch(C, group), "late packets of group " + group);
    }
    assertEquals(0, replicas.length(B, 2));
    assertEquals(0, replicas.length(C, 3));
  }

  @Test
  void shouldIgnoreAndEmptyWhatAnEarlierWriterLeftBehindTheEnd() {
    metadata.length = 1000;
    metadata.leaseStart = 1000;
    metadata.leaseEpoch = 5;
    metadata.epoch = 5;
    hold(0, 3000, 1000, 1000);
    assertClosedAt(1000);
    assertEquals(1000, replicas.length(A, 0));
    assertEquals(Set.of(), excluded(0));
  }

  @Test
  void shouldCutOnlyAfterEnoughCopiesAreSure() {
    hold(0, 10_000, 3000, 3000);
    replicas.rot(A, 0, 5000);
    replicas.full.addAll(List.of(B, C));
    assertLeftOpen("too few copies", recover());
    assertEquals(10_000, replicas.length(A, 0));
  }

  @Test
  void shouldTryTheNextNodeWhereACopyFails() {
    hold(0, 3000, 2500, 2600);
    replicas.full.add(C);
    assertClosedAt(3000);
    assertEquals(3000, replicas.length(B, 0));
    assertEquals(Set.of(C), excluded(0));
  }

  @Test
  void shouldLeaveOutAReplicaThatCannotBeReadBack() {
    hold(0, 3000, 3000, 3000);
    replicas.unreadable.add(A);
    assertClosedAt(3000);
    assertEquals(Set.of(A), excluded(0));
  }

  @Test
  void shouldSkipReplicasThatAreExcludedAlready() {
    metadata.exclusions.add(
        ExclusionProto.newBuilder()
            .setNode(WireIds.encode(A))
            .setFirstGroup(0)
            .setEndGroup(1)
            .setEpoch(1)
            .build());
    hold(0, 9000, 3000, 3000);
    assertClosedAt(3000);
    assertEquals(0, replicas.epoch(A, 0));
    assertEquals(9000, replicas.length(A, 0));
  }

  @Test
  void shouldLeaveOutAReplicaThatCannotBeCut() {
    metadata.leaseEpoch = 5;
    metadata.epoch = 5;
    hold(0, 3000, 1000, 1000);
    replicas.written(B, 0, 5);
    replicas.written(C, 0, 5);
    hold(1, 0, 100, 0);
    replicas.uncuttable.add(B);
    assertClosedAt(1000);
    assertEquals(Set.of(A), excluded(0));
  }

  @Test
  void shouldBeginANewEpochOnceAnAttemptHasChangedSomething() {
    hold(0, 3000, 2500, 0);
    replicas.dead.add(C);
    replicas.full.add(B);
    LeaseRecovery recovery = recovery();
    assertLeftOpen("too few copies", recover(recovery, false));
    replicas.full.clear();
    assertClosedAt(3000, recover(recovery, false));
    assertEquals(2, metadata.count(MetaRequest.OpCase.BEGIN_RECOVERY));
    assertEquals(3, metadata.finished.getWriteEpoch());
  }

  @Test
  void shouldStopWhenTheEpochMovedOnBeforeItBegan() {
    hold(0, 10, 10, 10);
    metadata.epoch = 5;
    CompletableFuture<String> outcome = recovery().recover(FILE, 4, false);
    loop.run();
    assertFalse(outcome.join().isEmpty());
    assertEquals(0, replicas.epoch(A, 0));
    assertTrue(metadata.open);
  }

  @Test
  void shouldStopWhenTheEpochMovesOnMeanwhile() {
    hold(0, 10, 10, 10);
    metadata.beforeFinish = () -> metadata.epoch = 9;
    assertFalse(recover().join().isEmpty());
    assertNull(metadata.finished);
  }

  @Test
  void shouldStopWhenAReplicaHasSeenALaterRecovery() {
    hold(0, 10, 10, 10);
    replicas.epoch(B, 0, 7);
    assertLeftOpen("a later recovery is under way", recover());
  }

  @Test
  void shouldWaitWithoutARingMapOrMetadata() {
    hold(0, 10, 10, 10);
    ring = Optional.empty();
    assertLeftOpen("no ring map", recover());
    ring = Optional.of(ring());
    metadata.unavailable = true;
    assertLeftOpen("planted", recover());
  }

  @Test
  void shouldReadBackForFewFilesAtATime() {
    hold(0, 3000, 3000, 3000);
    replicas.mute.addAll(List.of(A, B, C));
    LeaseRecovery recovery = recovery();
    for (int i = 0; i < 20; i++) {
      metadata.epoch = 1;
      var unused = recovery.recover(FILE, 1, false);
    }
    loop.run();
    List<Runnable> fences = List.copyOf(replicas.held);
    replicas.held.clear();
    fences.forEach(Runnable::run);
    loop.run();
    assertEquals(60, fences.size());
    assertEquals(24, replicas.held.size(), "eight files, three nodes");
  }
}
