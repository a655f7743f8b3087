package io.vdfs.datanode.repair.copy;

import static io.vdfs.datanode.repair.RepairRings.node;
import static io.vdfs.datanode.repair.RepairRings.ring;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.checksum.Crc32c;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.loop.ThreadServiceLoop;
import io.vdfs.datanode.meta.service.StoreNode;
import io.vdfs.datanode.store.ReadPace;
import io.vdfs.datanode.transfer.TestPeers;
import io.vdfs.datanode.transfer.replica.NettyReplicaProbe;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Over block stores and data ports of five nodes: the first lacks, the next two serve with it, the
 * others are strangers to the list.
 */
@Timeout(60)
class GroupRepairTest {
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(4096, 4, 1024, 4);
  private static final FileKey FILE = new FileKey(77, 1);
  private static final UUID CLUSTER = UUID.randomUUID();
  private static final int LENGTH = 10_000;

  private final byte[] content = new byte[(int) GEOMETRY.groupSize()];
  private final byte[] other = new byte[(int) GEOMETRY.groupSize()];
  private final List<StoreNode> nodes = new ArrayList<>();
  private final DataConnections connections =
      new DataConnections(Duration.ofSeconds(2), new Counters<>(NetCounter.class));
  private final ThreadServiceLoop loop = new ThreadServiceLoop("repair-test");
  private final RepairThreads workers = new RepairThreads("test-repair", 8);
  private final RingMap ring =
      ring(1, 5, 4, new ArcReplicas(List.of(node(1), node(2), node(3)), List.of()));
  private final List<Long> copiedBlocks = new ArrayList<>();
  private Runnable beforeCopy = () -> {};
  private boolean exists = true;
  private boolean anySound = true;
  private int questions;

  @BeforeEach
  void open(@TempDir Path directory) throws VdfsException {
    new Random(1).nextBytes(content);
    new Random(2).nextBytes(other);
    for (int number = 1; number <= 5; number++) {
      nodes.add(
          new StoreNode(
              node(number),
              CLUSTER,
              GEOMETRY,
              directory.resolve("node" + number),
              connections,
              this::address));
    }
  }

  @AfterEach
  void close() throws VdfsException {
    workers.close();
    for (StoreNode node : nodes) {
      node.close();
    }
    connections.close();
    loop.close();
  }

  private Optional<DataAddress> address(NodeId id) {
    return nodes.stream().filter(node -> node.id.equals(id)).findAny().flatMap(StoreNode::address);
  }

  private StoreNode self() {
    return nodes.get(0);
  }

  private void write(byte[] bytes, int length, int epoch, int... numbers) throws VdfsException {
    for (int number : numbers) {
      nodes.get(number - 1).write(FILE, bytes, 0, length, epoch);
    }
  }

  private static WantedGroup wanted(int length, int epoch, NodeId... leftOut) {
    Map<NodeId, Integer> epochs =
        Stream.of(leftOut).collect(Collectors.toMap(node -> node, node -> epoch));
    return new WantedGroup(new GroupKey(FILE, 0), length, 0, epoch, epochs, false);
  }

  private Repaired repair(WantedGroup wanted) throws Exception {
    NettyReplicaProbe probe =
        new NettyReplicaProbe(
            connections,
            TestPeers.proofs(),
            CLUSTER,
            GEOMETRY,
            this::address,
            Duration.ofSeconds(8),
            ReadPace.IN_TURNS);
    StoreGroups own =
        new StoreGroups(
            self().store(),
            GEOMETRY,
            (source, file, block, length, role, epoch) -> {
              copiedBlocks.add(block);
              beforeCopy.run();
              self().copies().copy(source, file, block, length, role, epoch);
            });
    Surroundings around =
        new Surroundings(
            node(1),
            probe,
            own,
            () -> Optional.of(ring),
            () -> Set.of(node(1), node(2), node(3), node(4), node(5)),
            GEOMETRY,
            loop,
            workers,
            workers);
    return new GroupRepair(
            around,
            new RepairRate(1L << 30, loop),
            file -> {
              questions++;
              return CompletableFuture.completedFuture(exists);
            })
        .repair(wanted, ring, anySound)
        .get(30, TimeUnit.SECONDS);
  }

  private VdfsException failure(WantedGroup wanted) {
    ExecutionException failed = assertThrows(ExecutionException.class, () -> repair(wanted));
    assertEquals(1, questions, "whether the file is there at all");
    return (VdfsException) failed.getCause();
  }

  /** No node has it, as all of them say; returns the answers. */
  private String nowhere(WantedGroup wanted) throws Exception {
    Repaired repaired = repair(wanted);
    assertEquals(Repaired.Outcome.NOWHERE, repaired.outcome());
    assertEquals(1, questions, "whether the file is there at all");
    return repaired.reason();
  }

  private void assertHeld(byte[] bytes, int length) throws VdfsException {
    assertEquals(length, self().store().group(FILE, 0).length());
    assertArrayEquals(Arrays.copyOf(bytes, length), self().read(FILE, length));
  }

  @Test
  void shouldCopyAWholeGroupSoThatItOutlivesTheProcess() throws Exception {
    write(content, LENGTH, 3, 2, 3);
    assertEquals(Repaired.copied(LENGTH), repair(wanted(LENGTH, 5)));
    assertHeld(content, LENGTH);
    assertEquals(5, self().store().group(FILE, 0).contentEpoch());
    self().stop();
    self().start();
    assertHeld(content, LENGTH);
    assertEquals(Repaired.SAME, repair(wanted(LENGTH, 5)));
    assertEquals(List.of(0L, 1L, 2L), copiedBlocks);
  }

  @Test
  void shouldCopyNoMoreThanTheLengthFromOneThatHoldsMore() throws Exception {
    write(content, LENGTH, 3, 2);
    write(content, 9_000, 3, 1);
    assertEquals(Repaired.copied(1_100), repair(wanted(9_292, 3)));
    assertHeld(content, 9_292);
    assertEquals(Repaired.SAME, repair(wanted(9_292, 3)));
  }

  @Test
  void shouldTakeTheNextSourceWhereOneIsDamagedAndAnotherShort() throws Exception {
    write(content, LENGTH, 1, 2, 4);
    write(content, 9_999, 1, 3);
    nodes.get(1).rot(content, 5_000);
    repair(wanted(LENGTH, 1));
    assertHeld(content, LENGTH);
  }

  @Test
  void shouldLeaveItsCopyAloneWhereTheOnlySourceIsDamaged() throws Exception {
    write(content, LENGTH, 1, 1, 2);
    self().rot(content, 9_000);
    nodes.get(1).rot(content, 5_000);
    nodes.get(1).rot(content, 9_500);
    String answers = nowhere(wanted(LENGTH, 2));
    assertTrue(answers.contains("4096 of 10000 good"), answers);
    assertEquals(List.of(), copiedBlocks);
    assertArrayEquals(Arrays.copyOf(content, 8_192), self().read(FILE, 8_192));
    assertEquals(1, self().store().group(FILE, 0).contentEpoch());
  }

  @Test
  void shouldKeepItsGoodCopyWhereTheSourceIsBad() throws Exception {
    write(content, LENGTH, 1, 1);
    write(content, LENGTH, 2, 2);
    nodes.get(1).rot(content, 5_000);
    assertEquals(Repaired.SAME, repair(wanted(LENGTH, 3)));
    assertEquals(List.of(), copiedBlocks);
    assertHeld(content, LENGTH);
  }

  @Test
  void shouldNotBelieveItsOwnBytesWhereTheyAreNotTheBadSources() throws Exception {
    byte[] stale = content.clone();
    stale[5_001]++;
    write(stale, LENGTH, 1, 1);
    write(content, LENGTH, 2, 2);
    nodes.get(1).rot(content, 5_000);
    nowhere(wanted(LENGTH, 3));
    assertEquals(List.of(), copiedBlocks);
  }

  /** Each node has lost another block. */
  @Test
  void shouldTakeEachBlockFromANodeThatHasItWhereNoneHasAll() throws Exception {
    write(content, LENGTH, 1, 1, 2, 3);
    self().rot(content, 100);
    nodes.get(1).rot(content, 5_000);
    nodes.get(2).rot(content, 9_000);
    assertEquals(Repaired.copied(4_096), repair(wanted(LENGTH, 1)));
    assertHeld(content, LENGTH);
    assertEquals(List.of(0L), copiedBlocks);
    assertEquals(Repaired.SAME, repair(wanted(LENGTH, 1)));
  }

  /** The last one that is not left out is damaged, as those are that were left out for that. */
  @Test
  void shouldBelieveNodesLeftOutInBlocksThatOneShouldHaveThatIsNot() throws Exception {
    write(content, LENGTH, 1, 1, 2);
    write(content, LENGTH, 3, 3);
    self().rot(content, 100);
    nodes.get(1).rot(content, 5_000);
    nodes.get(2).rot(content, 9_000);
    repair(wanted(LENGTH, 4, node(1), node(2)));
    assertHeld(content, LENGTH);
    assertEquals(List.of(0L), copiedBlocks);
  }

  @Test
  void shouldNotBelieveOtherBytesOfANodeLeftOut() throws Exception {
    write(other, LENGTH, 1, 2);
    write(content, LENGTH, 2, 3);
    nodes.get(2).rot(content, 5_000);
    nowhere(wanted(LENGTH, 4, node(1), node(2)));
    assertEquals(0, self().store().group(FILE, 0).length());
  }

  @Test
  void shouldAssembleNothingFromNodesLeftOutThatDiffer() throws Exception {
    write(content, LENGTH, 4, 1);
    write(other, LENGTH, 4, 2);
    write(content, 4_096, 1, 3);
    self().rot(content, 9_000);
    nodes.get(1).rot(other, 9_000);
    VdfsException failure = failure(wanted(LENGTH, 4, node(1), node(2)));
    assertEquals(ErrorCode.CORRUPT, failure.code());
    assertTrue(failure.getMessage().contains("other bytes in block 1"), failure.getMessage());
    assertArrayEquals(Arrays.copyOf(content, 8_192), self().read(FILE, 8_192));
  }

  /** A disk that was put back to an older state, and one that has lost a sector since. */
  @Test
  void shouldNotTakeABlockThatALaterOneOfTheListContradicts() throws Exception {
    byte[] stale = content.clone();
    stale[5_001]++;
    write(stale, LENGTH, 1, 2);
    write(content, LENGTH, 2, 3);
    nodes.get(1).rot(stale, 100);
    nodes.get(2).rot(content, 5_000);
    nowhere(wanted(LENGTH, 3));
    assertEquals(List.of(), copiedBlocks);
  }

  @Test
  void shouldAssembleNothingWhereTheListContradictsItselfUnderOneEpoch() throws Exception {
    write(content, LENGTH, 2, 2);
    write(other, LENGTH, 2, 3);
    nodes.get(1).rot(content, 100);
    nodes.get(2).rot(other, 5_000);
    VdfsException failure = failure(wanted(LENGTH, 3));
    assertEquals(ErrorCode.CORRUPT, failure.code());
    assertTrue(failure.getMessage().contains("other bytes in block 0"), failure.getMessage());
    assertEquals(List.of(), copiedBlocks);
  }

  @Test
  void shouldTakeBlocksFromStrangersWhereTheListHasNone() throws Exception {
    write(content, LENGTH, 1, 4, 5);
    nodes.get(3).rot(content, 100);
    nodes.get(4).rot(content, 9_000);
    assertEquals(Repaired.copied(LENGTH), repair(wanted(LENGTH, 2)));
    assertHeld(content, LENGTH);
  }

  @Test
  void shouldBelieveADoubtedCopyWhereNoOtherNodeHasOne() throws Exception {
    write(content, LENGTH, 1, 3);
    GroupKey group = new GroupKey(FILE, 0);
    nowhere(new WantedGroup(group, LENGTH, 0, 2, Map.of(node(2), 2, node(3), 2), false));
    repair(new WantedGroup(group, LENGTH, 0, 2, Map.of(node(2), 2, node(3), 0), false));
    assertHeld(content, LENGTH);
  }

  /** Else its group would be asked for over and over, and hold up the whole arc. */
  @Test
  void shouldNotWaitForANodeLeftOutThatIsGoneForGood() throws Exception {
    String answers = nowhere(wanted(LENGTH, 2, node(9)));
    assertFalse(answers.contains(node(9).toString()), answers);
  }

  /** It said so when a volume failed, say, and the volume is back. */
  @Test
  void shouldBelieveACopyFromBeforeItsNodeSaidThatItLackedIt() throws Exception {
    write(content, LENGTH, 1, 3);
    GroupKey group = new GroupKey(FILE, 0);
    nowhere(new WantedGroup(group, LENGTH, 0, 3, Map.of(node(3), 2), false));
    repair(new WantedGroup(group, LENGTH, 0, 3, Map.of(node(3), 1), false));
    assertHeld(content, LENGTH);
  }

  @Test
  void shouldBelieveItsOwnCopyOfTheLastWriterWhereNoOtherNodeHasOne() throws Exception {
    write(content, LENGTH, 2, 1, 2);
    nodes.get(1).rot(content, 5_000);
    assertEquals(Repaired.Outcome.SAME, repair(wanted(LENGTH, 2)).outcome());
    assertEquals(List.of(), copiedBlocks);
    assertHeld(content, LENGTH);
    self().rot(content, 5_000);
    nowhere(wanted(LENGTH, 2));
  }

  @Test
  void shouldReplaceAStaleCopyOfTheSameLength() throws Exception {
    byte[] stale = content.clone();
    System.arraycopy(other, 4_096, stale, 4_096, LENGTH - 4_096);
    write(stale, LENGTH, 1, 1);
    write(content, LENGTH, 2, 2, 3);
    repair(wanted(LENGTH, 2));
    assertHeld(content, LENGTH);
    assertEquals(List.of(1L, 2L), copiedBlocks);
  }

  @Test
  void shouldCopyTheRottenBlockAlone() throws Exception {
    write(content, LENGTH, 1, 1, 2);
    self().rot(content, 5_000);
    assertEquals(Repaired.copied(4_096), repair(wanted(LENGTH, 1)));
    assertHeld(content, LENGTH);
    assertEquals(List.of(1L), copiedBlocks);
  }

  @Test
  void shouldCutWhatADeadWriterLeftBehindTheLength() throws Exception {
    write(content, 12_000, 1, 1);
    write(content, LENGTH, 1, 2);
    assertEquals(Repaired.SAME, repair(wanted(LENGTH, 2)));
    assertHeld(content, LENGTH);
  }

  @Test
  void shouldNotBelieveANodeThatIsLeftOut() throws Exception {
    write(other, LENGTH, 1, 2, 4);
    write(content, LENGTH, 1, 3);
    repair(wanted(LENGTH, 1, node(2), node(4)));
    assertHeld(content, LENGTH);
  }

  @Test
  void shouldBelieveStrangersThatAgree() throws Exception {
    write(content, LENGTH, 1, 4, 5);
    write(content, 5_000, 1, 2);
    repair(wanted(LENGTH, 1));
    assertHeld(content, LENGTH);
  }

  @Test
  void shouldCopyNothingWhereStrangersDiffer() throws Exception {
    write(content, LENGTH, 1, 4);
    write(other, LENGTH, 1, 5);
    VdfsException failure = failure(wanted(LENGTH, 1));
    assertEquals(ErrorCode.CORRUPT, failure.code());
    assertTrue(failure.getMessage().contains("differ in block 0"), failure.getMessage());
    assertEquals(0, self().store().group(FILE, 0).length());
  }

  @Test
  void shouldGoOnWhereASourceDiedInTheMiddle() throws Exception {
    write(content, LENGTH, 1, 2, 3);
    beforeCopy =
        () -> {
          if (copiedBlocks.size() == 2) {
            stop(nodes.get(1));
          }
        };
    assertEquals(ErrorCode.UNAVAILABLE, failure(wanted(LENGTH, 1)).code());
    assertEquals(List.of(0L, 1L), copiedBlocks);
    assertEquals(4_096, self().store().group(FILE, 0).length());
    copiedBlocks.clear();
    beforeCopy = () -> {};
    assertEquals(Repaired.copied(LENGTH - 4_096), repair(wanted(LENGTH, 1)));
    assertHeld(content, LENGTH);
    assertEquals(List.of(1L, 2L), copiedBlocks);
  }

  private static void stop(StoreNode node) {
    try {
      node.stop();
    } catch (VdfsException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldNotGiveWayWhereItsOwnBytesCountAndAreNotOlder() throws Exception {
    write(other, 8_192, 1, 1);
    write(content, LENGTH, 1, 2);
    WantedGroup counting = new WantedGroup(new GroupKey(FILE, 0), LENGTH, 0, 1, Map.of(), true);
    VdfsException failure = failure(counting);
    assertEquals(ErrorCode.CORRUPT, failure.code());
    assertHeld(other, 8_192);
  }

  @Test
  void shouldGiveWayToYoungerBytesThoughItsOwnCount() throws Exception {
    write(other, 8_192, 1, 1);
    write(content, LENGTH, 2, 2);
    repair(new WantedGroup(new GroupKey(FILE, 0), LENGTH, 0, 2, Map.of(), true));
    assertHeld(content, LENGTH);
  }

  private static int checksum(byte[] bytes) {
    return Crc32c.of(ByteBuffer.wrap(bytes, 0, LENGTH));
  }

  private static WantedGroup asWritten(byte[] bytes, boolean ownCounts) {
    return new WantedGroup(new GroupKey(FILE, 0), LENGTH, checksum(bytes), 1, Map.of(), ownCounts);
  }

  @Test
  void shouldGiveWayWhereItsOwnBytesAreNotThoseWritten() throws Exception {
    write(other, LENGTH, 1, 1);
    write(content, LENGTH, 1, 2);
    assertEquals(Repaired.Outcome.COPIED, repair(asWritten(content, true)).outcome());
    assertHeld(content, LENGTH);
  }

  /** However many say otherwise. */
  @Test
  void shouldCopyFromTheNodeThatHasWhatWasWritten() throws Exception {
    write(other, LENGTH, 1, 1, 2, 4, 5);
    write(content, LENGTH, 1, 3);
    assertEquals(Repaired.Outcome.COPIED, repair(asWritten(content, false)).outcome());
    assertHeld(content, LENGTH);
  }

  @Test
  void shouldKeepItsBytesWhereTheyAreThoseWritten() throws Exception {
    write(content, LENGTH, 1, 1);
    write(other, LENGTH, 1, 2, 3);
    repair(
        new WantedGroup(
            new GroupKey(FILE, 0), LENGTH, checksum(content), 1, Map.of(node(1), 1), false));
    assertHeld(content, LENGTH);
  }

  @Test
  void shouldMakeDoWithWhatIsSoundWhereNobodyHasWhatWasWritten() throws Exception {
    write(other, LENGTH, 1, 2, 3);
    assertEquals(Repaired.Outcome.COPIED, repair(asWritten(content, false)).outcome());
    assertHeld(other, LENGTH);
  }

  /** Their other bytes count as much as its own. */
  @Test
  void shouldKeepItsOtherBytesWhereNobodyHasWhatWasWritten() throws Exception {
    anySound = false;
    byte[] third = other.clone();
    third[1]++;
    write(third, LENGTH, 1, 1);
    write(other, LENGTH, 1, 2, 3, 4, 5);
    assertEquals(Repaired.Outcome.NOWHERE, repair(asWritten(content, true)).outcome());
    assertHeld(third, LENGTH);
  }

  /** Neither of two copies that contradict each other is right, but a node off the list is. */
  @Test
  void shouldFindWhatWasWrittenBehindCopiesThatContradictEachOther() throws Exception {
    byte[] one = content.clone();
    one[1]++;
    byte[] two = content.clone();
    two[9_000]++;
    write(one, LENGTH, 1, 2);
    write(two, LENGTH, 1, 3);
    write(content, LENGTH, 1, 5);
    assertEquals(Repaired.Outcome.COPIED, repair(asWritten(content, false)).outcome());
    assertHeld(content, LENGTH);
  }

  /** Though it was left out under an epoch that its blocks do not have. */
  @Test
  void shouldBelieveANodeThatWasLeftOutIfItHasWhatWasWritten() throws Exception {
    write(other, LENGTH, 2, 3);
    write(content, LENGTH, 1, 2);
    repair(
        new WantedGroup(
            new GroupKey(FILE, 0), LENGTH, checksum(content), 2, Map.of(node(2), 2), false));
    assertHeld(content, LENGTH);
  }

  @Test
  void shouldWaitForANodeThatMayHaveWhatWasWritten() throws Exception {
    write(other, LENGTH, 1, 2);
    stop(nodes.get(2));
    failure(asWritten(content, false));
    assertHeld(other, 0);
  }

  @Test
  void shouldEndQuietlyWhereTheFileIsGone() throws Exception {
    exists = false;
    assertEquals(Repaired.GONE, repair(wanted(LENGTH, 1)));
  }

  @Test
  void shouldNotBringADeletedFileBack() throws Exception {
    write(content, LENGTH, 1, 1, 2);
    self().rot(content, 100);
    exists = false;
    beforeCopy = () -> delete(self());
    assertEquals(Repaired.GONE, repair(wanted(LENGTH, 1)));
    assertEquals(List.of(0L), copiedBlocks);
    assertEquals(0, self().store().group(FILE, 0).length());
    copiedBlocks.clear();
    assertEquals(Repaired.GONE, repair(wanted(LENGTH, 1)));
    assertEquals(List.of(0L), copiedBlocks);
    assertEquals(0, self().store().group(FILE, 0).length());
  }

  private static void delete(StoreNode node) {
    try {
      node.store().delete(FILE);
    } catch (VdfsException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldLeaveAGroupToALaterWriter() throws Exception {
    write(content, LENGTH, 1, 2);
    self().store().fence(FILE, 0, 5);
    assertEquals(ErrorCode.FENCED, failure(wanted(LENGTH, 3)).code());
    assertEquals(0, self().store().group(FILE, 0).length());
  }

  @Test
  void shouldNotCutWhatTheNextWriterAppended() throws Exception {
    write(content, LENGTH, 1, 1, 2);
    // the node goes down with the writer, which never ends the group
    self().new Open(FILE, LENGTH, 2).append(content, LENGTH, 12_000);
    self().stop();
    self().start();
    assertHeld(content, 12_000);
    assertEquals(2, self().store().group(FILE, 0).fenceEpoch());
    assertEquals(ErrorCode.FENCED, failure(wanted(LENGTH, 1)).code());
    assertHeld(content, 12_000);
  }

  @Test
  void shouldTellWhichOfItsBlocksAreOfAnEpoch() throws Exception {
    StoreGroups own =
        new StoreGroups(self().store(), GEOMETRY, (source, file, block, length, role, epoch) -> {});
    GroupKey group = new GroupKey(FILE, 0);
    write(content, 8_192, 1, 1);
    self().write(FILE, content, 8_192, LENGTH, 2);
    assertEquals(LENGTH, own.length(group));
    assertTrue(own.isOf(group, 8_192, 1));
    assertTrue(!own.isOf(group, LENGTH, 1) && !own.isOf(group, LENGTH, 2));
    assertTrue(!own.isOf(group, 8_193, 1) && !own.isOf(new GroupKey(FILE, 1), 1, 1));
  }

  @Test
  void shouldKeepTheRoleThatTheListGives() throws Exception {
    write(content, LENGTH, 1, 2);
    repair(wanted(LENGTH, 1));
    assertEquals(BlockRole.PRIMARY, self().store().locate(FILE, 0).orElseThrow().role());
  }
}
