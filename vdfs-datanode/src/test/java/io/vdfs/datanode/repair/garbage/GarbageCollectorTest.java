package io.vdfs.datanode.repair.garbage;

import static io.vdfs.datanode.repair.FakeNodes.group;
import static io.vdfs.datanode.repair.RepairRings.node;
import static io.vdfs.datanode.repair.RepairRings.ring;
import static io.vdfs.datanode.repair.RepairRings.serving;
import static io.vdfs.datanode.store.StoreFixture.GEOMETRY;
import static io.vdfs.datanode.store.StoreFixture.GROUP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.AckDeletionsOp;
import io.vdfs.common.wire.proto.NodeDeletionsProto;
import io.vdfs.datanode.meta.service.ManualLoop;
import io.vdfs.datanode.repair.DiscardGate;
import io.vdfs.datanode.repair.FakeLeader;
import io.vdfs.datanode.repair.FakeNodes;
import io.vdfs.datanode.repair.RepairCalls;
import io.vdfs.datanode.repair.copy.KeepersCheck;
import io.vdfs.datanode.repair.copy.RepairRate;
import io.vdfs.datanode.repair.copy.Surroundings;
import io.vdfs.datanode.store.StoreFixture;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.status.StoreCounter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GarbageCollectorTest {
  private static final NodeId SELF = node(1);
  private static final NodeId B = node(2);
  private static final NodeId C = node(3);
  private static final NodeId D = node(4);
  private static final Duration AFTER = Duration.ofMinutes(10);
  private static final Duration KEEP = Duration.ofHours(2);

  /** Long enough for two passes, with the second one not before its time. */
  private static final Duration TWO_PASSES = AFTER.multipliedBy(2).plusSeconds(1);

  private final ManualLoop loop = new ManualLoop();
  private final FakeNodes nodes = new FakeNodes(SELF, GEOMETRY);
  private final FakeLeader leader = new FakeLeader(GEOMETRY, ring(7, 4, 8, serving(B, C, D)));
  private final Gate gate = new Gate();
  private final List<FileKey> discarded = new ArrayList<>();
  private DiskBlockStore store;
  private GarbageCollector collector;

  /** Lets everything go, unless told otherwise. */
  private static final class Gate implements DiscardGate {
    final List<String> calls = new ArrayList<>();
    long claims;
    boolean closed;

    @Override
    public long claims() {
      return claims;
    }

    @Override
    public boolean beginDiscard(FileKey file, long before) {
      boolean open = !closed && claims == before;
      calls.add((open ? "begin " : "refuse ") + file);
      return open;
    }

    @Override
    public void endDiscard(FileKey file) {
      calls.add("end " + file);
    }
  }

  @BeforeEach
  void start() throws VdfsException {
    start(StoreFixture.open(new SimulatedDisk(), StoreFixture.ONE_VOLUME));
  }

  private void start(DiskBlockStore opened) {
    store = opened;
    Surroundings around =
        new Surroundings(
            SELF,
            nodes,
            nodes,
            () -> Optional.of(leader.ring),
            () -> Set.of(SELF, B, C, D),
            GEOMETRY,
            loop,
            loop,
            loop);
    collector =
        new GarbageCollector(
            around,
            store,
            new RepairCalls(SELF, leader::call),
            gate,
            new KeepersCheck(around, new RepairRate(1L << 40, loop)),
            new GarbageSettings(AFTER, KEEP),
            () -> Instant.ofEpochSecond(1_000_000).plusNanos(loop.nanoTime()),
            discarded::add);
    collector.start();
    loop.run();
  }

  @AfterEach
  void stop() throws VdfsException {
    collector.stop();
    store.close();
  }

  private void hold(long file, int length) throws VdfsException {
    for (int group = 0; group < GEOMETRY.groupCount(length); group++) {
      StoreFixture.write(store, FakeLeader.key(file), group, StoreFixture.content(file, length), 1);
    }
    store.writeBack();
  }

  /** A closed file that the others hold and this node, too. */
  private FakeLeader.File surplus(long file, int length) throws VdfsException {
    hold(file, length);
    for (NodeId keeper : List.of(B, C, D)) {
      for (int group = 0; group < GEOMETRY.groupCount(length); group++) {
        nodes.put(keeper, group(file, group), Math.min(GROUP, length - group * GROUP), 1, 0);
      }
    }
    return leader.file(file, length);
  }

  private boolean isHeld(long file) {
    return store.group(FakeLeader.key(file), 0).length() > 0;
  }

  @Test
  void shouldDiscardWhatTwoPassesFoundDeletedAndKeepItForAWhile() throws VdfsException {
    hold(1, GROUP + 5);
    hold(2, 10);
    leader.gone.add(1L);
    loop.advance(AFTER.plusSeconds(1));
    assertTrue(isHeld(1), "one look is not enough");
    assertEquals(1, collector.read(GarbageCounter.CANDIDATES));

    loop.advance(AFTER);
    assertEquals(List.of(FakeLeader.key(1)), discarded);
    assertTrue(isHeld(2), "nobody said that it is gone");
    assertEquals(1, collector.read(GarbageCounter.DELETED_FILES));
    assertTrue(collector.read(GarbageCounter.DISCARDED_BYTES) > GROUP);
    assertEquals(0, collector.read(GarbageCounter.CANDIDATES));

    loop.advance(Duration.ofMinutes(2));
    assertEquals(1, collector.read(GarbageCounter.KEPT_FILES));
    loop.advance(KEEP);
    assertEquals(0, collector.read(GarbageCounter.KEPT_FILES));
    assertEquals(0, collector.read(GarbageCounter.FAILED));
  }

  @Test
  void shouldTellThatItHoldsNothingOfWhatItMissedOnceThatIsSo() throws VdfsException {
    hold(1, 10);
    hold(2, 10);
    leader.file(2, 10);
    leader.dropped = 40;
    leader.deletions.add(missed(B, 3));
    loop.advance(AFTER.plusSeconds(1));
    leader.deletions.add(missed(SELF, 2));
    loop.advance(AFTER);
    assertEquals(List.of(), leader.lookedThrough, "nobody knows what became of the first file");

    leader.gone.add(1L);
    loop.advance(AFTER);
    assertEquals(List.of(), leader.lookedThrough, "it was deleted and is still here");

    leader.dropped = 50;
    leader.beforeReview = Optional.of(() -> leader.dropped = 60);
    loop.advance(AFTER);
    assertTrue(!isHeld(1));
    AckDeletionsOp told =
        AckDeletionsOp.newBuilder().setNode(WireIds.encode(SELF)).setLookedThrough(50).build();
    assertEquals(List.of(told), leader.lookedThrough);
    assertEquals(4, collector.read(GarbageCounter.PASSES));

    leader.deletions.remove(1);
    loop.advance(AFTER);
    assertEquals(List.of(told), leader.lookedThrough, "only another node missed something");
    assertEquals(0, collector.read(GarbageCounter.FAILED));
  }

  private static NodeDeletionsProto missed(NodeId node, long deletions) {
    return NodeDeletionsProto.newBuilder()
        .setNode(WireIds.encode(node))
        .setMissed(deletions)
        .build();
  }

  @Test
  void shouldTellThatItHoldsNothingWhereItIsEmpty() {
    leader.dropped = 40;
    leader.deletions.add(missed(SELF, 2));
    loop.advance(AFTER.plusSeconds(1));
    assertEquals(1, leader.lookedThrough.size());
  }

  /** Anything may lie on the other one. */
  @Test
  void shouldNotTellThatItHoldsNothingWhileAVolumeIsNotServed() throws VdfsException {
    stop();
    SimulatedDisk disk = new SimulatedDisk();
    StoreFixture.open(disk, StoreFixture.TWO_VOLUMES).close();
    disk.breakDown(Path.of("/d1"));
    start(StoreFixture.open(disk, StoreFixture.TWO_VOLUMES));
    leader.dropped = 40;
    leader.deletions.add(missed(SELF, 2));
    loop.advance(TWO_PASSES);
    assertEquals(2, collector.read(GarbageCounter.PASSES));
    assertEquals(List.of(), leader.lookedThrough);
    assertEquals(2, collector.read(GarbageCounter.FAILED));
  }

  @Test
  void shouldBeginAnewWhereAFileWasThereInBetween() throws VdfsException {
    hold(1, 10);
    leader.gone.add(1L);
    loop.advance(AFTER.plusSeconds(1));
    leader.gone.clear();
    loop.advance(AFTER);
    leader.gone.add(1L);
    loop.advance(AFTER);
    assertTrue(isHeld(1));
    loop.advance(AFTER);
    assertTrue(!isHeld(1));
  }

  @Test
  void shouldDiscardNothingWhileTheLeaderDoesNotAnswer() throws VdfsException {
    hold(1, 10);
    leader.gone.add(1L);
    loop.advance(AFTER.plusSeconds(1));
    leader.away = true;
    loop.advance(AFTER.multipliedBy(3));
    assertTrue(isHeld(1));
    assertEquals(3, collector.read(GarbageCounter.FAILED));
    leader.away = false;
    loop.advance(AFTER);
    assertTrue(!isHeld(1), "it was seen before");
  }

  @Test
  void shouldDiscardASurplusFileThatAllKeepersReadBack() throws VdfsException {
    surplus(1, 2 * GROUP + 9);
    loop.advance(TWO_PASSES);
    assertEquals(List.of(FakeLeader.key(1)), discarded);
    assertEquals(1, collector.read(GarbageCounter.SURPLUS_FILES));
    assertEquals(List.of("begin 1.1", "end 1.1"), gate.calls);
  }

  /** The node keeps the first of two groups, and another node has taken the second one over. */
  private void surplusGroup(long file, int length) throws VdfsException {
    surplus(file, length);
    int needed = leader.ring.arcOf(FakeLeader.key(file).fileId(), 0);
    List<ArcReplicas> lists = new ArrayList<>();
    for (int arc = 0; arc < leader.ring.arcCount(); arc++) {
      lists.add(arc == needed ? serving(SELF, B, C) : serving(B, C, D));
    }
    leader.ring = ring(8, 4, lists);
  }

  @Test
  void shouldDropGroupsThatOtherNodesKeepOfAFileThatItKeepsPartOf() throws VdfsException {
    surplusGroup(1, 2 * GROUP + 9);
    FileKey key = FakeLeader.key(1);
    loop.advance(AFTER.plusSeconds(1));
    assertEquals(GROUP, store.group(key, 1).length(), "one look is not enough");

    loop.advance(AFTER);
    assertEquals(GROUP, store.group(key, 0).length(), "it belongs here");
    assertEquals(0, store.group(key, 1).length());
    assertEquals(0, store.group(key, 2).length());
    assertEquals(2, collector.read(GarbageCounter.SURPLUS_GROUPS));
    assertEquals(0, collector.read(GarbageCounter.SURPLUS_FILES));
    assertEquals(GROUP + 9, collector.read(GarbageCounter.DISCARDED_BYTES));
    assertEquals(List.of("begin 1.1", "end 1.1"), gate.calls);
    assertEquals(List.of(), discarded, "readers of the other group keep its name");

    assertEquals(0, store.counters().get(StoreCounter.ROOM_GIVEN_BACK));
    loop.advance(KEEP.plusMinutes(2));
    long blocks = GEOMETRY.blockCount(GROUP) + GEOMETRY.blockCount(9);
    assertEquals(blocks * GEOMETRY.blockSize(), store.counters().get(StoreCounter.ROOM_GIVEN_BACK));
    assertEquals(0, collector.read(GarbageCounter.FAILED));
  }

  @Test
  void shouldSpareAGroupOfWhichACopyIsShort() throws VdfsException {
    surplusGroup(1, 2 * GROUP + 9);
    nodes.put(C, group(1, 2), 8, 1, 0);
    loop.advance(TWO_PASSES);
    assertEquals(GROUP, store.group(FakeLeader.key(1), 1).length());
    assertEquals(9, store.group(FakeLeader.key(1), 2).length());
    assertSpared();
  }

  @Test
  void shouldSpareASurplusFileOfWhichACopyIsShort() throws VdfsException {
    surplus(1, GROUP + 9);
    nodes.put(C, group(1, 1), 8, 1, 0);
    loop.advance(TWO_PASSES);
    assertSpared();
    nodes.put(C, group(1, 1), 9, 1, 0);
    loop.advance(AFTER);
    assertTrue(!isHeld(1));
  }

  @Test
  void shouldSpareASurplusFileOfWhichCopiesDiffer() throws VdfsException {
    surplus(1, GROUP + 9);
    nodes.put(D, group(1, 0), GROUP, 1, 5);
    loop.advance(TWO_PASSES);
    assertSpared();
  }

  private void assertSpared() {
    assertTrue(isHeld(1));
    assertEquals(1, collector.read(GarbageCounter.SPARED));
    assertEquals(0, collector.read(GarbageCounter.FAILED));
    assertEquals(List.of(), discarded);
  }

  @Test
  void shouldSpareSurplusFilesWhileANodeHasNotConfirmedOrACopyIsMissing() throws VdfsException {
    surplus(1, 9);
    leader.unconfirmed.add(C);
    loop.advance(TWO_PASSES);
    assertSpared();
    leader.unconfirmed.clear();
    leader.groupsLacking = 1;
    loop.advance(AFTER);
    assertTrue(isHeld(1));
    leader.groupsLacking = 0;
    loop.advance(AFTER);
    assertTrue(!isHeld(1));
  }

  @Test
  void shouldSpareWhatIsNeededWhateverElseIsSurplus() throws VdfsException {
    surplus(1, 9).open = true;
    surplus(2, 9).leftOut(0).addAll(Set.of(B, C));
    loop.advance(TWO_PASSES);
    assertTrue(isHeld(1), "it is being written");
    assertTrue(isHeld(2), "only one copy counts");
    leader.ring = ring(8, 4, 8, serving(B, SELF, D));
    surplus(3, 9);
    loop.advance(TWO_PASSES);
    assertTrue(isHeld(3), "it belongs here");
    assertEquals(0, collector.read(GarbageCounter.SPARED));
  }

  @Test
  void shouldSpareWhatIsNeededAgainWhenItsCopiesHaveBeenReadBack() throws VdfsException {
    surplus(1, 9);
    loop.advance(AFTER.plusSeconds(1));
    leader.beforeReview =
        Optional.of(
            () ->
                leader.beforeReview =
                    Optional.of(() -> leader.ring = ring(8, 4, 8, serving(SELF, B, C))));
    loop.advance(AFTER);
    assertSpared();
    assertEquals(List.of(), gate.calls);
  }

  @Test
  void shouldSpareWhatTheRepairerMayHaveToldOfMeanwhile() throws VdfsException {
    surplus(1, 9);
    gate.closed = true;
    loop.advance(TWO_PASSES);
    assertSpared();
    assertEquals(List.of("refuse 1.1"), gate.calls);
  }
}
