package io.vdfs.datanode.meta.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.rpc.NodeIds;
import io.vdfs.common.wire.proto.ExclusionProto;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class LeaseRecoveryTest {
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(4096, 4, 1024, 8);
  private static final long GROUP = GEOMETRY.groupSize();
  private static final FileKey FILE = new FileKey(FakeMetadata.FILE, 1);
  private static final NodeId A = node(1);
  private static final NodeId B = node(2);
  private static final NodeId C = node(3);

  private final ManualLoop loop = new ManualLoop();
  private final FakeReplicas replicas = new FakeReplicas();
  private final FakeMetadata metadata = new FakeMetadata();
  private Optional<RingMap> ring = Optional.of(ring());

  static NodeId node(int number) {
    return new NodeId(new UUID(0, number));
  }

  static RingMap ring() {
    Map<NodeId, RingNode> nodes =
        List.of(A, B, C).stream()
            .collect(
                Collectors.toMap(
                    id -> id, id -> new RingNode(id, "host", 1, 2, 3, 0, "/rack", 1, 1.0)));
    ArcReplicas arc = new ArcReplicas(List.of(A, B, C), List.of());
    return new RingMap(1, 3, List.of(arc, arc, arc, arc, arc, arc, arc, arc), nodes);
  }

  private CompletableFuture<LeaseRecovery.Outcome> recover() {
    LeaseRecovery recovery =
        new LeaseRecovery(metadata, replicas, () -> ring, GEOMETRY, loop, Duration.ofSeconds(8));
    CompletableFuture<LeaseRecovery.Outcome> outcome = recovery.recover(FILE, metadata.epoch);
    loop.run();
    return outcome;
  }

  private void hold(int group, long a, long b, long c) {
    replicas.hold(A, group, a);
    replicas.hold(B, group, b);
    replicas.hold(C, group, c);
  }

  private void assertClosedAt(long length) {
    assertEquals(LeaseRecovery.Outcome.OVER, recover().join());
    assertEquals(length, metadata.finished.getLength());
    assertEquals(2, metadata.finished.getWriteEpoch());
  }

  private Set<NodeId> excluded(int group) {
    return metadata.finished.getExclusionsList().stream()
        .filter(range -> range.getFirstGroup() <= group && group < range.getEndGroup())
        .map(range -> NodeIds.parse(range.getNode()))
        .collect(Collectors.toSet());
  }

  private void assertLeftOpen(CompletableFuture<LeaseRecovery.Outcome> attempt) {
    assertTrue(attempt.isDone());
    assertThrows(CompletionException.class, attempt::join);
    assertNull(metadata.finished);
    assertTrue(metadata.open);
  }

  @Test
  void shouldCloseAtTheShortestReplicaAndCutTheOthers() {
    hold(0, 3000, 2500, 2600);
    assertClosedAt(2500);
    assertEquals(2500, replicas.length(A, 0));
    assertEquals(2500, replicas.length(C, 0));
    assertEquals(Set.of(), excluded(0));
    assertEquals(2, replicas.epoch(B, 0));
  }

  @Test
  void shouldCloseAnEmptyFileWithoutExclusions() {
    assertClosedAt(0);
    assertEquals(0, metadata.finished.getExclusionsCount());
  }

  @Test
  void shouldExcludeADeadReplica() {
    hold(0, 3000, 9999, 2600);
    replicas.dead.add(B);
    assertClosedAt(2600);
    assertEquals(Set.of(B), excluded(0));
  }

  @Test
  void shouldWaitWhenAllReplicasAreDead() {
    hold(0, 3000, 3000, 3000);
    replicas.dead.addAll(List.of(A, B, C));
    assertLeftOpen(recover());
    assertTrue(metadata.recovering);
    // one is back: the next attempt takes over under its own epoch
    replicas.dead.removeAll(List.of(C));
    assertEquals(LeaseRecovery.Outcome.OVER, recover().join());
    assertEquals(3000, metadata.finished.getLength());
    assertEquals(3, metadata.finished.getWriteEpoch());
    assertEquals(Set.of(A, B), excluded(0));
  }

  @Test
  void shouldNotWaitLongForALateAnswerAndIgnoreItWhenItComes() {
    hold(0, 3000, 100, 2600);
    replicas.mute.add(B);
    CompletableFuture<LeaseRecovery.Outcome> outcome = recover();
    assertFalse(outcome.isDone());
    loop.advance(Duration.ofSeconds(9));
    assertEquals(LeaseRecovery.Outcome.OVER, outcome.join());
    assertEquals(2600, metadata.finished.getLength());
    assertEquals(Set.of(B), excluded(0));
    replicas.held.forEach(answer -> answer.complete(new ReplicaProbe.Extent(100, 2)));
    loop.run();
    assertEquals(2600, metadata.finished.getLength());
  }

  @Test
  void shouldNeverGoBelowTheRecordedLength() {
    metadata.length = 2000;
    hold(0, 2500, 1500, 2200);
    assertClosedAt(2200);
    assertEquals(Set.of(B), excluded(0));
  }

  @Test
  void shouldWaitWhenNoReplicaThatAnswersHasTheRecordedBytes() {
    metadata.length = 2000;
    hold(0, 1500, 1500, 2200);
    replicas.dead.add(C);
    assertLeftOpen(recover());
  }

  @Test
  void shouldNotTakeAReplicaThatHoldsNothingForProofThatNothingIsThere() {
    hold(0, 3000, 3000, 0);
    assertClosedAt(3000);
    assertEquals(Set.of(C), excluded(0));
  }

  @Test
  void shouldFollowTheWriterThroughWholeGroups() {
    hold(0, GROUP, GROUP, GROUP);
    hold(1, GROUP, GROUP, GROUP);
    hold(2, 700, 500, 600);
    assertClosedAt(2 * GROUP + 500);
    assertEquals(0, metadata.finished.getExclusionsCount());
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
                .setNode(NodeIds.toBytes(C))
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
  void shouldTakeATornGroupForWholeWhenALaterOneWasWritten() {
    hold(0, GROUP, GROUP, GROUP - 100);
    hold(1, 300, 300, 0);
    assertClosedAt(GROUP + 300);
    assertEquals(Set.of(C), excluded(0));
  }

  @Test
  void shouldCutATornLastGroup() {
    hold(0, GROUP, GROUP, GROUP - 100);
    assertClosedAt(GROUP - 100);
    assertEquals(GROUP - 100, replicas.length(A, 0));
    assertEquals(Set.of(), excluded(0));
  }

  @Test
  void shouldSkipReplicasThatAreExcludedAlready() {
    metadata.exclusions.add(
        ExclusionProto.newBuilder()
            .setNode(NodeIds.toBytes(A))
            .setFirstGroup(0)
            .setEndGroup(1)
            .setEpoch(1)
            .build());
    hold(0, 100, 3000, 3000);
    assertClosedAt(3000);
    assertEquals(0, replicas.epoch(A, 0));
  }

  @Test
  void shouldExcludeAReplicaThatCannotBeCut() {
    hold(0, 3000, 2500, 2500);
    replicas.uncuttable.add(A);
    assertClosedAt(2500);
    assertEquals(Set.of(A), excluded(0));
  }

  @Test
  void shouldStopWhenTheEpochMovedOnBeforeItBegan() {
    hold(0, 10, 10, 10);
    LeaseRecovery recovery =
        new LeaseRecovery(metadata, replicas, () -> ring, GEOMETRY, loop, Duration.ofSeconds(8));
    metadata.epoch = 5;
    CompletableFuture<LeaseRecovery.Outcome> outcome = recovery.recover(FILE, 4);
    loop.run();
    assertEquals(LeaseRecovery.Outcome.OVER, outcome.join());
    assertEquals(0, replicas.epoch(A, 0));
    assertTrue(metadata.open);
  }

  @Test
  void shouldStopWhenTheEpochMovesOnMeanwhile() {
    hold(0, 10, 10, 10);
    metadata.beforeFinish = () -> metadata.epoch = 9;
    assertEquals(LeaseRecovery.Outcome.OVER, recover().join());
    assertNull(metadata.finished);
  }

  @Test
  void shouldStopWhenAReplicaHasSeenALaterRecovery() {
    hold(0, 10, 10, 10);
    replicas.epoch(B, 0, 7);
    assertLeftOpen(recover());
  }

  @Test
  void shouldWaitWithoutARingMapOrMetadata() {
    hold(0, 10, 10, 10);
    ring = Optional.empty();
    assertLeftOpen(recover());
    ring = Optional.of(ring());
    metadata.unavailable = true;
    assertLeftOpen(recover());
  }
}
