package io.vdfs.datanode.repair;

import static io.vdfs.datanode.repair.FakeNodes.group;
import static io.vdfs.datanode.repair.RepairRings.node;
import static io.vdfs.datanode.repair.RepairRings.ring;
import static io.vdfs.datanode.repair.RepairRings.serving;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.datanode.meta.service.ManualLoop;
import io.vdfs.datanode.repair.FakeLeader.Confirmed;
import io.vdfs.datanode.repair.FakeLeader.File;
import io.vdfs.datanode.repair.copy.GroupKey;
import io.vdfs.datanode.repair.copy.Surroundings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Node 1 repairs what nodes 2 and 3 hold; clock and threads are the test's. */
class RepairerTest {
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(4096, 4, 1024, 8);
  private static final int GROUP = (int) GEOMETRY.groupSize();
  private static final NodeId SELF = node(1);
  private static final NodeId B = node(2);
  private static final NodeId C = node(3);
  private static final Duration PERIOD = Duration.ofHours(1);
  private static final Duration WHILE = Duration.ofSeconds(4);
  private static final ArcReplicas SERVING = serving(SELF, B, C);
  private static final ArcReplicas JOINING = new ArcReplicas(List.of(B, C), List.of(SELF));

  private final ManualLoop loop = new ManualLoop();
  private final FakeNodes nodes = new FakeNodes(SELF, GEOMETRY);
  private FakeLeader leader = new FakeLeader(GEOMETRY, ring(7, 3, 8, SERVING));
  private Supplier<Optional<RingMap>> published = () -> Optional.of(leader.ring);
  private long rate = 1L << 40;

  private Repairer start() {
    Surroundings around =
        new Surroundings(
            SELF, nodes, nodes, published, () -> Set.of(SELF, B, C), GEOMETRY, loop, loop, loop);
    Repairer repairer =
        new Repairer(
            around,
            request -> leader.call(request),
            new RepairSettings(rate, PERIOD, Duration.ofDays(7)));
    repairer.start();
    loop.run();
    return repairer;
  }

  /** A file that the other two hold. */
  private File file(long id, int length) {
    File file = leader.file(id, length);
    hold(id, length, 1, B, C);
    return file;
  }

  private void hold(long id, int length, int epoch, NodeId... holders) {
    for (NodeId holder : holders) {
      for (int group = 0; group < GEOMETRY.groupCount(length); group++) {
        int rest = Math.min(GROUP, length - group * GROUP);
        nodes.put(holder, group(id, group), rest, epoch, 0);
      }
    }
  }

  private void assertWhole(long id, int group) {
    assertTrue(nodes.length(group(id, group)) > 0, "nothing is held");
    assertTrue(nodes.isSame(SELF, B, group(id, group)));
  }

  private long arcOf(long id) {
    return leader.ring.arcOf(id, 0);
  }

  @Test
  void shouldCopyWhatIsRecordedAsLackingAndLiftTheRecord() {
    hold(1, GROUP + 10, 1, SELF);
    Repairer repairer = start();
    File file = file(1, GROUP + 10);
    file.leftOut(0).add(SELF);
    file.leftOut(1).add(SELF);
    file.epoch = 2;
    nodes.put(SELF, group(1, 0), GROUP, 1, 5);
    loop.advance(WHILE);
    assertEquals(List.of(group(1, 0)), nodes.copied);
    assertWhole(1, 0);
    loop.advance(WHILE);
    assertEquals(Set.of(), file.leftOut(0));
    assertEquals(Set.of(), file.leftOut(1));
    assertEquals(1, repairer.read(RepairCounter.GROUPS_COPIED));
    assertEquals(1, repairer.read(RepairCounter.GROUPS_VERIFIED));
    assertEquals(2, repairer.read(RepairCounter.LIFTED));
    assertEquals(GROUP, repairer.read(RepairCounter.BYTES_COPIED));
    loop.advance(WHILE);
    assertEquals(0, repairer.read(RepairCounter.LACKING));
    assertEquals(0, repairer.read(RepairCounter.FAILED));
  }

  @Test
  void shouldBeginWithFewestCopiesLeft() {
    leader.pageFiles = 2;
    for (int id = 1; id <= 6; id++) {
      File file = file(id, 100);
      file.leftOut(0).add(SELF);
      if (id % 2 == 0) {
        file.leftOut(0).add(C);
      }
    }
    leader.files.get(3L).leftOut(0).add(B);
    nodes.put(C, group(3, 0), 100, 1, 0);
    rate = 1_000;
    start();
    loop.advance(Duration.ofSeconds(20));
    assertEquals(
        List.of(2L, 3L, 4L, 6L, 1L, 5L),
        nodes.copied.stream().map(key -> key.file().fileId()).toList());
  }

  @Test
  void shouldReportAndCopyWhatAnAuditFindsLackingAndConfirm() {
    leader.pageFiles = 1;
    hold(1, GROUP + 10, 1, SELF);
    file(1, GROUP + 10);
    File lacking = file(2, GROUP + 10);
    file(3, 50).leftOut(0).add(B);
    leader.files.get(3L).leftOut(0).add(C);
    leader.files.get(3L).epoch = 2;
    long known = leader.sequence;
    Repairer repairer = start();
    loop.advance(WHILE);
    assertWhole(2, 0);
    assertWhole(2, 1);
    assertEquals(2, repairer.read(RepairCounter.REPORTED), "the last copy is not left out");
    assertEquals(Set.of(), lacking.leftOut(0));
    assertEquals(1, repairer.read(RepairCounter.AUDITS));
    assertEquals(1, repairer.read(RepairCounter.FAILED), "nobody may serve the third file");
    assertEquals(List.of(new Confirmed(7, known)), leader.confirmed, "that stops nothing else");

    leader.files.get(3L).leftOut.clear();
    assertEquals(2, audit(repairer));
    loop.advance(Duration.ofSeconds(40));
    assertWhole(3, 0);
    assertEquals(0, nodes.verifiedHere - repairer.read(RepairCounter.GROUPS_COPIED));
  }

  @Test
  void shouldLookAtWholeGroupsOfOpenFilesAlone() {
    file(1, GROUP + 100).open = true;
    start();
    loop.advance(WHILE);
    assertEquals(List.of(group(1, 0)), nodes.copied);
  }

  @Test
  void shouldPromoteAfterItCopiedAndConfirmByTheNextMap() {
    leader.ring = ring(7, 3, 8, JOINING);
    for (int id = 1; id <= 20; id++) {
      file(id, 100);
    }
    long before = leader.sequence;
    Repairer repairer = start();
    loop.advance(Duration.ofSeconds(2));
    assertEquals(8, leader.ring.epoch());
    assertEquals(8, repairer.read(RepairCounter.PROMOTED_ARCS));
    assertEquals(20, nodes.copied.size());
    assertEquals(0, repairer.read(RepairCounter.REPORTED), "who does not serve reports nothing");
    assertEquals(List.of(), leader.confirmed);
    loop.advance(Duration.ofSeconds(6));
    assertEquals(List.of(new Confirmed(8, before)), leader.confirmed);
    assertEquals(20, nodes.copied.size());
    loop.advance(Duration.ofSeconds(61));
    assertEquals(2, leader.confirmed.size(), "a new leader has to be told");
  }

  @Test
  void shouldCompareWhatAJoiningNodeHoldsOfAnotherEpoch() {
    leader.ring = ring(7, 3, 8, JOINING);
    File rewritten = file(1, 100);
    rewritten.epoch = 3;
    hold(1, 100, 3, B, C);
    nodes.put(SELF, group(1, 0), 150, 1, 9);
    file(2, 100);
    hold(2, 100, 1, SELF);
    start();
    loop.advance(WHILE);
    assertEquals(List.of(group(1, 0)), nodes.copied, "the second is of the file's epoch");
    assertWhole(1, 0);
    assertEquals(100, nodes.length(group(1, 0)));
  }

  @Test
  void shouldPromoteTheArcsWithoutAGroupThatFailed() {
    leader.ring = ring(7, 3, 8, JOINING);
    for (int id = 1; id <= 20; id++) {
      file(id, 100);
    }
    nodes.poisoned.add(group(4, 0));
    start();
    loop.advance(Duration.ofSeconds(2));
    assertEquals(19, nodes.copied.size());
    long poisonedArc = arcOf(4);
    for (int arc = 0; arc < 8; arc++) {
      assertEquals(
          arc == poisonedArc, leader.ring.arcs().get(arc).joining().contains(SELF), "arc=" + arc);
    }
    loop.advance(Duration.ofMinutes(2));
    assertEquals(List.of(), leader.confirmed);
    nodes.poisoned.clear();
    loop.advance(Duration.ofMinutes(5));
    assertTrue(leader.ring.arcs().stream().allMatch(arc -> arc.serving().contains(SELF)));
    assertEquals(leader.ring.epoch(), leader.confirmed.get(0).epoch());
  }

  @Test
  void shouldServeItsArcsThoughNoNodeHasAGroup() {
    leader.ring = ring(7, 3, 8, JOINING);
    for (int id = 1; id <= 20; id++) {
      file(id, 100);
    }
    File lost = leader.file(21, 100);
    Repairer repairer = start();
    loop.advance(Duration.ofSeconds(10));
    assertEquals(8, repairer.read(RepairCounter.PROMOTED_ARCS));
    assertEquals(leader.ring.epoch(), leader.confirmed.get(0).epoch());
    assertTrue(lost.leftOut(0).contains(SELF), "who has a part of it may not go");
    assertTrue(repairer.read(RepairCounter.FAILED) > 0);
    hold(21, 100, 1, C);
    loop.advance(Duration.ofMinutes(1));
    assertTrue(nodes.isSame(SELF, C, group(21, 0)));
    assertEquals(Set.of(), lost.leftOut(0));
  }

  /** It would not be known which node has a part of it, so that this one could be let go. */
  @Test
  void shouldConfirmNothingWhileALackThatNoNodeCanCureIsNotOnRecord() {
    leader.full = true;
    leader.file(1, 100);
    start();
    loop.advance(Duration.ofMinutes(1));
    assertEquals(List.of(), leader.confirmed);
    leader.full = false;
    loop.advance(Duration.ofMinutes(5));
    assertFalse(leader.confirmed.isEmpty());
  }

  /** A node that joins has no record in which damage could be noted. */
  @Test
  void shouldNotServeWhatItKnowsToBeDamaged() {
    leader.ring = ring(7, 3, 8, JOINING);
    file(1, 100);
    file(2, 100);
    hold(1, 100, 1, SELF);
    nodes.hold = true;
    Repairer repairer = start();
    nodes.put(SELF, group(1, 0), 100, 1, 7);
    repairer.onDamage(FakeLeader.key(1), 0);
    nodes.hold = false;
    nodes.held.forEach(Runnable::run);
    nodes.poisoned.add(group(1, 0));
    loop.advance(Duration.ofMinutes(1));
    assertTrue(leader.ring.arcs().get((int) arcOf(1)).joining().contains(SELF));
    assertEquals(7, repairer.read(RepairCounter.PROMOTED_ARCS));
    nodes.poisoned.clear();
    loop.advance(Duration.ofMinutes(5));
    assertWhole(1, 0);
    assertTrue(leader.ring.arcs().get((int) arcOf(1)).serving().contains(SELF));
  }

  @Test
  void shouldTakeBackWhatItConfirmedUntilThatIsHeard() {
    file(1, 100);
    nodes.hold = true;
    Repairer repairer = start();
    assertEquals(1, leader.takenBack, "what an earlier process said");
    loop.advance(Duration.ofMinutes(2));
    assertEquals(1, leader.takenBack, "once it was heard");
    nodes.hold = false;
    nodes.held.forEach(Runnable::run);
    loop.advance(WHILE);
    assertEquals(1, leader.confirmed.size());
    leader.away = true;
    nodes.put(SELF, group(1, 0), 100, 1, 7);
    repairer.onDamage(FakeLeader.key(1), 0);
    loop.advance(Duration.ofMinutes(1));
    assertEquals(1, leader.takenBack);
    leader.away = false;
    loop.advance(Duration.ofSeconds(6));
    assertEquals(2, leader.takenBack);
    loop.advance(Duration.ofMinutes(1));
    assertWhole(1, 0);
    assertTrue(leader.confirmed.size() > 1, "all is there again");
    nodes.suspect = Set.of(Path.of("/d1"));
    loop.advance(Repairer.LOOK.plusSeconds(1));
    assertEquals(3, leader.takenBack);
  }

  @Test
  void shouldConfirmAnewToALeaderThatKnowsNothingOfIt() {
    file(1, 100);
    nodes.put(SELF, group(1, 0), 100, 1, 7);
    start();
    loop.advance(WHILE);
    assertEquals(1, leader.takenBack);
    int before = leader.confirmed.size();
    assertTrue(before > 0);
    leader.series += 1L << 32;
    loop.advance(Duration.ofMinutes(2));
    assertEquals(2, leader.takenBack);
    assertTrue(leader.confirmed.size() > before);
  }

  @Test
  void shouldHaveWhatChangedMeanwhileRecordedAndCopyIt() {
    leader.ring = ring(7, 3, 8, JOINING);
    file(1, 100);
    nodes.hold = true;
    start();
    File younger = file(2, 100);
    nodes.hold = false;
    nodes.held.forEach(Runnable::run);
    loop.run();
    assertEquals(8, leader.ring.epoch());
    assertTrue(younger.leftOut(0).contains(SELF));
    loop.advance(Duration.ofSeconds(8));
    assertWhole(2, 0);
    assertEquals(Set.of(), younger.leftOut(0));
  }

  @Test
  void shouldStartOverWhereTheRingMapChangesInMidPass() {
    leader.ring = ring(7, 3, 8, JOINING);
    leader.pageFiles = 5;
    for (int id = 1; id <= 20; id++) {
      file(id, 100);
    }
    boolean[] changed = new boolean[1];
    leader.inMidPass =
        Optional.of(
            () -> {
              leader.ring = ring(8, 3, 8, JOINING);
              leader.sequence += 5;
              changed[0] = true;
            });
    start();
    loop.run();
    assertTrue(changed[0]);
    assertEquals(20, nodes.copied.size(), "nothing is copied twice");
    List<MetaRequest> promotions =
        leader.requests.stream().filter(MetaRequest::hasPromote).toList();
    assertEquals(1, promotions.size());
    assertEquals(leader.sequence, promotions.get(0).getPromote().getSequence());
    assertEquals(9, leader.ring.epoch());
  }

  @Test
  void shouldCopyTwoGroupsAtATimeOneOfEachKind() {
    for (int id = 1; id <= 10; id++) {
      file(id, 100).leftOut(0).add(SELF);
      file(100 + id, 100);
    }
    nodes.hold = true;
    start();
    assertEquals(Repairer.AT_A_TIME, nodes.held.size());
    List<GroupKey> first = new ArrayList<>();
    while (!nodes.held.isEmpty()) {
      assertTrue(nodes.held.size() <= Repairer.AT_A_TIME);
      nodes.held.remove(0).run();
      loop.run();
      if (nodes.copied.size() == 10 && first.isEmpty()) {
        first.addAll(nodes.copied);
      }
    }
    long audited = first.stream().filter(key -> key.file().fileId() > 100).count();
    assertTrue(audited >= 4 && audited <= 6, "of an audit=" + audited);
    assertEquals(20, nodes.copied.size());
  }

  @Test
  void shouldMendAGroupBehindMoreThanItKeepsThatNobodyHas() {
    for (int id = 1; id <= 2 * RecordedLacks.KEPT; id++) {
      leader.file(id, 100).leftOut(0).addAll(Set.of(SELF, C));
    }
    start();
    loop.advance(Duration.ofMinutes(1));
    file(5_000, 100).leftOut(0).add(SELF);
    loop.advance(WHILE);
    assertWhole(5_000, 0);

    // when all of those are due again, too
    loop.advance(Duration.ofHours(1));
    file(6_000, 100).leftOut(0).add(SELF);
    loop.advance(WHILE);
    assertWhole(6_000, 0);
  }

  @Test
  void shouldNotLiftAgainWhatWasFoundDamagedWhileALiftFailed() {
    damageDuringALift();
    leader.failLifts();
    loop.advance(WHILE);
    assertEquals(1, leader.count(MetaRequest.OpCase.LIFT_EXCLUSIONS));
    assertEquals(Set.of(SELF), leader.files.get(1L).leftOut(0));
  }

  @Test
  void shouldReportAgainWhatWasFoundDamagedWhileItWasLifted() throws VdfsException {
    damageDuringALift();
    leader.letLiftsGo();
    assertEquals(Set.of(), leader.files.get(1L).leftOut(0));
    loop.advance(WHILE);
    assertEquals(Set.of(SELF), leader.files.get(1L).leftOut(0));
  }

  /** The audit that damage calls for is over, too, by the time the lift ends. */
  private void damageDuringALift() {
    file(1, 100).leftOut(0).add(SELF);
    leader.holdLifts = true;
    Repairer repairer = start();
    loop.advance(WHILE);
    assertEquals(1, leader.heldLifts.size());
    leader.holdLifts = false;
    nodes.put(SELF, group(1, 0), 0, 1, 0);
    nodes.poisoned.add(group(1, 0));
    repairer.onDamage(FakeLeader.key(1), 0);
    loop.advance(WHILE);
    assertEquals(2, repairer.read(RepairCounter.AUDITS));
  }

  @Test
  void shouldKeepTheRate() {
    rate = 4L * GROUP;
    for (int id = 1; id <= 100; id++) {
      file(id, GROUP);
    }
    start();
    for (int seconds = 1; seconds <= 20; seconds++) {
      loop.advance(Duration.ofSeconds(1));
      double allowed = (double) seconds * rate;
      assertTrue(nodes.bytesCopied <= 1.1 * allowed + GROUP, "too fast");
      assertTrue(nodes.bytesCopied >= 0.9 * allowed - GROUP, "too slow");
    }
    double expected = 20.0 * rate;
    assertEquals(expected, (double) nodes.bytesCopied, 0.1 * expected);
  }

  @Test
  void shouldWorkOffAPageBeforeItAsksForTheNext() {
    leader.pageFiles = 3;
    for (int id = 1; id <= 12; id++) {
      file(id, 100);
    }
    nodes.hold = true;
    start();
    assertEquals(1, leader.count(MetaRequest.OpCase.LIST_HOLDINGS));
    for (int done = 0; done < 3; done++) {
      nodes.held.remove(0).run();
      loop.run();
    }
    assertEquals(2, leader.count(MetaRequest.OpCase.LIST_HOLDINGS));
  }

  @Test
  void shouldLetAPoisonedGroupRestLongerEachTimeAndGoOn() {
    File poisoned = file(1, 100);
    poisoned.leftOut(0).add(SELF);
    nodes.poisoned.add(group(1, 0));
    Repairer repairer = start();
    for (int id = 2; id <= 40; id++) {
      file(id, 100).leftOut(0).add(SELF);
    }
    loop.advance(Duration.ofSeconds(4));
    assertEquals(39, nodes.copied.size());
    loop.advance(Duration.ofMinutes(30));
    long attempts = repairer.read(RepairCounter.FAILED);
    assertTrue(attempts >= 7 && attempts <= 12, "attempts=" + attempts);
    assertTrue(poisoned.leftOut(0).contains(SELF));
    nodes.poisoned.clear();
    loop.advance(Duration.ofMinutes(12));
    assertEquals(Set.of(), poisoned.leftOut(0));
  }

  @Test
  void shouldTryAGroupAtOnceThatChangedSinceItFailed() {
    File file = file(1, 100);
    file.leftOut(0).add(SELF);
    nodes.poisoned.add(group(1, 0));
    start();
    loop.advance(Duration.ofMinutes(20));
    nodes.poisoned.clear();
    file.epoch = 2;
    loop.advance(Duration.ofSeconds(3));
    assertWhole(1, 0);
  }

  @Test
  void shouldForgetADeletedFileQuietly() {
    File file = leader.file(1, 100);
    file.leftOut(0).add(SELF);
    nodes.hold = true;
    Repairer repairer = start();
    leader.files.clear();
    nodes.hold = false;
    nodes.held.forEach(Runnable::run);
    loop.run();
    assertEquals(1, repairer.read(RepairCounter.GROUPS_GONE));
    assertEquals(0, repairer.read(RepairCounter.FAILED));
    assertEquals(0, leader.count(MetaRequest.OpCase.LIFT_EXCLUSIONS));
  }

  @Test
  void shouldWaitForRoom() {
    nodes.full = true;
    File file = file(1, 100);
    file.leftOut(0).add(SELF);
    Repairer repairer = start();
    loop.advance(Duration.ofMinutes(2));
    assertTrue(repairer.read(RepairCounter.FAILED) > 1);
    nodes.full = false;
    loop.advance(Duration.ofMinutes(5));
    assertEquals(Set.of(), file.leftOut(0));
  }

  @Test
  void shouldWaitForALeaderAndTellWhatItCouldNot() {
    File file = file(1, 100);
    file.leftOut(0).add(SELF);
    nodes.hold = true;
    start();
    leader.away = true;
    nodes.hold = false;
    nodes.held.forEach(Runnable::run);
    loop.advance(Duration.ofMinutes(1));
    assertWhole(1, 0);
    assertTrue(file.leftOut(0).contains(SELF));
    leader.away = false;
    loop.advance(Duration.ofMinutes(1));
    assertEquals(Set.of(), file.leftOut(0));
    assertFalse(leader.confirmed.isEmpty());
  }

  @Test
  void shouldAuditEachPeriodAndWhenSomethingIsDamaged() {
    file(1, 100);
    hold(1, 100, 1, SELF);
    Repairer repairer = start();
    assertEquals(1, repairer.read(RepairCounter.AUDITS));
    loop.advance(PERIOD.minusMinutes(1));
    assertEquals(1, repairer.read(RepairCounter.AUDITS));
    assertTrue(repairer.read(RepairCounter.CLEAN_AUDIT_AGE_SECONDS) > 3_000);
    loop.advance(Duration.ofMinutes(2));
    assertEquals(2, repairer.read(RepairCounter.AUDITS));
    nodes.put(SELF, group(1, 0), 50, 1, 0);
    repairer.onDamage(FakeLeader.key(1), 0);
    loop.advance(WHILE);
    assertEquals(3, repairer.read(RepairCounter.AUDITS));
    assertWhole(1, 0);
    leader.ring = ring(8, 3, 8, SERVING);
    loop.advance(Duration.ofSeconds(8));
    assertEquals(4, repairer.read(RepairCounter.AUDITS));
    assertTrue(leader.confirmed.contains(new Confirmed(8, leader.sequence)));
  }

  @Test
  void shouldReportDamageUntilItIsHeardAndCopyTheGroupThen() {
    File file = file(1, 100);
    hold(1, 100, 1, SELF);
    Repairer repairer = start();
    loop.advance(WHILE);
    leader.away = true;
    nodes.put(SELF, group(1, 0), 100, 1, 7);
    repairer.onDamage(FakeLeader.key(1), 0);
    loop.advance(Duration.ofMinutes(1));
    assertEquals(Set.of(), file.leftOut(0));
    leader.away = false;
    loop.advance(Duration.ofMinutes(1));
    assertEquals(1, repairer.read(RepairCounter.REPORTED));
    assertWhole(1, 0);
    assertEquals(Set.of(), file.leftOut(0), "it counts again");
  }

  @Test
  void shouldCopyOverSoundBytesThatAreNotThoseWrittenWithoutLeavingItselfOut() {
    File file = file(1, 100);
    file.checksums = List.of(FakeNodes.checksum(group(1, 0), 100));
    nodes.put(SELF, group(1, 0), 100, 1, 7);
    Repairer repairer = start();
    loop.advance(WHILE);
    assertWhole(1, 0);
    assertEquals(1, repairer.read(RepairCounter.GROUPS_DIFFERING));
    assertEquals(0, repairer.read(RepairCounter.REPORTED));
    assertEquals(Set.of(), file.leftOut(0));
  }

  /** As where a writer's memory was damaged: then its copies are as good as before. */
  @Test
  void shouldGoOnWithItsBytesWhereNoNodeHasThoseWritten() {
    File file = file(1, 100);
    file.checksums = List.of(12_345);
    hold(1, 100, 1, SELF);
    Repairer repairer = start();
    for (int passes = 1; passes <= 3; passes++) {
      loop.advance(PERIOD);
      assertEquals(0, repairer.read(RepairCounter.REPORTED));
      assertEquals(0, repairer.read(RepairCounter.GROUPS_COPIED));
      assertEquals(Set.of(), file.leftOut(0));
    }
    assertTrue(repairer.read(RepairCounter.GROUPS_DIFFERING) >= 3);
    assertTrue(leader.confirmed.size() >= 3, "it holds all that it is asked for");
  }

  @Test
  void shouldCopyAnewWhatLiesOnASuspectVolume() {
    File lost = file(1, GROUP + 10);
    file(2, 100);
    hold(1, GROUP + 10, 1, SELF);
    hold(2, 100, 1, SELF);
    Repairer repairer = start();
    loop.advance(WHILE);
    int confirmed = leader.confirmed.size();
    nodes.onSuspectVolume.add(group(1, 0));
    loop.advance(Repairer.LOOK);
    assertEquals(0, repairer.read(RepairCounter.REPORTED), "nobody was told that it is suspect");
    nodes.suspect = Set.of(Path.of("/d1"));
    loop.advance(Repairer.LOOK.plusSeconds(1));
    assertEquals(1, repairer.read(RepairCounter.VOLUMES_SUSPECT));
    assertEquals(1, repairer.read(RepairCounter.REPORTED));
    assertEquals(List.of(group(1, 0)), nodes.copied);
    assertEquals(GROUP, nodes.bytesCopied, "what reads back well there is copied all the same");
    assertEquals(Set.of(), nodes.onSuspectVolume);
    loop.advance(Duration.ofMinutes(1));
    assertEquals(Set.of(), lost.leftOut(0));
    assertEquals(1, repairer.read(RepairCounter.VOLUMES_SUSPECT), "once for all");
    assertTrue(leader.confirmed.size() > confirmed, "all is there again");
  }

  @Test
  void shouldHaveAllRecordedAtOnceThatAVolumeTookAlong() {
    int groups = 3 * HoldingsAudit.LOT;
    File lost = file(1, groups * GROUP);
    hold(1, groups * GROUP, 1, SELF);
    Repairer repairer = start();
    loop.advance(WHILE);
    nodes.hold = true;
    IntStream.range(0, groups).forEach(group -> nodes.onSuspectVolume.add(group(1, group)));
    nodes.suspect = Set.of(Path.of("/d1"));
    leader.away = true;
    loop.advance(Repairer.LOOK.plusSeconds(1));
    assertEquals(0, repairer.read(RepairCounter.REPORTED));
    leader.away = false;
    loop.advance(Duration.ofSeconds(6));
    assertEquals(groups, repairer.read(RepairCounter.REPORTED), "none is copied yet");
    assertEquals(List.of(), nodes.copied);
    assertTrue(lost.leftOut.values().stream().allMatch(Set.of(SELF)::equals));
    assertEquals(Repairer.AT_A_TIME, nodes.held.size());
  }

  @Test
  void shouldProveNothingByAnAuditDuringWhichSomethingWentBad() {
    file(1, 100);
    file(2, 100);
    hold(1, 100, 1, SELF);
    nodes.hold = true;
    Repairer repairer = start();
    assertEquals(1, nodes.held.size(), "the audit waits for the source of the other file");
    nodes.put(SELF, group(1, 0), 100, 1, 7);
    repairer.onDamage(FakeLeader.key(1), 0);
    loop.advance(WHILE);
    nodes.held.remove(0).run();
    loop.run();
    assertEquals(List.of(group(2, 0)), nodes.copied, "all that the audit found");
    assertEquals(1, repairer.read(RepairCounter.AUDITS));
    assertEquals(List.of(), leader.confirmed);
    nodes.hold = false;
    nodes.held.forEach(Runnable::run);
    loop.advance(Duration.ofMinutes(1));
    assertWhole(1, 0);
    assertFalse(leader.confirmed.isEmpty());
  }

  private long audit(Repairer repairer) {
    CompletableFuture<Long> audits = repairer.auditNow();
    loop.run();
    return audits.join();
  }

  @Test
  void shouldTellTheRateOfTheLastSeconds() {
    file(1, GROUP);
    Repairer repairer = start();
    loop.advance(Duration.ofSeconds(10));
    assertEquals(GROUP / 10, repairer.read(RepairCounter.COPIED_BYTES_PER_SECOND));
    loop.advance(Duration.ofSeconds(10));
    assertEquals(0, repairer.read(RepairCounter.COPIED_BYTES_PER_SECOND));
  }

  @Test
  void shouldAuditAtOnceAndTryAgainWhatRestsWhenAsked() {
    file(1, 100);
    nodes.poisoned.add(group(1, 0));
    Repairer repairer = start();
    loop.advance(Duration.ofMinutes(30));
    long failed = repairer.read(RepairCounter.FAILED);
    long audits = audit(repairer);
    assertTrue(repairer.read(RepairCounter.FAILED) > failed, "it rested still");
    assertEquals(audits, repairer.read(RepairCounter.AUDITS));

    nodes.poisoned.clear();
    nodes.hold = true;
    long first = audit(repairer);
    long second = audit(repairer);
    assertEquals(first + 1, second, "the one under way may have looked there already");
    nodes.hold = false;
    nodes.held.forEach(Runnable::run);
    loop.advance(WHILE);
    assertEquals(second, repairer.read(RepairCounter.AUDITS));
    assertWhole(1, 0);
  }

  @Test
  void shouldStopWhenTold() {
    Repairer repairer = start();
    repairer.stop();
    file(1, 100).leftOut(0).add(SELF);
    loop.advance(PERIOD.multipliedBy(2));
    assertEquals(List.of(), nodes.copied);
  }

  @Test
  void shouldGoThroughFilesOfManyGroupsInLots() {
    int groups = 3 * HoldingsAudit.LOT;
    File file = leader.file(1, (long) groups * GROUP);
    IntStream.range(0, groups).forEach(group -> nodes.put(B, group(1, group), GROUP, 1, 0));
    nodes.hold = true;
    Repairer repairer = start();
    assertTrue(repairer.read(RepairCounter.WAITING) <= HoldingsAudit.LOT);
    assertEquals(HoldingsAudit.LOT, repairer.read(RepairCounter.REPORTED));
    while (!nodes.held.isEmpty()) {
      nodes.held.remove(0).run();
      loop.advance(Duration.ofMillis(1));
      assertTrue(repairer.read(RepairCounter.WAITING) <= HoldingsAudit.LOT);
    }
    assertEquals(0, repairer.read(RepairCounter.FAILED));
    assertEquals(groups, repairer.read(RepairCounter.GROUPS_COPIED));
    loop.advance(Duration.ofSeconds(10));
    assertTrue(file.leftOut.values().stream().allMatch(Set::isEmpty));
  }

  @Test
  void shouldLetNothingBeDiscardedOfWhichItMaySaySomething() {
    hold(1, 10, 1, SELF);
    File file = file(1, 10);
    Repairer repairer = start();
    loop.advance(WHILE);
    long claims = repairer.claims();
    assertTrue(claims > 0, "the first audit said something");

    assertFalse(repairer.beginDiscard(FakeLeader.key(1), claims - 1), "it said something since");
    nodes.hold = true;
    file.leftOut(0).add(SELF);
    file.epoch = 2;
    loop.advance(WHILE);
    assertFalse(repairer.beginDiscard(FakeLeader.key(1), claims), "it is looked at");
    nodes.hold = false;
    nodes.held.forEach(Runnable::run);
    loop.advance(WHILE);
    nodes.hold = true;
    file(2, 10);
    var unused = repairer.auditNow();
    loop.advance(WHILE);
    assertFalse(repairer.beginDiscard(FakeLeader.key(1), repairer.claims()), "an audit is on");
    nodes.hold = false;
    nodes.held.forEach(Runnable::run);
    loop.advance(WHILE);
    assertTrue(repairer.beginDiscard(FakeLeader.key(1), repairer.claims()));
  }

  @Test
  void shouldTakeForLackingWhatIsBeingDiscarded() {
    hold(1, 10, 1, SELF);
    file(1, 10);
    Repairer repairer = start();
    loop.advance(WHILE);
    assertTrue(repairer.beginDiscard(FakeLeader.key(1), repairer.claims()));
    audit(repairer);
    assertEquals(Set.of(SELF), leader.files.get(1L).leftOut(0));
    assertEquals(0, repairer.read(RepairCounter.GROUPS_VERIFIED), "not begun while it goes");
    repairer.endDiscard(FakeLeader.key(1));
    loop.advance(WHILE);
    assertEquals(1, repairer.read(RepairCounter.GROUPS_VERIFIED));
  }
}
