package io.vdfs.client.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.io.replica.Exclusion;
import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.io.replica.GroupPlaces;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.client.read.BlockDeliveries;
import io.vdfs.client.read.FileReader;
import io.vdfs.client.read.FileRoundTripTest;
import io.vdfs.client.read.PartChecksums;
import io.vdfs.client.read.ReadCursor;
import io.vdfs.client.read.ViewSource;
import io.vdfs.client.write.FileWriter;
import io.vdfs.client.write.WriteCoordinator;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.net.NetCounter;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One fault at a time, at a known place. */
@Timeout(60)
@ParameterizedClass
@EnumSource(StoreKind.class)
class FaultTest {
  private static final int GROUP = (int) TestCluster.GEOMETRY.groupSize();

  private final StoreKind kind;

  FaultTest(StoreKind kind) {
    this.kind = kind;
  }

  private TestCluster cluster(int nodes, int replication) throws IOException {
    return cluster(nodes, replication, TestCluster.PATIENT);
  }

  private TestCluster cluster(int nodes, int replication, TestCluster.Limits limits)
      throws IOException {
    return new TestCluster(kind, nodes, replication, limits);
  }

  @BeforeAll
  static void watchForLeaks() {
    LeakWatch.install();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void shouldGoOnWithoutANodeWhoseConnectionsBreak(int broken) throws IOException {
    try (TestCluster cluster = cluster(3, 3)) {
      assertGoesOnWithout(cluster, broken, () -> cluster.nodes.get(broken).proxy.refuse());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void shouldGoOnWithoutANodeWhoseDiskIsFull(int broken) throws IOException {
    try (TestCluster cluster = cluster(3, 3, TestCluster.UNHURRIED)) {
      assertGoesOnWithout(cluster, broken, () -> cluster.nodes.get(broken).store.fillUp());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void shouldNameTheNodeWhoseDiskStandsStill(int broken) throws IOException {
    try (TestCluster cluster = cluster(3, 3, TestCluster.GRADED)) {
      long begun = System.nanoTime();
      assertGoesOnWithout(cluster, broken, () -> cluster.nodes.get(broken).store.stall());
      long took = System.nanoTime() - begun;

      assertTrue(took < TimeUnit.SECONDS.toNanos(20), "took=" + took);
      cluster.nodes.get(broken).store.goOn();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void shouldNameTheNodeWhoseNetworkStandsStill(int broken) throws IOException {
    try (TestCluster cluster = cluster(3, 3, TestCluster.GRADED)) {
      assertGoesOnWithout(cluster, broken, () -> cluster.nodes.get(broken).proxy.stall(true));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void shouldBlameTheNodeWhereABitIsFlippedOnTheWire(int where) throws IOException {
    for (int at = 60; at < 4000; at += 397) {
      try (TestCluster cluster = cluster(3, 3)) {
        byte[] content = TestCluster.bytes(at, GROUP);
        cluster.nodes.get(where).proxy.flipAfter(at, true);
        try (FileWriter writer = cluster.create()) {
          writer.write(content, 0, content.length);
        }

        assertEquals(
            List.of(new Exclusion(cluster.nodes.get(where).id, 0, 1)),
            cluster.metadata.view().exclusions());
        Replicas.assertHold(cluster, content, content.length);
        assertArrayEquals(content, TestCluster.readAll(cluster.reader()));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void shouldNotBelieveAnAcknowledgementWithABitFlipped(int where) throws IOException {
    for (int at = 0; at < 120; at += 7) {
      try (TestCluster cluster = cluster(3, 3)) {
        byte[] content = TestCluster.bytes(at, GROUP);
        cluster.nodes.get(where).proxy.flipAfter(at, false);
        try (FileWriter writer = cluster.create()) {
          writer.write(content, 0, 3000);
          writer.flush();
          Replicas.assertHold(cluster, content, 3000);
          writer.write(content, 3000, content.length - 3000);
        }
        Replicas.assertHold(cluster, content, content.length);
      }
    }
  }

  @Test
  void shouldNotHandOutABitFlippedOnTheWayToTheReader() throws IOException {
    try (TestCluster cluster = cluster(3, 3)) {
      byte[] content = written(cluster, GROUP);
      for (int at = 0; at < GROUP; at += 331) {
        cluster.nodes.get(0).proxy.flipAfter(at, false);

        assertArrayEquals(content, TestCluster.readAll(cluster.freshReader()));
      }
    }
  }

  @Test
  void shouldStartWithoutANodeThatIsDown() throws IOException {
    try (TestCluster cluster = cluster(3, 3, TestCluster.UNHURRIED)) {
      byte[] content = TestCluster.bytes(1, 2 * GROUP);
      cluster.nodes.get(1).proxy.refuse();
      try (FileWriter writer = cluster.create()) {
        writer.write(content, 0, content.length);
      }

      assertEquals(2, cluster.metadata.changes());
      assertEquals(
          List.of(new Exclusion(cluster.nodes.get(1).id, 0, 2)),
          cluster.metadata.view().exclusions());
      Replicas.assertHold(cluster, content, content.length);
    }
  }

  @Test
  void shouldReopenTheSameNodesWhereNoneCanBeSpared() throws IOException {
    try (TestCluster cluster = cluster(2, 2)) {
      byte[] content = TestCluster.bytes(3, GROUP - 300);
      FileWriter writer = cluster.create();
      writer.write(content, 0, 3000);
      writer.flush();
      cluster.nodes.get(1).proxy.cut();
      writer.write(content, 3000, content.length - 3000);
      writer.close();

      assertEquals(List.of(), cluster.metadata.view().exclusions());
      assertTrue(cluster.metadata.changes() > 0);
      Replicas.assertHold(cluster, content, content.length);
    }
  }

  @Test
  void shouldNameBothWhenTooFewNodesAreLeft() throws IOException {
    try (TestCluster cluster = cluster(3, 3)) {
      FileWriter writer = cluster.create();
      byte[] content = TestCluster.bytes(3, 5000);
      writer.write(content, 0, 2000);
      writer.flush();
      cluster.nodes.get(0).proxy.refuse();
      cluster.nodes.get(2).proxy.refuse();

      VdfsException failed =
          assertThrows(
              VdfsException.class,
              () -> {
                writer.write(content, 2000, 3000);
                writer.flush();
              });
      Replicas.assertHold(cluster, content, 2000);
      assertEquals(ErrorCode.UNAVAILABLE, failed.code());
      String whoFailed = failed.getMessage().replaceFirst(".*failed=", "");
      assertTrue(whoFailed.contains(cluster.nodes.get(0).id.toString()), failed::getMessage);
      assertTrue(whoFailed.contains(cluster.nodes.get(2).id.toString()), failed::getMessage);
      assertFalse(whoFailed.contains(cluster.nodes.get(1).id.toString()), failed::getMessage);
    }
  }

  @Test
  void shouldCloseAFileThatAsksForMoreCopiesThanItsClusterMakes() throws IOException {
    try (TestCluster cluster = cluster(3, 1)) {
      FakeMetadata metadata = new FakeMetadata(cluster.id, TestCluster.FILE, 3);
      byte[] content = TestCluster.bytes(4, 5000);
      try (FileWriter writer = FileWriter.create(cluster.io, metadata.view(), metadata)) {
        writer.write(content, 0, content.length);
      }
      assertEquals(content.length, metadata.view().length());
      Replicas.assertHold(cluster, content, content.length);
    }
  }

  @Test
  void shouldCloseOnceTheRingHasGivenUpTheLostNode() throws IOException {
    try (TestCluster cluster = cluster(2, 2)) {
      FileWriter writer = cluster.create();
      byte[] content = TestCluster.bytes(3, 5000);
      writer.write(content, 0, 2000);
      writer.flush();
      cluster.nodes.get(1).proxy.refuse();
      cluster.giveUp(cluster.nodes.get(1));
      writer.write(content, 2000, 3000);
      writer.flush();
      writer.close();

      assertFalse(cluster.metadata.view().open());
      Replicas.assertHold(cluster, content, content.length);
    }
  }

  @Test
  void shouldNotTryForEverNodesThatOpenButCannotWrite() throws IOException {
    try (TestCluster cluster = cluster(2, 2)) {
      FileWriter writer = cluster.create();
      byte[] content = TestCluster.bytes(3, 5000);
      writer.write(content, 0, 2000);
      writer.flush();
      cluster.nodes.get(1).store.fillUp();

      VdfsException failed =
          assertThrows(
              VdfsException.class,
              () -> {
                writer.write(content, 2000, 3000);
                writer.flush();
              });
      assertEquals(ErrorCode.NO_SPACE, failed.code());
      assertTrue(failed.getMessage().contains("NO_SPACE"), failed.getMessage());
      Replicas.assertHold(cluster, content, 2000);
    }
  }

  @Test
  void shouldSayThatThereIsNoSpaceWhenTheDisksOfAllNodesAreFull() throws IOException {
    try (TestCluster cluster = cluster(3, 3)) {
      FileWriter writer = cluster.create();
      writer.write(new byte[3000], 0, 3000);
      writer.flush();
      cluster.nodes.forEach(node -> node.store.fillUp());

      VdfsException failed =
          assertThrows(
              VdfsException.class,
              () -> {
                writer.write(new byte[3000], 0, 3000);
                writer.flush();
              });
      assertEquals(ErrorCode.NO_SPACE, failed.code());
      long named =
          cluster.nodes.stream()
              .filter(node -> failed.getMessage().contains(node.id.toString()))
              .count();
      assertTrue(named >= 2, failed.getMessage());
    }
  }

  @Test
  void shouldSayThatThereIsNoSpaceWhenAFileIsBegunOnFullDisks() throws IOException {
    try (TestCluster cluster = cluster(3, 3)) {
      cluster.nodes.forEach(node -> node.store.fillUp());
      FileWriter writer = cluster.create();

      VdfsException failed =
          assertThrows(
              VdfsException.class,
              () -> {
                writer.write(new byte[3000], 0, 3000);
                writer.flush();
              });
      assertEquals(ErrorCode.NO_SPACE, failed.code());
    }
  }

  @Test
  void shouldFailWithThoseNamedThatCouldNotBeSpared() throws IOException {
    try (TestCluster cluster = cluster(3, 3)) {
      FileWriter writer = cluster.create();
      writer.write(new byte[3000], 0, 3000);
      cluster.nodes.forEach(node -> node.proxy.refuse());

      VdfsException failed = assertThrows(VdfsException.class, writer::flush);
      assertEquals(ErrorCode.UNAVAILABLE, failed.code());
      for (TestNode node : cluster.nodes.subList(0, 2)) {
        assertTrue(failed.getMessage().contains(node.id.toString()), failed.getMessage());
      }
    }
  }

  @Test
  void shouldRecoverAFlushedPartialChunkWithNothingBehindIt() throws IOException {
    try (TestCluster cluster = cluster(3, 3)) {
      byte[] content = TestCluster.bytes(3, 700);
      FileWriter writer = cluster.create();
      writer.write(content, 0, 700);
      writer.flush();
      cluster.nodes.get(1).proxy.refuse();
      writer.close();

      Replicas.assertHold(cluster, content, 700);
      assertArrayEquals(content, TestCluster.readAll(cluster.freshReader()));
    }
  }

  @Test
  void shouldFinishAnEarlierGroupWhoseNodeFailsWhileTheNextIsWritten() throws IOException {
    try (TestCluster cluster = cluster(4, 3)) {
      byte[] content = TestCluster.bytes(3, 2 * GROUP - 100);
      FileWriter writer = cluster.create();
      // the first group's second node, which owns the second group
      cluster.nodes.get(1).store.stall();
      writer.write(content, 0, GROUP + 600);
      cluster.nodes.get(1).proxy.refuse();
      cluster.nodes.get(1).store.goOn();
      writer.write(content, GROUP + 600, content.length - GROUP - 600);
      writer.close();
      assertTrue(cluster.metadata.view().excludes(cluster.nodes.get(1).id, 0));

      Replicas.assertHold(cluster, content, content.length);
      assertArrayEquals(content, TestCluster.readAll(cluster.freshReader()));
    }
  }

  @Test
  void shouldEndACallOfAnotherThreadWhenAborted() throws Exception {
    try (TestCluster cluster = cluster(3, 3)) {
      FileWriter writer = cluster.create();
      writer.write(new byte[100], 0, 100);
      writer.flush();
      cluster.nodes.forEach(node -> node.store.stall());
      writer.write(new byte[100], 0, 100);
      Thread aborter = new Thread(writer::abort);
      aborter.start();

      assertThrows(IOException.class, writer::sync);
      aborter.join();
      assertThrows(IOException.class, writer::close);
    }
  }

  @Test
  void shouldNotWaitForTheCallThatItAborts() throws Exception {
    try (TestCluster cluster = cluster(3, 3)) {
      CountDownLatch completing = new CountDownLatch(1);
      CountDownLatch goOn = new CountDownLatch(1);
      WriteCoordinator slow =
          interfered(
              WriteCoordinator.class,
              cluster.metadata,
              "complete",
              () -> {
                completing.countDown();
                goOn.await();
              });
      FileWriter writer = FileWriter.create(cluster.io, cluster.metadata.view(), slow);
      writer.write(new byte[100], 0, 100);
      CompletableFuture<Void> closing =
          CompletableFuture.runAsync(() -> assertDoesNotThrow(writer::close));
      completing.await();
      writer.abort();
      assertFalse(closing.isDone());
      goOn.countDown();

      closing.get(20, TimeUnit.SECONDS);
      assertFalse(cluster.metadata.view().open());
    }
  }

  @Test
  void shouldDieOfAnError() throws IOException {
    try (TestCluster cluster = cluster(3, 3)) {
      AtomicBoolean struck = new AtomicBoolean();
      GroupPlaces failing =
          interfered(
              GroupPlaces.class,
              cluster,
              "replicas",
              () -> {
                if (struck.compareAndSet(false, true)) {
                  throw new OutOfMemoryError("planned");
                }
              });
      ClientIo io =
          new ClientIo(
              cluster.connections,
              failing,
              TestCluster.GEOMETRY,
              cluster.id,
              cluster.io.settings(),
              BlockDeliveries::of);
      FileWriter writer = FileWriter.create(io, cluster.metadata.view(), cluster.metadata);
      byte[] content = TestCluster.bytes(1, 5000);
      assertThrows(OutOfMemoryError.class, () -> writer.write(content, 0, content.length));
      assertTrue(struck.get());

      VdfsException again = assertThrows(VdfsException.class, () -> writer.write(content, 0, 1));
      assertEquals(ErrorCode.INTERNAL, again.code());
      assertThrows(VdfsException.class, writer::close);
      assertTrue(cluster.metadata.view().open());
    }
  }

  /** An event before a call. */
  private interface Interference {
    void happen() throws Exception;
  }

  /** As {@code target}, except that something happens before each call of one method. */
  private static <T> T interfered(Class<T> type, T target, String method, Interference before) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> {
              if (called.getName().equals(method)) {
                before.happen();
              }
              return called.invoke(target, arguments);
            }));
  }

  @Test
  void shouldTurnToAnotherReplicaInTheMiddleOfABlock() throws IOException {
    try (TestCluster cluster = cluster(3, 3)) {
      byte[] content = written(cluster, 3 * GROUP);
      for (int group = 0; group < 3; group++) {
        TestNode owner = cluster.nodes.get(group % 3);
        assertTrue(owner.store.damage(TestCluster.FILE, group * (long) GROUP + 1500));
      }

      assertArrayEquals(content, TestCluster.readAll(cluster.reader()));
      assertTrue(cluster.io.counters().get(IoCounter.CORRUPT_CHUNKS) > 0);
      assertTrue(cluster.io.counters().get(IoCounter.READ_FAILOVERS) > 0);
      assertArrayEquals(content, FileRoundTripTest.readByCursor(cluster.freshReader(), 1000));
    }
  }

  @Test
  void shouldTellWhichNodesGaveTheBytesOfABlock() throws IOException {
    try (TestCluster cluster = cluster(3, 3)) {
      byte[] content = written(cluster, GROUP);
      cluster.nodes.get(0).store.lose(TestCluster.FILE, 0, 1500);
      Map<NodeId, Integer> given = new HashMap<>();
      ByteBuffer target = ByteBuffer.allocate(2000);
      int read =
          cluster
              .reader()
              .read(100, target, (node, bytes) -> given.merge(node.id(), bytes, Integer::sum));

      assertArrayEquals(
          Arrays.copyOfRange(content, 100, 100 + read), Arrays.copyOf(target.array(), read));
      assertEquals(1948, read, "to the end of the block");
      assertEquals(
          Map.of(cluster.nodes.get(0).id, 1024 - 100, cluster.nodes.get(1).id, 1024), given);
    }
  }

  @Test
  void shouldTellNoNodeOfBytesThatNoReaderGot() throws IOException {
    try (TestCluster cluster = cluster(3, 3)) {
      written(cluster, GROUP);
      for (TestNode node : cluster.nodes) {
        assertTrue(node.store.damage(TestCluster.FILE, 1500));
      }
      List<Integer> given = new ArrayList<>();
      ReadTally tally = (node, bytes) -> given.add(bytes);
      FileReader reader = cluster.reader();
      int sound = 1500 - 1500 % TestCluster.GEOMETRY.chunkSize();
      ByteBuffer target = ByteBuffer.allocate(2000);

      assertThrows(
          VdfsException.class,
          () -> {
            while (target.hasRemaining()) {
              reader.read(target.position(), target, tally);
            }
          });

      assertEquals(sound, target.position());
      assertEquals(sound, given.stream().mapToInt(Integer::intValue).sum());
    }
  }

  @Test
  void shouldReadOnWhenTheNodeBeingReadDies() throws IOException {
    try (TestCluster cluster = cluster(3, 3)) {
      byte[] content = written(cluster, 4 * GROUP);
      try (ReadCursor cursor = cluster.reader().cursor()) {
        byte[] seen = new byte[content.length];
        int at = 0;
        while (at < seen.length) {
          if (at > GROUP / 2) {
            cluster.nodes.get(0).proxy.refuse();
          }
          at += cursor.read(seen, at, Math.min(300, seen.length - at));
        }
        assertArrayEquals(content, seen);
      }
    }
  }

  @Test
  void shouldReadOnWhenANodeStandsStill() throws IOException {
    try (TestCluster cluster = cluster(3, 3)) {
      byte[] content = written(cluster, 2 * GROUP);
      cluster.nodes.get(0).proxy.stall(true);

      assertArrayEquals(content, TestCluster.readAll(cluster.reader()));
    }
  }

  /** As after a cut of the network, of which no peer was told. */
  @Test
  void shouldConnectAnewWhereConnectionsHaveGoneSilent() throws IOException {
    try (TestCluster cluster = cluster(3, 3, TestCluster.HASTY)) {
      byte[] content = written(cluster, 3 * GROUP);
      assertArrayEquals(content, TestCluster.readAll(cluster.reader()));
      cluster.nodes.forEach(node -> node.proxy.forget());
      Counters<NetCounter> net = cluster.connections.counters();
      long opened = net.get(NetCounter.CONNECTIONS_OPENED);

      assertArrayEquals(content, TestCluster.readAll(cluster.reader()));
      assertTrue(net.get(NetCounter.CONNECTIONS_OPENED) > opened);
    }
  }

  /** Only the question fails that finds out. */
  @Test
  void shouldTellChecksumsAgainWhereConnectionsHaveGoneSilent() throws IOException {
    try (TestCluster cluster = cluster(3, 3, TestCluster.HASTY)) {
      byte[] content = written(cluster, 3 * GROUP);
      PartChecksums checksums = new PartChecksums(cluster.io);
      FileView view = cluster.metadata.view();
      byte[] sound = checksums.of(view, 0, GROUP, 128);
      assertArrayEquals(content, TestCluster.readAll(cluster.reader()));
      cluster.nodes.forEach(node -> node.proxy.forget());

      assertThrows(VdfsException.class, () -> checksums.of(view, 0, GROUP, 128));
      assertArrayEquals(sound, checksums.of(view, 0, GROUP, 128));
    }
  }

  @Test
  void shouldTurnFromAReplicaThatIsTooShort() throws IOException {
    try (TestCluster cluster = cluster(3, 3)) {
      byte[] content = written(cluster, GROUP);
      cluster.nodes.get(0).store.lose(TestCluster.FILE, 0, 3333);
      cluster.nodes.get(1).store.lose(TestCluster.FILE, 0, 5000);

      assertArrayEquals(content, TestCluster.readAll(cluster.reader()));
    }
  }

  @Test
  void shouldFindNodesThatHaveMovedWithoutMetadata() throws IOException {
    try (TestCluster cluster = cluster(3, 3)) {
      Counters<IoCounter> counters = assertReadsOnceSeen(cluster, new MovedNodes(cluster, 1));

      assertTrue(counters.get(IoCounter.READ_FAILOVERS) >= 3);
      assertEquals(0, counters.get(IoCounter.READ_WAITS));
    }
  }

  @Test
  void shouldWaitForNodesThatAreStarting() throws IOException {
    try (TestCluster cluster = cluster(3, 3)) {
      Counters<IoCounter> counters = assertReadsOnceSeen(cluster, new MovedNodes(cluster, 3));

      assertEquals(2, counters.get(IoCounter.READ_WAITS));
    }
  }

  private Counters<IoCounter> assertReadsOnceSeen(TestCluster cluster, MovedNodes nodes)
      throws IOException {
    byte[] content = written(cluster, GROUP);
    ClientIo io = client(cluster, nodes, Duration.ofSeconds(40));

    FileReader reader = new FileReader(io, cluster.metadata.view(), nodes);

    assertArrayEquals(content, TestCluster.readAll(reader));
    assertEquals(nodes.looks, nodes.refreshes);
    return io.counters();
  }

  /**
   * @param readersWait how long readers wait for nodes
   */
  private static ClientIo client(TestCluster cluster, GroupPlaces places, Duration readersWait) {
    IoSettings usual = cluster.io.settings();
    return new ClientIo(
        cluster.connections,
        places,
        TestCluster.GEOMETRY,
        cluster.id,
        usual.with(usual.nodesWait(), readersWait, usual.readTimeout(), Delivery.AUTO, 50),
        BlockDeliveries::of);
  }

  /** Knows the old addresses of all nodes, until it has been asked to look again. */
  private static final class MovedNodes implements GroupPlaces, ViewSource {
    private static final DataAddress NOBODY = new DataAddress("127.0.0.1", 1);

    private final TestCluster cluster;
    private final int looks;
    private int refreshes;

    private MovedNodes(TestCluster cluster, int looks) {
      this.cluster = cluster;
      this.looks = looks;
    }

    @Override
    public List<ReplicaNode> replicas(FileKey file, int group) {
      return cluster.replicas(file, group).stream()
          .map(
              node ->
                  refreshes >= looks
                      ? node
                      : new ReplicaNode(node.id(), NOBODY, node.live(), node.local()))
          .toList();
    }

    @Override
    public long ringEpoch() {
      return cluster.ringEpoch() + refreshes;
    }

    @Override
    public int copies() {
      return cluster.copies();
    }

    @Override
    public void refreshNodes() {
      refreshes++;
    }

    @Override
    public FileView refresh(FileKey file) throws VdfsException {
      throw new VdfsException(ErrorCode.UNAVAILABLE, "nobody leads the metadata group");
    }
  }

  /** A file that no node has heard of. */
  private static FileView unknownFile() {
    FileKey file = new FileKey(TestCluster.FILE.fileId() + 1, 1);
    return new FileView(file, GROUP, false, 1, 3, List.of());
  }

  @Test
  void shouldSayAtOnceThatAContentIsGone() throws IOException {
    try (TestCluster cluster = cluster(3, 3)) {
      for (ErrorCode reason : List.of(ErrorCode.NOT_FOUND, ErrorCode.FILE_CHANGED)) {
        ViewSource source = failing(() -> new VdfsException(reason, "the metadata say so"));
        FileReader reader = new FileReader(cluster.io, unknownFile(), source);

        VdfsException gone =
            assertThrows(VdfsException.class, () -> reader.read(0, new byte[200], 0, 200));

        assertEquals(reason, gone.code());
        VdfsException tried = assertInstanceOf(VdfsException.class, gone.getSuppressed()[0]);
        assertTrue(tried.getMessage().contains("no replica could serve"), tried.getMessage());
      }
      assertEquals(0, cluster.io.counters().get(IoCounter.READ_WAITS));
    }
  }

  @Test
  void shouldAskOnWhereOnlyTheNodesSayThatAFileIsGone() throws IOException {
    try (TestCluster cluster = cluster(3, 3)) {
      FileView view = unknownFile();
      ClientIo io = client(cluster, cluster, Duration.ofSeconds(2));
      FileReader reader = new FileReader(io, view, ViewSource.fixed(view));

      VdfsException failed =
          assertThrows(VdfsException.class, () -> reader.read(0, new byte[200], 0, 200));

      assertEquals(ErrorCode.UNAVAILABLE, failed.code());
      assertTrue(failed.getMessage().contains("NOT_FOUND"), failed.getMessage());
      assertTrue(io.counters().get(IoCounter.READ_WAITS) > 0);
    }
  }

  /** As a stream pins it: what was flushed, whatever is recorded. */
  @Test
  void shouldReadOnWhatIsFixedAtMoreThanIsRecorded() throws IOException {
    try (TestCluster cluster = cluster(3, 3)) {
      byte[] content = TestCluster.bytes(7, 3000);
      FileWriter writer = cluster.create();
      writer.write(content, 0, content.length);
      writer.flush();
      FileView open = cluster.metadata.view();
      assertEquals(0, open.length());
      FileView fixed =
          new FileView(
              open.file(), content.length, false, open.writeEpoch(), 3, List.of(), open.lease());
      cluster.nodes.forEach(node -> node.proxy.refuse());
      ViewSource source =
          interfered(
              ViewSource.class,
              cluster.metadata,
              "refresh",
              () -> cluster.nodes.forEach(node -> node.proxy.accept(true)));

      assertArrayEquals(content, TestCluster.readAll(new FileReader(cluster.io, fixed, source)));
      writer.abort();
    }
  }

  private static ViewSource failing(Supplier<VdfsException> failures) {
    return new ViewSource() {
      @Override
      public void refreshNodes() {
        // they are where they were
      }

      @Override
      public FileView refresh(FileKey file) throws VdfsException {
        throw failures.get();
      }
    };
  }

  @Test
  void shouldNameEveryReplicaThatCouldNotServe() throws IOException {
    try (TestCluster cluster = cluster(3, 3)) {
      written(cluster, GROUP);
      cluster.nodes.get(0).proxy.refuse();
      cluster.nodes.get(1).store.damage(TestCluster.FILE, 100);
      cluster.nodes.get(2).store.lose(TestCluster.FILE, 0, 0);
      byte[] target = new byte[200];

      VdfsException failed =
          assertThrows(VdfsException.class, () -> cluster.reader().read(0, target, 0, 200));
      assertEquals(ErrorCode.UNAVAILABLE, failed.code());
      for (TestNode node : cluster.nodes) {
        assertTrue(failed.getMessage().contains(node.id.toString()), failed.getMessage());
      }
      assertArrayEquals(new byte[200], target);
    }
  }

  @Test
  void shouldSayCorruptWhenEveryReplicaIs() throws IOException {
    try (TestCluster cluster = cluster(3, 3)) {
      written(cluster, GROUP);
      for (TestNode node : cluster.nodes) {
        assertTrue(node.store.damage(TestCluster.FILE, 100));
      }

      VdfsException failed =
          assertThrows(VdfsException.class, () -> cluster.reader().read(0, new byte[200], 0, 200));
      assertEquals(ErrorCode.CORRUPT, failed.code());
    }
  }

  @Test
  void shouldTellNoChecksumOfDamagedBytes() throws IOException {
    try (TestCluster cluster = cluster(3, 3)) {
      written(cluster, GROUP);
      PartChecksums checksums = new PartChecksums(cluster.io);
      FileView view = cluster.metadata.view();
      byte[] sound = checksums.of(view, 0, GROUP, 128);

      for (TestNode node : cluster.nodes.subList(1, 3)) {
        assertTrue(node.store.damage(TestCluster.FILE, 100));
      }
      assertArrayEquals(sound, checksums.of(view, 0, GROUP, 128));
      assertTrue(cluster.nodes.get(0).store.damage(TestCluster.FILE, 100));
      VdfsException failed =
          assertThrows(VdfsException.class, () -> checksums.of(view, 0, GROUP, 128));
      assertEquals(ErrorCode.CORRUPT, failed.code());
    }
  }

  @Test
  void shouldNeverAskAnExcludedNode() throws IOException {
    try (TestCluster cluster = cluster(3, 3)) {
      byte[] content = TestCluster.bytes(5, GROUP);
      TestNode left = cluster.nodes.get(0);
      FileWriter writer = cluster.create();
      writer.write(content, 0, 2000);
      writer.flush();
      left.proxy.refuse();
      writer.write(content, 2000, content.length - 2000);
      writer.close();
      left.proxy.accept(true);

      assertArrayEquals(content, TestCluster.readAll(cluster.freshReader()));
      assertEquals(
          List.of(cluster.nodes.get(1).id, cluster.nodes.get(2).id),
          ids(ReplicaOrder.of(cluster.io, cluster.metadata.view(), 0)));
    }
  }

  @Test
  void shouldLoseNoBuffer() throws IOException {
    for (int round = 0; round < 3; round++) {
      shouldGoOnWithoutANodeWhoseConnectionsBreak(round);
      shouldReadOnWhenTheNodeBeingReadDies();
    }

    assertEquals("[]", LeakWatch.leaks().toString());
  }

  private static byte[] written(TestCluster cluster, int length) throws IOException {
    byte[] content = TestCluster.bytes(length, length);
    try (FileWriter writer = cluster.create()) {
      writer.write(content, 0, length);
    }
    return content;
  }

  private static void assertGoesOnWithout(TestCluster cluster, int broken, Runnable fault)
      throws IOException {
    byte[] content = TestCluster.bytes(broken, 2 * GROUP + 100);
    NodeId culprit = cluster.nodes.get(broken).id;
    FileWriter writer = cluster.create();
    writer.write(content, 0, 2700);
    writer.flush();
    fault.run();
    writer.write(content, 2700, 3000);
    writer.flush();
    Replicas.assertHold(cluster, content, 5700);
    writer.write(content, 5700, content.length - 5700);
    writer.close();

    List<Exclusion> exclusions = cluster.metadata.view().exclusions();
    assertEquals(List.of(new Exclusion(culprit, 0, 3)), exclusions);
    Replicas.assertHold(cluster, content, content.length);
    Replicas.assertNoMore(cluster, content.length);
    assertArrayEquals(content, TestCluster.readAll(cluster.freshReader()));
    cluster
        .metadata
        .synced()
        .forEach((group, nodes) -> assertFalse(nodes.contains(culprit), "group=" + group));
  }

  private static List<NodeId> ids(List<ReplicaNode> nodes) {
    return Arrays.asList(nodes.stream().map(ReplicaNode::id).toArray(NodeId[]::new));
  }
}
