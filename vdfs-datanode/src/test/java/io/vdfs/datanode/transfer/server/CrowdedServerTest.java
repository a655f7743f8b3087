package io.vdfs.datanode.transfer.server;

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
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ReadData;
import io.vdfs.common.wire.proto.ReplicaResponse;
import io.vdfs.common.wire.proto.WriteAck;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.transfer.InMemoryBlockStore;
import io.vdfs.datanode.transfer.Peer;
import io.vdfs.datanode.transfer.Requests;
import io.vdfs.datanode.transfer.TestPeers;
import io.vdfs.datanode.transfer.TransferCounter;
import io.vdfs.datanode.transfer.TransferSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server whose peers could get into each other's way. */
@Timeout(60)
class CrowdedServerTest {
  /** With blocks that do not fit into what the kernel keeps for a connection. */
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(8 << 20, 1, 64 << 10, 12);

  private static final int BLOCK = GEOMETRY.blockSize();
  private static final int CHUNK = GEOMETRY.chunkSize();
  private static final UUID CLUSTER = UUID.randomUUID();
  private static final NodeId SELF = NodeId.random();
  private static final FileKey FILE = new FileKey(77, 3);

  private final Requests requests = new Requests(CLUSTER, SELF, FILE, CHUNK);
  private final InMemoryBlockStore store = new InMemoryBlockStore(GEOMETRY);
  private final DataConnections connections =
      new DataConnections(Duration.ofSeconds(2), new Counters<>(NetCounter.class));
  private final CountDownLatch goOn = new CountDownLatch(1);
  private TransferServer server;

  private void start(int diskThreads, long readBudget) throws VdfsException {
    TransferSettings usual = TransferSettings.DEFAULT;
    server =
        TransferServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            TestPeers.alone(CLUSTER, SELF),
            GEOMETRY,
            store,
            store,
            connections,
            new TransferSettings(
                usual.hopLimit(),
                usual.hopStep(),
                usual.readStall(),
                diskThreads,
                usual.pipelineBacklog(),
                usual.writeBudget(),
                readBudget,
                usual.maxStreams(),
                usual.peers()));
  }

  @AfterEach
  void stop() {
    goOn.countDown();
    server.close();
    connections.close();
  }

  @Test
  void shouldServeReadersWhileNoWriteComesToAnEnd() throws Exception {
    start(1, 8 << 20);
    byte[] chunk = write(CHUNK);
    try (Peer writer = new Peer(server.port());
        Peer reader = new Peer(server.port())) {
      CountDownLatch hanging = hangAppends();
      send(writer, FrameType.WRITE_OPEN, 1, requests.open(2));
      assertReady(writer);
      writer.send(FrameType.WRITE_PACKET, 1, requests.packet(0, 0, chunk), chunk);
      awaitOpen(hanging);

      send(reader, FrameType.READ_REQUEST, 1, requests.read(0, CHUNK));

      assertEquals(CHUNK, reader.receive().payload().size());
      assertEquals(1, goOn.getCount());
    }
  }

  @Test
  void shouldLetAnotherPipelineInBeforeTheFirstOneEnds() throws Exception {
    start(1, 8 << 20);
    byte[] chunk = bytes(CHUNK);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch otherIsReady = new CountDownLatch(1);
    AtomicInteger appends = new AtomicInteger();
    store.beforeAppends(
        () -> {
          begun.countDown();
          awaitOpen(appends.incrementAndGet() == 1 ? goOn : otherIsReady);
        });
    try (Peer first = new Peer(server.port());
        Peer second = new Peer(server.port())) {
      send(first, FrameType.WRITE_OPEN, 1, requests.open(1));
      assertReady(first);
      for (int packet = 0; packet < 3; packet++) {
        first.send(
            FrameType.WRITE_PACKET,
            1,
            requests.packet(packet, (long) packet * CHUNK, chunk),
            chunk);
      }
      awaitOpen(begun);
      FileKey otherFile = new FileKey(78, 3);
      send(second, FrameType.WRITE_OPEN, 1, new Requests(CLUSTER, SELF, otherFile, CHUNK).open(1));
      awaitCount(TransferCounter.PIPELINES_OPENED, 2);

      goOn.countDown();

      assertReady(second);
      otherIsReady.countDown();
      assertEquals(0, WriteAck.parseFrom(first.receive().header()).getSequence());
    }
  }

  @Test
  void shouldTellTheWriterOfAnErrorAtOnce() throws IOException {
    start(1, 8 << 20);
    byte[] chunk = bytes(CHUNK);
    store.beforeAppends(
        () -> {
          throw new LinkageError("planted");
        });
    try (Peer writer = new Peer(server.port())) {
      send(writer, FrameType.WRITE_OPEN, 1, requests.open(1));
      assertReady(writer);
      writer.send(FrameType.WRITE_PACKET, 1, requests.packet(0, 0, chunk), chunk);

      WriteAck ack = WriteAck.parseFrom(writer.receive().header());

      assertEquals("INTERNAL", ack.getError().getCode());
      assertEquals(WireIds.encode(SELF), ack.getFailedNode());
    }
    awaitThat(() -> store.openWriters() == 0);
  }

  @Test
  void shouldServeOthersWhileAPeerTakesNothingOfAllThatItAsksFor() throws Exception {
    start(16, 64 << 20);
    write(BLOCK);
    try (Peer sleeper = new Peer(server.port(), 4096);
        Peer peer = new Peer(server.port())) {
      CountDownLatch reading = hangReads();
      for (int stream = 1; stream <= 64; stream++) {
        send(sleeper, FrameType.READ_REQUEST, stream, requests.read(0, BLOCK));
      }
      awaitOpen(reading);
      assertAnswersQuestions(sleeper, 65);
      goOn.countDown();
      awaitThat(() -> server.counters().get(TransferCounter.BYTES_READ) >= 4 << 20);

      send(peer, FrameType.READ_REQUEST, 1, requests.read(0, BLOCK));

      assertEquals(BLOCK, receiveAll(peer));
      assertEquals(0, server.counters().get(TransferCounter.CLOSED_STALLED));
    }
  }

  @Test
  void shouldHaveAllMemoryBackFromReadsThatAreGivenUp() throws Exception {
    start(16, 8 << 20);
    write(BLOCK);
    try (Peer peer = new Peer(server.port())) {
      AtomicInteger reading = new AtomicInteger();
      store.beforeReads(
          () -> {
            reading.incrementAndGet();
            awaitOpen(goOn);
          });
      for (int stream = 1; stream <= 16; stream++) {
        send(peer, FrameType.READ_REQUEST, stream, requests.read(0, BLOCK));
      }
      awaitThat(() -> reading.get() == 4);
      for (int stream = 1; stream <= 16; stream++) {
        cancel(peer, stream);
        cancel(peer, stream);
      }
      assertAnswersQuestions(peer, 17);
      goOn.countDown();

      assertServesAtATime(peer, 4);
    }
  }

  @Test
  void shouldHaveAllMemoryBackFromAPeerThatGoes() throws Exception {
    start(16, 8 << 20);
    write(BLOCK);
    try (Peer sleeper = new Peer(server.port(), 4096)) {
      for (int stream = 1; stream <= 16; stream++) {
        send(sleeper, FrameType.READ_REQUEST, stream, requests.read(0, BLOCK));
      }
      awaitThat(() -> server.counters().get(TransferCounter.BYTES_READ) >= 4 << 20);
    }
    try (Peer peer = new Peer(server.port())) {
      assertServesAtATime(peer, 4);
    }
  }

  /** Each of 2 MiB. */
  private void assertServesAtATime(Peer peer, int count) throws IOException {
    CountDownLatch allRead = new CountDownLatch(count);
    store.beforeReads(
        () -> {
          allRead.countDown();
          awaitOpen(allRead);
        });
    for (int stream = 101; stream <= 100 + count; stream++) {
      send(peer, FrameType.READ_REQUEST, stream, requests.read(0, BLOCK));
    }
    awaitOpen(allRead);
    for (int answer = 0; answer < count * BLOCK / (512 << 10); answer++) {
      assertFalse(ReadData.parseFrom(peer.receive().header()).hasError());
    }
  }

  @Test
  void shouldCutOffAPeerThatGivesUpMoreQuestionsThanItMayAsk() throws Exception {
    start(1, 8 << 20);
    write(CHUNK);
    CountDownLatch hanging = hangReads();
    try (Peer peer = new Peer(server.port())) {
      send(peer, FrameType.REPLICA_REQUEST, 1, requests.digests(CHUNK));
      awaitOpen(hanging);

      askAndGiveUp(peer, FrameType.REPLICA_REQUEST, requests.visibleLength(), 2000);

      peer.assertCutOff();
      assertEquals(1, server.counters().get(TransferCounter.CLOSED_PROTOCOL));
    }
  }

  @Test
  void shouldCutOffAPeerThatGivesUpMorePipelinesThanItMayOpen() throws Exception {
    start(1, 8 << 20);
    write(CHUNK);
    CountDownLatch hanging = hangReads();
    try (Peer peer = new Peer(server.port())) {
      send(peer, FrameType.REPLICA_REQUEST, 1, requests.digests(CHUNK));
      awaitOpen(hanging);

      askAndGiveUp(peer, FrameType.WRITE_OPEN, requests.open(2), 2000);

      peer.assertCutOff();
      assertEquals(1, server.counters().get(TransferCounter.CLOSED_PROTOCOL));
    }
  }

  @Test
  void shouldCutOffAPeerThatGivesUpMoreReadsThanItMayAskFor() throws Exception {
    start(16, 8 << 20);
    write(BLOCK);
    hangReads();
    store.holdTurns(CompletableFuture.completedFuture(null));
    try (Peer peer = new Peer(server.port())) {
      for (int first = 1; first <= 901; first += 100) {
        for (int stream = first; stream < first + 100; stream++) {
          send(peer, FrameType.READ_REQUEST, stream, requests.read(0, BLOCK));
        }
        // now these wait for memory, except for the first four
        assertAnswersQuestions(peer, 10_000);
        for (int stream = first; stream < first + 100; stream++) {
          cancel(peer, stream);
        }
      }

      askAndGiveUp(peer, FrameType.READ_REQUEST, requests.read(0, BLOCK), 100);

      peer.assertCutOff();
      assertEquals(1, server.counters().get(TransferCounter.CLOSED_PROTOCOL));
    }
  }

  @Test
  void shouldLetTheIdsOfQuestionsThatWereGivenUpBeUsed() throws Exception {
    start(1, 8 << 20);
    write(CHUNK);
    CountDownLatch hanging = hangReads();
    try (Peer peer = new Peer(server.port())) {
      send(peer, FrameType.REPLICA_REQUEST, 10_001, requests.digests(CHUNK));
      awaitOpen(hanging);
      askAndGiveUp(peer, FrameType.REPLICA_REQUEST, requests.visibleLength(), 1000);
      goOn.countDown();
      assertEquals(10_001, peer.receive().stream());
      assertAnswersQuestions(peer, 10_002);

      askAndGiveUp(peer, FrameType.REPLICA_REQUEST, requests.visibleLength(), 1000);

      assertAnswersQuestions(peer, 10_003);
    }
  }

  private static void askAndGiveUp(Peer peer, FrameType type, MessageLite request, int times)
      throws IOException {
    for (int stream = 2; stream < 2 + times; stream++) {
      if (!sendUnlessCutOff(peer, type, stream, request)) {
        return;
      }
      sendUnlessCutOff(peer, FrameType.CANCEL, stream, WriteAck.getDefaultInstance());
    }
  }

  private static boolean sendUnlessCutOff(
      Peer peer, FrameType type, int stream, MessageLite request) throws IOException {
    try {
      send(peer, type, stream, request);
      return true;
    } catch (SocketException e) {
      return false;
    }
  }

  private static void send(Peer peer, FrameType type, int stream, MessageLite request)
      throws IOException {
    peer.send(type, stream, request, null);
  }

  private static void cancel(Peer peer, int stream) throws IOException {
    send(peer, FrameType.CANCEL, stream, WriteAck.getDefaultInstance());
  }

  /** Which shows that all that was sent before was taken up. */
  private void assertAnswersQuestions(Peer peer, int stream) throws IOException {
    send(peer, FrameType.REPLICA_REQUEST, stream, requests.visibleLength());
    Peer.Answer answer = peer.receive();
    while (answer.stream() != stream) {
      answer = peer.receive();
    }
    assertFalse(ReplicaResponse.parseFrom(answer.header()).hasError());
  }

  private static void assertReady(Peer writer) throws IOException {
    WriteAck ack = WriteAck.parseFrom(writer.receive().header());
    assertFalse(ack.hasError(), () -> ack.getError().getMessage());
    assertEquals(-1, ack.getSequence());
  }

  private static int receiveAll(Peer peer) throws IOException {
    int bytes = 0;
    boolean last = false;
    while (!last) {
      Peer.Answer answer = peer.receive();
      ReadData piece = ReadData.parseFrom(answer.header());
      assertFalse(piece.hasError(), () -> piece.getError().getMessage());
      bytes += answer.payload().size();
      last = piece.getLast();
    }
    return bytes;
  }

  /** Opens when the first read hangs; all do until {@link #goOn}. */
  private CountDownLatch hangReads() {
    CountDownLatch hanging = new CountDownLatch(1);
    store.beforeReads(
        () -> {
          hanging.countDown();
          awaitOpen(goOn);
        });
    return hanging;
  }

  /** Opens when the first append hangs; all do until {@link #goOn}. */
  private CountDownLatch hangAppends() {
    CountDownLatch hanging = new CountDownLatch(1);
    store.beforeAppends(
        () -> {
          hanging.countDown();
          awaitOpen(goOn);
        });
    return hanging;
  }

  /** Writes so much of the first block. */
  private byte[] write(int length) throws VdfsException {
    byte[] content = bytes(length);
    BlockWriter writer = store.openWriter(FILE, BlockRole.PRIMARY, 1, 0, 0);
    ByteBuffer data = ByteBuffer.wrap(content);
    writer.append(0, VerifiedChunks.compute(data, CHUNK));
    writer.close(true);
    return content;
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private void awaitCount(TransferCounter counter, long value) {
    awaitThat(() -> server.counters().get(counter) == value);
  }

  /** For longer than a peer waits for an answer, so that none comes because a wait was over. */
  private static void awaitOpen(CountDownLatch latch) {
    try {
      assertTrue(latch.await(40, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
