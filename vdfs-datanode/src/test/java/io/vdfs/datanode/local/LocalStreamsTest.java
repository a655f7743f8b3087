package io.vdfs.datanode.local;

import static io.vdfs.datanode.Await.awaitThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.MessageLite;
import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireChecksums;
import io.vdfs.common.wire.proto.LocalGrant;
import io.vdfs.common.wire.proto.LocalRequest;
import io.vdfs.common.wire.proto.ReplicaResponse;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.DoubtedBlocks;
import io.vdfs.datanode.store.HeapIndexedStores;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.stream.BlockWarmer;
import io.vdfs.datanode.transfer.InMemoryBlockStore;
import io.vdfs.datanode.transfer.Peer;
import io.vdfs.datanode.transfer.Requests;
import io.vdfs.datanode.transfer.TestPeers;
import io.vdfs.datanode.transfer.TransferCounter;
import io.vdfs.datanode.transfer.TransferSettings;
import io.vdfs.datanode.transfer.server.Deliveries;
import io.vdfs.datanode.transfer.server.TransferServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Local delivery over the data port, against a peer that speaks the protocol by hand. */
@Timeout(60)
class LocalStreamsTest {
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(8 << 20, 1, 64 << 10, 12);
  private static final int BLOCK = GEOMETRY.blockSize();
  private static final int CHUNK = GEOMETRY.chunkSize();
  private static final int HEAD = 256 << 10;
  private static final int READ_BUDGET = 8 << 20;
  private static final UUID CLUSTER = UUID.randomUUID();
  private static final NodeId SELF = NodeId.random();
  private static final FileKey FILE = new FileKey(77, 3);

  @TempDir private Path volume;
  private final Requests requests = new Requests(CLUSTER, SELF, FILE, CHUNK);
  private final InMemoryBlockStore store = new InMemoryBlockStore(GEOMETRY);
  private final DataConnections connections =
      new DataConnections(Duration.ofSeconds(2), new Counters<>(NetCounter.class));
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger takenHeads = new AtomicInteger();
  private volatile CompletableFuture<Void> warm = CompletableFuture.completedFuture(null);

  /** Whether a block is in memory from an offset to its end. */
  private volatile BiPredicate<Long, Integer> inMemory = (block, offset) -> false;

  private BlockStore blocks;
  private LocalDelivery local;
  private TransferServer server;

  @BeforeEach
  void start() throws VdfsException {
    byte[] content = new byte[BLOCK];
    new Random(1).nextBytes(content);
    ByteBuffer data = ByteBuffer.wrap(content);
    blocks =
        HeapIndexedStores.open(
            new StoreConfig(
                CLUSTER,
                SELF,
                GEOMETRY,
                List.of(volume),
                volume.resolve("index"),
                0,
                StoreConfig.DEFAULT_WRITE_BACK,
                StoreConfig.DEFAULT_MAX_OPEN_FILES));
    BlockWriter onDisk = blocks.openWriter(FILE, BlockRole.PRIMARY, 1, 0, 0);
    onDisk.append(0, VerifiedChunks.compute(data, CHUNK));
    onDisk.close(false);
    BlockWriter inMemory = store.openWriter(FILE, BlockRole.PRIMARY, 1, 0, 0);
    inMemory.append(0, VerifiedChunks.compute(data, CHUNK));
    inMemory.close(false);
    local = LocalDelivery.open(blocks, GEOMETRY, List.of(volume), warmer());
    TransferSettings usual = TransferSettings.DEFAULT;
    server =
        TransferServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            TestPeers.alone(CLUSTER, SELF),
            GEOMETRY,
            store,
            new DoubtedBlocks(),
            store,
            new Deliveries(Optional.of(local), Optional.empty()),
            connections,
            new TransferSettings(
                usual.hopLimit(),
                usual.hopStep(),
                usual.readStall(),
                usual.diskThreads(),
                usual.pipelineBacklog(),
                usual.writeBudget(),
                READ_BUDGET,
                usual.maxStreams(),
                usual.peers()));
  }

  private BlockWarmer warmer() {
    return new BlockWarmer() {
      @Override
      public CompletableFuture<Void> warm(FileKey file, long block, int offset, int length) {
        return warm;
      }

      @Override
      public boolean takeFromMemory(FileKey file, long block, int offset, int length) {
        return offset + length == BLOCK && inMemory.test(block, offset);
      }
    };
  }

  @AfterEach
  void stop() throws VdfsException {
    goOn.countDown();
    server.close();
    local.close();
    blocks.close();
    connections.close();
  }

  @Test
  void shouldSendKeptBytesAndElseTellWhereTheyLie() throws IOException {
    store.keepHeads(() -> HEAD);
    try (Peer peer = new Peer(server.port())) {
      send(peer, FrameType.LOCAL_REQUEST, 1, requests.readByOneself(0, HEAD));
      Peer.Answer kept = peer.receive();
      assertEquals("", grant(kept, 1).getPath());
      assertEquals(HEAD, kept.payload().size());

      send(peer, FrameType.LOCAL_REQUEST, 1, requests.readByOneself(HEAD, HEAD));
      assertFalse(grant(peer.receive(), 1).getPath().isEmpty());
    }
  }

  @Test
  void shouldGrantBlocksBehindOnlyWithAllBeforeThem() throws IOException {
    ByteBuffer data = ByteBuffer.wrap(new byte[BLOCK]);
    for (BlockStore each : List.of(blocks, store)) {
      BlockWriter behind = each.openWriter(FILE, BlockRole.PRIMARY, 1, BLOCK, 1);
      behind.append(BLOCK, VerifiedChunks.compute(data, CHUNK));
      behind.close(false);
    }
    try (Peer peer = new Peer(server.port())) {
      grant(peer, 0, HEAD, true, 7); // makes the name
      inMemory = (block, offset) -> true;
      LocalGrant both = grant(peer, 0, HEAD, true, 7);
      assertEquals(HEAD, both.getRest().getOffset());
      assertEquals(BLOCK - HEAD, both.getRest().getLength());
      assertEquals(both.getPosition() + HEAD, both.getRest().getPosition());
      assertTrue(WireChecksums.holds(both.getRest().getChecksums(), (BLOCK - HEAD) / CHUNK));
      assertEquals(1, both.getFollowingCount());
      assertEquals(BLOCK, both.getFollowing(0).getLength());

      assertFalse(grant(peer, 0, HEAD, false, 7).hasRest(), "not asked for");
      assertEquals(0, grant(peer, 0, HEAD, false, 7).getFollowingCount(), "without the rest");
      assertFalse(grant(peer, 0, BLOCK, true, 7).hasRest(), "there is none");
      assertEquals(1, grant(peer, 0, BLOCK, true, 7).getFollowingCount());
      assertEquals(0, grant(peer, 0, HEAD, true, 0).getFollowingCount(), "not asked for");
      assertTrue(grant(peer, 1, HEAD, true, 7).hasRest());

      inMemory = (block, offset) -> block == 1;
      assertFalse(grant(peer, 0, HEAD, true, 7).hasRest());
      assertEquals(0, grant(peer, 0, HEAD, true, 7).getFollowingCount(), "without the rest");
      assertEquals(1, grant(peer, 0, BLOCK, false, 7).getFollowingCount());
    }
  }

  /** The answer to a question for the first bytes of a block, and what is behind them. */
  private LocalGrant grant(Peer peer, long block, int length, boolean rest, int following)
      throws IOException {
    LocalRequest asked =
        requests.readByOneself(0, length).toBuilder()
            .setBlock(block)
            .setRest(rest)
            .setFollowing(following)
            .build();
    send(peer, FrameType.LOCAL_REQUEST, 1, asked);
    LocalGrant grant = grant(peer.receive(), 1);
    assertEquals(length, grant.getLength());
    return grant;
  }

  @Test
  void shouldHoldFewOfTheKeptBytesThatAPeerDoesNotTake() throws Exception {
    int most = 500;
    holdUp(HEAD);
    try (Peer sleeper = new Peer(server.port(), 4096)) {
      for (int stream = 1; stream <= most; stream++) {
        send(sleeper, FrameType.LOCAL_REQUEST, stream, requests.readByOneself(0, HEAD));
      }
      awaitTakenUp(sleeper, most + 1);
      goOn.countDown();
      awaitThat(() -> asked.get() == most && bytesSent() >= READ_BUDGET);
    }
    assertAllMemoryIsFree();
    // once for the sleeper, once for the last reads, and what the kernel took
    assertTrue(bytesSent() <= 4 * READ_BUDGET, () -> "handed on: " + bytesSent());
  }

  @Test
  void shouldHaveTheMemoryBackOfKeptBytesThatAreGivenUp() throws Exception {
    holdUp(HEAD);
    try (Peer peer = new Peer(server.port())) {
      for (int stream = 1; stream <= 100; stream++) {
        send(peer, FrameType.LOCAL_REQUEST, stream, requests.readByOneself(0, HEAD));
      }
      for (int stream = 1; stream <= 90; stream++) {
        cancel(peer, stream);
      }
      awaitTakenUp(peer, 101);
      goOn.countDown();
      for (int stream = 91; stream <= 100; stream++) {
        assertEquals(HEAD, peer.receive().payload().size());
      }
      assertEquals(10 * HEAD, bytesSent());
      assertAllMemoryIsFree();
    }
  }

  @Test
  void shouldHaveTheMemoryBackOfKeptBytesThatAreGivenUpInLineForIt() throws Exception {
    int ranges = 4;
    CountDownLatch allRead = new CountDownLatch(ranges);
    store.beforeReads(
        () -> {
          allRead.countDown();
          awaitOpen(goOn);
        });
    store.keepHeads(
        () -> {
          asked.incrementAndGet();
          return HEAD;
        });
    store.beforeHeadsAreTaken(
        () -> {
          takenHeads.incrementAndGet();
          return true;
        });
    try (Peer reader = new Peer(server.port());
        Peer peer = new Peer(server.port())) {
      for (int stream = 1; stream <= ranges; stream++) {
        send(reader, FrameType.READ_REQUEST, stream, requests.read(0, READ_BUDGET / ranges));
      }
      awaitOpen(allRead);
      for (int stream = 1; stream <= 10; stream++) {
        send(peer, FrameType.LOCAL_REQUEST, stream, requests.readByOneself(0, HEAD));
      }
      awaitThat(() -> asked.get() == 10);
      awaitTakenUp(peer, 11);
      for (int stream = 1; stream <= 9; stream++) {
        cancel(peer, stream);
      }
      awaitTakenUp(peer, 11);
      assertEquals(0, bytesSent());
      assertEquals(0, takenHeads.get(), "held without a share of the budget");
      goOn.countDown();

      for (int piece = 0; piece < READ_BUDGET / (512 << 10); piece++) {
        reader.receive();
      }
      assertEquals(10, peer.receive().stream());
      assertEquals(READ_BUDGET + HEAD, bytesSent());
      assertEquals(1, takenHeads.get());
    }
    assertAllMemoryIsFree();
  }

  @Test
  void shouldTellWhereBytesLieThatAreNoLongerKeptWhenThereIsMemoryForThem() throws IOException {
    store.keepHeads(() -> HEAD);
    store.beforeHeadsAreTaken(() -> false);
    warm = new CompletableFuture<>();
    try (Peer peer = new Peer(server.port())) {
      send(peer, FrameType.LOCAL_REQUEST, 1, requests.readByOneself(0, HEAD));
      awaitThat(() -> warm.getNumberOfDependents() > 0);
      assertAllMemoryIsFree();

      warm.complete(null);

      assertFalse(grant(peer.receive(), 1).getPath().isEmpty());
    }
  }

  @Test
  void shouldCutOffAPeerThatGivesUpMoreThanItMayAskFor() throws Exception {
    holdUp(0);
    try (Peer peer = new Peer(server.port())) {
      askAndGiveUp(peer, 1, 2000);

      peer.assertCutOff();
      assertEquals(1, server.counters().get(TransferCounter.CLOSED_PROTOCOL));
    }
  }

  @Test
  void shouldMakeRoomForOthersWhenRequestsThatWereGivenUpAreOver() throws Exception {
    holdUp(0);
    try (Peer peer = new Peer(server.port())) {
      askAndGiveUp(peer, 1, 1000);
      awaitTakenUp(peer, 2001);
      goOn.countDown();
      awaitThat(() -> asked.get() == 1000);
      // behind all of these except those that the other threads may still have
      send(peer, FrameType.LOCAL_REQUEST, 2001, requests.readByOneself(0, CHUNK));
      grant(peer.receive(), 2001);

      askAndGiveUp(peer, 1001, 1000);

      awaitTakenUp(peer, 2001);
    }
  }

  @Test
  void shouldLetAnIdBeUsedAgainWhoseRequestWasGivenUpWhileTheDiskReads() throws Exception {
    CompletableFuture<Void> turn = new CompletableFuture<>();
    warm = turn;
    try (Peer peer = new Peer(server.port())) {
      send(peer, FrameType.LOCAL_REQUEST, 1, requests.readByOneself(0, CHUNK));
      awaitThat(() -> turn.getNumberOfDependents() > 0);
      cancel(peer, 1);
      awaitThat(turn::isCancelled);
      warm = CompletableFuture.completedFuture(null);

      send(peer, FrameType.LOCAL_REQUEST, 1, requests.readByOneself(0, CHUNK));

      assertFalse(grant(peer.receive(), 1).getPath().isEmpty());
    }
  }

  private void holdUp(int headBytes) {
    store.keepHeads(
        () -> {
          awaitOpen(goOn);
          asked.incrementAndGet();
          return headBytes;
        });
  }

  private long bytesSent() {
    return server.counters().get(TransferCounter.BYTES_READ);
  }

  /** Which four ranges fill at a time. */
  private void assertAllMemoryIsFree() throws IOException {
    int ranges = 4;
    CountDownLatch allRead = new CountDownLatch(ranges);
    store.beforeReads(
        () -> {
          allRead.countDown();
          awaitOpen(allRead);
        });
    try (Peer peer = new Peer(server.port())) {
      for (int stream = 1; stream <= ranges; stream++) {
        send(peer, FrameType.READ_REQUEST, stream, requests.read(0, READ_BUDGET / ranges));
      }
      awaitOpen(allRead);
    }
  }

  private void askAndGiveUp(Peer peer, int first, int times) throws IOException {
    LocalRequest request = requests.readByOneself(0, CHUNK);
    try {
      for (int stream = first; stream < first + times; stream++) {
        send(peer, FrameType.LOCAL_REQUEST, stream, request);
        cancel(peer, stream);
      }
    } catch (SocketException e) {
      assertEquals(1, server.counters().get(TransferCounter.CLOSED_PROTOCOL), e::toString);
    }
  }

  /** Comes back when the node has read all that was sent. */
  private void awaitTakenUp(Peer peer, int stream) throws IOException {
    send(peer, FrameType.REPLICA_REQUEST, stream, requests.visibleLength());
    Peer.Answer answer = peer.receive();
    while (answer.stream() != stream) {
      answer = peer.receive();
    }
    assertFalse(ReplicaResponse.parseFrom(answer.header()).hasError());
  }

  private static void send(Peer peer, FrameType type, int stream, MessageLite request)
      throws IOException {
    peer.send(type, stream, request, null);
  }

  private static void cancel(Peer peer, int stream) throws IOException {
    send(peer, FrameType.CANCEL, stream, LocalRequest.getDefaultInstance());
  }

  private static LocalGrant grant(Peer.Answer answer, int stream) throws IOException {
    assertEquals(stream, answer.stream());
    LocalGrant grant = LocalGrant.parseFrom(answer.header());
    assertFalse(grant.hasError(), () -> grant.getError().getMessage());
    return grant;
  }

  private static void awaitOpen(CountDownLatch latch) {
    try {
      assertTrue(latch.await(20, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
