package io.vdfs.datanode.transfer.server;

import static io.vdfs.datanode.Await.awaitThat;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.primitives.Bytes;
import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireChecksums;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.PartDigests;
import io.vdfs.common.wire.proto.ReadData;
import io.vdfs.common.wire.proto.ReadRequest;
import io.vdfs.common.wire.proto.ReplicaRequest;
import io.vdfs.common.wire.proto.ReplicaResponse;
import io.vdfs.common.wire.proto.WriteAck;
import io.vdfs.common.wire.proto.WriteOpen;
import io.vdfs.common.wire.proto.WritePacket;
import io.vdfs.datanode.transfer.InMemoryBlockStore;
import io.vdfs.datanode.transfer.Peer;
import io.vdfs.datanode.transfer.TestPeers;
import io.vdfs.datanode.transfer.TransferCounter;
import io.vdfs.datanode.transfer.TransferSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAccumulator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The server against peers that speak the protocol by hand, well or badly. */
@Timeout(60)
class TransferServerTest {
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(2048, 4, 512, 12);

  /** With blocks that do not fit into what the kernel keeps for a connection. */
  private static final ClusterGeometry LARGE = new ClusterGeometry(8 << 20, 1, 64 << 10, 12);

  /** Writers at once. */
  private static final int CROWD = 6;

  private static final FileKey FILE = new FileKey(77, 3);
  private static final UUID CLUSTER = UUID.randomUUID();

  private final NodeId self = NodeId.random();
  private final InMemoryBlockStore store = new InMemoryBlockStore(GEOMETRY);
  private final DataConnections connections =
      new DataConnections(Duration.ofSeconds(2), new Counters<>(NetCounter.class));
  private TransferServer server;
  private int epoch = 1;

  @BeforeEach
  void start() throws VdfsException {
    server = start(0);
  }

  @AfterEach
  void stop() {
    server.close();
    connections.close();
  }

  private TransferServer start(int port) throws VdfsException {
    return start(port, GEOMETRY, store, TransferSettings.DEFAULT);
  }

  private TransferServer start(
      int port, ClusterGeometry geometry, InMemoryBlockStore held, TransferSettings settings)
      throws VdfsException {
    return TransferServer.start(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
        TestPeers.alone(CLUSTER, self),
        geometry,
        held,
        held,
        connections,
        settings);
  }

  /** Starts again with so many bytes for all readers together. */
  private void restartWithBudget(
      long bytes, Duration stall, ClusterGeometry geometry, InMemoryBlockStore held)
      throws VdfsException {
    server.close();
    int backlog = TransferSettings.DEFAULT.pipelineBacklog();
    server = start(0, geometry, held, settings(stall, backlog, bytes));
  }

  private static TransferSettings settings(Duration stall, int pipelineBacklog, long readBudget) {
    TransferSettings usual = TransferSettings.DEFAULT;
    return new TransferSettings(
        usual.hopLimit(),
        usual.hopStep(),
        stall,
        usual.diskThreads(),
        pipelineBacklog,
        usual.writeBudget(),
        readBudget,
        usual.maxStreams(),
        usual.peers());
  }

  @Test
  void shouldNameTheKeyWhenThePortIsTaken() {
    VdfsException refused = assertThrows(VdfsException.class, () -> start(server.port()));

    assertEquals(ErrorCode.MISCONFIGURED, refused.code());
    assertTrue(refused.getMessage().contains("vdfs.data.port=" + server.port()));
    assertTrue(!refused.getMessage().contains("\n"));
  }

  @Test
  void shouldWriteWhatAPeerSendsAndReadItBack() throws IOException {
    byte[] content = bytes(1300);
    try (Peer peer = new Peer(server.port())) {
      write(peer, 4, content);
      peer.send(FrameType.READ_REQUEST, 9, read(0, 600, 500), new byte[0]);
      Peer.Answer answer = peer.receive();
      ReadData data = ReadData.parseFrom(answer.header());

      assertEquals(9, answer.stream());
      assertEquals(512, data.getOffset());
      assertTrue(data.getLast());
      assertArrayEquals(Arrays.copyOfRange(content, 512, 1300), answer.payload().toByteArray());
      assertEquals(
          ChunkChecksums.compute(answer.payload().asReadOnlyByteBuffer(), 512),
          WireChecksums.decode(data.getChecksums()));
    }
    assertEquals(0, store.openWriters());
  }

  @Test
  void shouldRefuseWhatIsMeantForOthers() throws IOException {
    try (Peer peer = new Peer(server.port())) {
      ByteString other = WireIds.encode(UUID.randomUUID());
      peer.send(FrameType.READ_REQUEST, 1, read(0, 0, 1).toBuilder().setNode(other), null);
      assertRefused(ReadData.parseFrom(peer.receive().header()).getError().getMessage(), "node");
      peer.send(FrameType.READ_REQUEST, 2, read(0, 0, 1).toBuilder().setClusterId(other), null);
      assertRefused(ReadData.parseFrom(peer.receive().header()).getError().getMessage(), "cluster");
      peer.send(FrameType.WRITE_OPEN, 3, open().setNode(other), null);
      assertRefused(WriteAck.parseFrom(peer.receive().header()).getError().getMessage(), "node");
      peer.send(FrameType.READ_REQUEST, 4, read(0, 0, 1), null);
      ReadData missing = ReadData.parseFrom(peer.receive().header());
      assertEquals("NOT_FOUND", missing.getError().getCode());
    }
  }

  @Test
  void shouldCutOffPeersThatSendNoFrames() throws IOException {
    byte[][] attacks = {
      {-1, -1, -1, -1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0},
      {0, 0, 0, 11, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0},
      {0, 32, 0, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0},
      {0, 0, 0, 12, 2, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0},
      {0, 0, 0, 12, 1, 99, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0},
      {0, 0, 0, 12, 1, 1, -1, -1, 0, 0, 0, 1, 0, 0, 0, 0},
      {0, 0, 0, 12, 1, 8, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0},
      "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
    };
    for (byte[] attack : attacks) {
      try (Peer peer = new Peer(server.port())) {
        peer.send(attack);
        peer.assertCutOff();
      }
    }
    assertEquals(attacks.length, server.counters().get(TransferCounter.CLOSED_MALFORMED));
  }

  @Test
  void shouldCutOffPeersThatBreakTheProtocol() throws IOException {
    assertCutOff(FrameType.WRITE_ACK, WriteAck.getDefaultInstance(), 0);
    assertCutOff(FrameType.READ_DATA, ReadData.getDefaultInstance(), 10);
    assertCutOff(FrameType.WRITE_PACKET, packet(0, 0, bytes(100)).build(), 100);
    assertCutOff(FrameType.WRITE_OPEN, open().setStartOffset(3).build(), 0);
    assertCutOff(FrameType.WRITE_OPEN, open().setGroup(-1).build(), 0);
    assertCutOff(FrameType.WRITE_OPEN, open().setStartOffset(9000).build(), 0);
    assertCutOff(FrameType.WRITE_OPEN, open().clearFile().build(), 0);
    assertCutOff(FrameType.WRITE_OPEN, openThrough(RingMap.MAX_ARC_MEMBERS), 0);
    assertCutOff(FrameType.READ_REQUEST, read(0, 0, 0), 0);
    assertCutOff(FrameType.READ_REQUEST, read(-1, 0, 1), 0);
    assertCutOff(FrameType.READ_REQUEST, read(0, 2048, 1), 0);
    assertCutOff(FrameType.READ_REQUEST, read(0, -1, 1), 0);
    assertEquals(12, server.counters().get(TransferCounter.CLOSED_PROTOCOL));
    assertEquals(0, store.openWriters());
  }

  @Test
  void shouldTakeAPipelineThroughAllNodesThatAnArcCanHave() throws IOException {
    try (Peer peer = new Peer(server.port())) {
      peer.send(FrameType.WRITE_OPEN, 4, openThrough(RingMap.MAX_ARC_MEMBERS - 1), null);
      WriteAck ack = WriteAck.parseFrom(peer.receive().header());

      assertEquals("UNAVAILABLE", ack.getError().getCode(), "of the second, as nobody is there");
    }
  }

  /** Through so many further nodes, none of which is there. */
  private WriteOpen openThrough(int downstream) {
    WriteOpen.Builder open = open();
    for (int node = 0; node < downstream; node++) {
      open.addDownstream(WireIds.encode(NodeId.random()));
    }
    return open.build();
  }

  @Test
  void shouldCutOffPeersWhoseRequestsAreLargerThanAnySoundOne() throws IOException {
    ByteString token = ByteString.copyFrom(new byte[9 << 10]);
    ReadRequest read = read(0, 0, 1).toBuilder().setToken(token).build();
    assertCutOff(FrameType.READ_REQUEST, read, 0);
    assertCutOff(FrameType.CANCEL, visibleLength(), 0);
    assertEquals(2, server.counters().get(TransferCounter.CLOSED_MALFORMED));
  }

  @Test
  void shouldTellChecksumsOfPartsOfARange() throws IOException {
    byte[] content = bytes(1300);
    try (Peer peer = new Peer(server.port())) {
      write(peer, 4, content);
      peer.send(FrameType.REPLICA_REQUEST, 9, digests(0, 600, 700, 100), null);
      assertEquals(
          ChunkChecksums.compute(ByteBuffer.wrap(content, 600, 700), 100),
          partChecksums(ReplicaResponse.parseFrom(peer.receive().header())));
      peer.send(FrameType.REPLICA_REQUEST, 10, digests(0, 600, 701, 100), null);
      assertEquals(
          "UNAVAILABLE", ReplicaResponse.parseFrom(peer.receive().header()).getError().getCode());
      peer.send(FrameType.REPLICA_REQUEST, 11, digests(1, 0, 1, 100), null);
      assertEquals(
          "NOT_FOUND", ReplicaResponse.parseFrom(peer.receive().header()).getError().getCode());
    }
  }

  @Test
  void shouldTellChecksumsOfPartsThatLieAcrossChunks() throws IOException {
    InMemoryBlockStore held = new InMemoryBlockStore(LARGE);
    restartWithBudget(1, Duration.ofSeconds(60), LARGE, held);
    AtomicInteger reads = new AtomicInteger();
    held.beforeReads(reads::incrementAndGet);
    try (Peer peer = new Peer(server.port())) {
      byte[] content = writeMebibytes(peer, 3);
      peer.send(FrameType.REPLICA_REQUEST, 9, digests(0, 100, 2_500_000, 99_999), null);
      assertEquals(
          ChunkChecksums.compute(ByteBuffer.wrap(content, 100, 2_500_000), 99_999),
          partChecksums(ReplicaResponse.parseFrom(peer.receive().header())));
      assertTrue(reads.get() > 1, "a few chunks at a time");
    }
  }

  @Test
  void shouldCutOffPeersThatAskForChecksumsOfNoRange() throws IOException {
    assertCutOff(FrameType.REPLICA_REQUEST, digests(0, 0, 0, 100), 0);
    assertCutOff(FrameType.REPLICA_REQUEST, digests(0, 0, 100, 0), 0);
    assertCutOff(FrameType.REPLICA_REQUEST, digests(-1, 0, 1, 1), 0);
    assertCutOff(FrameType.REPLICA_REQUEST, digests(0, -1, 1, 1), 0);
    assertCutOff(FrameType.REPLICA_REQUEST, digests(0, 2000, 49, 1), 0);
    assertCutOff(FrameType.REPLICA_REQUEST, digests(0, 1, Integer.MAX_VALUE, 100), 0);
    assertEquals(6, server.counters().get(TransferCounter.CLOSED_PROTOCOL));
  }

  private ReplicaRequest digests(long block, int offset, int length, int partBytes) {
    return ReplicaRequest.newBuilder()
        .setFile(WireIds.encode(FILE))
        .setClusterId(WireIds.encode(CLUSTER))
        .setNode(WireIds.encode(self))
        .setDigests(
            PartDigests.newBuilder()
                .setBlock(block)
                .setOffset(offset)
                .setLength(length)
                .setPartBytes(partBytes))
        .build();
  }

  @Test
  void shouldCutOffWritersWhosePacketsDoNotFollowEachOther() throws IOException {
    byte[] chunk = bytes(512);
    WritePacket.Builder[] wrong = {
      packet(1, 512, chunk),
      packet(3, 512, chunk),
      packet(2, 0, chunk),
      packet(2, 1024, chunk),
      packet(2, 600, chunk),
      packet(2, 512, chunk).clearChecksums(),
      packet(2, 512, chunk).setChecksums(ByteString.copyFrom(new byte[2 * Integer.BYTES])),
      packet(2, 512, chunk).setChecksums(ByteString.copyFrom(new byte[Integer.BYTES + 1])),
    };
    for (WritePacket.Builder packet : wrong) {
      try (Peer peer = new Peer(server.port())) {
        peer.send(FrameType.WRITE_OPEN, 4, openIn(nextEpoch()), null);
        peer.receive();
        peer.send(FrameType.WRITE_PACKET, 4, packet(0, 0, chunk), chunk);
        peer.send(FrameType.WRITE_PACKET, 4, packet(1, 512, bytes(100)), bytes(100));
        peer.send(FrameType.WRITE_PACKET, 4, packet, chunk);
        peer.assertCutOff();
      }
    }
    assertEquals(wrong.length, server.counters().get(TransferCounter.CLOSED_PROTOCOL));
  }

  @Test
  void shouldBlameItselfForAPacketThatArrivesDamaged() throws IOException {
    byte[] chunk = bytes(512);
    try (Peer peer = new Peer(server.port())) {
      peer.send(FrameType.WRITE_OPEN, 4, open(), null);
      peer.receive();
      WritePacket.Builder packet = packet(0, 0, chunk);
      chunk[77] ^= 1;
      peer.send(FrameType.WRITE_PACKET, 4, packet, chunk);
      WriteAck ack = WriteAck.parseFrom(peer.receive().header());

      assertEquals("CORRUPT", ack.getError().getCode());
      assertEquals(WireIds.encode(self), ack.getFailedNode());
      // what was under way meanwhile is dropped, and the connection stays
      peer.send(FrameType.WRITE_PACKET, 4, packet(1, 512, chunk), chunk);
      peer.send(FrameType.READ_REQUEST, 5, read(0, 0, 1), null);
      assertEquals(5, peer.receive().stream());
    }
    assertEquals(0, store.appends());
  }

  @Test
  void shouldLetTheWriterGoWhenUpstreamGoesAway() throws Exception {
    try (Peer peer = new Peer(server.port())) {
      peer.send(FrameType.WRITE_OPEN, 4, open(), null);
      peer.receive();
      assertEquals(1, store.openWriters());
    }
    long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (store.openWriters() > 0 && System.nanoTime() < limit) {
      Thread.onSpinWait();
    }
    assertEquals(0, store.openWriters());
  }

  @Test
  void shouldGiveUpTheTurnOfAReaderThatGoesAway() throws Exception {
    CompletableFuture<Void> turn = new CompletableFuture<>();
    CountDownLatch asked = store.holdTurns(turn);
    try (Peer peer = new Peer(server.port())) {
      peer.send(FrameType.READ_REQUEST, 5, read(0, 0, 1), null);
      assertTrue(asked.await(20, TimeUnit.SECONDS));
      assertFalse(turn.isDone());
    }
    assertThrows(CancellationException.class, () -> turn.get(20, TimeUnit.SECONDS));
  }

  @Test
  void shouldAnswerAndGiveTheBudgetBackWhateverTheStoreThrows() throws IOException {
    restartWithBudget(2048, Duration.ofSeconds(60), GEOMETRY, store);
    byte[] content = bytes(2048);
    AtomicInteger struck = new AtomicInteger();
    List<Throwable> faults =
        List.of(
            new VdfsException(ErrorCode.IO_ERROR, "planted"),
            new IllegalStateException("planted"),
            new OutOfMemoryError("planted"),
            new LinkageError("planted"));
    try (Peer peer = new Peer(server.port())) {
      write(peer, 4, content);
      for (Throwable fault : faults) {
        store.beforeReads(
            () -> {
              struck.incrementAndGet();
              sneakyThrow(fault);
            });
        peer.send(FrameType.READ_REQUEST, 5, read(0, 0, 2048), null);
        ReadData refusal = ReadData.parseFrom(peer.receive().header());
        String expected = fault instanceof VdfsException ? "IO_ERROR" : "INTERNAL";
        assertEquals(expected, refusal.getError().getCode(), fault::toString);
      }
      store.beforeReads(() -> {});
      peer.send(FrameType.READ_REQUEST, 6, read(0, 0, 2048), null);
      assertArrayEquals(content, peer.receive().payload().toByteArray());
    }
    assertEquals(faults.size(), struck.get());
    assertEquals(faults.size(), server.counters().get(TransferCounter.READS_FAILED));
  }

  @Test
  void shouldLetReadersQueueForWhichThereIsNoMemory() throws Exception {
    int readers = 16;
    restartWithBudget(2 * 2048, Duration.ofSeconds(60), GEOMETRY, store);
    byte[] content = bytes(2048);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicInteger reading = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    try (Peer peer = new Peer(server.port())) {
      write(peer, 4, content);
      store.beforeReads(
          () -> {
            most.accumulateAndGet(reading.incrementAndGet(), Math::max);
            awaitOpen(goOn);
            reading.decrementAndGet();
          });
      for (int stream = 1; stream <= readers; stream++) {
        peer.send(FrameType.READ_REQUEST, stream, read(0, 0, 2048), null);
      }
      awaitThat(() -> reading.get() == 2);
      // a question that needs no memory passes the readers that wait, and comes behind their
      // requests
      peer.send(FrameType.REPLICA_REQUEST, 99, visibleLength(), null);
      assertEquals(99, peer.receive().stream());
      goOn.countDown();
      for (int stream = 1; stream <= readers; stream++) {
        assertArrayEquals(content, peer.receive().payload().toByteArray());
      }
    }
    assertTrue(most.get() <= 2, "most at a time: " + most);
    assertEquals(readers, server.counters().get(TransferCounter.READS));
  }

  @Test
  void shouldCutOffAReaderThatTakesNothingAndServeTheOthers() throws Exception {
    // one after the other: what takes part of the budget has all of it
    restartWithBudget(1, Duration.ofSeconds(1), LARGE, new InMemoryBlockStore(LARGE));
    try (Peer peer = new Peer(server.port());
        Peer sleeper = new Peer(server.port(), 4096)) {
      writeMebibytes(peer, 8);
      for (int stream = 1; stream <= 3; stream++) {
        sleeper.send(FrameType.READ_REQUEST, stream, read(0, 0, 8 << 20), null);
      }
      awaitThat(() -> server.counters().get(TransferCounter.READS) > 0);

      peer.send(FrameType.READ_REQUEST, 5, read(0, 0, 8 << 20), null);

      assertEquals(8 << 20, receiveAll(peer).size());
      assertEquals(1, server.counters().get(TransferCounter.CLOSED_STALLED));
      sleeper.assertCutOff();
    }
  }

  @Test
  void shouldCutOffAPeerThatTakesNoAnswersUp() throws IOException {
    restartWithBudget(1, Duration.ofSeconds(1), GEOMETRY, store);
    try (Peer peer = new Peer(server.port(), 4096)) {
      write(peer, 1, bytes(2048));

      ask(peer, 3000);

      awaitThat(() -> server.counters().get(TransferCounter.CLOSED_STALLED) == 1);
      peer.assertCutOff();
    }
  }

  @Test
  void shouldReadNoMoreRequestsWhileThePeerTakesNoAnswersUp() throws IOException {
    int most = 10_000;
    try (Peer peer = new Peer(server.port())) {
      write(peer, 1, bytes(2048));

      int asked = ask(peer, most);

      assertTrue(asked < most, "all were read");
      for (int answer = 0; answer < asked; answer++) {
        ReplicaResponse response = ReplicaResponse.parseFrom(peer.receive().header());
        assertEquals(2048, response.getPartChecksumsCount());
      }
    }
  }

  /**
   * Asks questions with answers of 8 KiB, which it does not read, for as long as the node follows.
   *
   * @return how many
   */
  private int ask(Peer peer, int most) throws IOException {
    int asked = 0;
    try {
      while (asked < most && isAnswered(asked - 100)) {
        peer.send(FrameType.REPLICA_REQUEST, asked + 2, digests(0, 0, 2048, 1), null);
        asked++;
      }
    } catch (SocketException e) {
      assertEquals(1, server.counters().get(TransferCounter.CLOSED_STALLED), e::toString);
    }
    return asked;
  }

  /** Waits a little for so many answers. */
  private boolean isAnswered(long count) {
    long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
    while (answered() < count && System.nanoTime() < limit) {
      Thread.onSpinWait();
    }
    return answered() >= count;
  }

  private long answered() {
    return server.counters().get(TransferCounter.REPLICA_REQUESTS);
  }

  @Test
  void shouldSendARangeInPiecesUpToWhereTheNodeHoldsIt() throws IOException {
    restartWithBudget(1, Duration.ofSeconds(60), LARGE, new InMemoryBlockStore(LARGE));
    try (Peer peer = new Peer(server.port())) {
      byte[] content = writeMebibytes(peer, 3);
      for (int from : new int[] {0, 1, (1 << 20) + 70_000, (3 << 20) - 1}) {
        peer.send(FrameType.READ_REQUEST, 5, read(0, from, 8 << 20), null);

        int start = from - from % LARGE.chunkSize();
        byte[] expected = Arrays.copyOfRange(content, start, content.length);
        assertArrayEquals(expected, receiveAll(peer).toByteArray(), "from=" + from);
      }
    }
    assertEquals(4, server.counters().get(TransferCounter.READS));
  }

  @Test
  void shouldGiveTheBudgetBackWhereAPieceInTheMiddleFails() throws IOException {
    InMemoryBlockStore faulty = new InMemoryBlockStore(LARGE);
    restartWithBudget(1, Duration.ofSeconds(60), LARGE, faulty);
    AtomicInteger reads = new AtomicInteger();
    try (Peer peer = new Peer(server.port())) {
      byte[] content = writeMebibytes(peer, 3);
      faulty.beforeReads(
          () -> {
            if (reads.incrementAndGet() == 3) {
              throw new IllegalStateException("planted");
            }
          });
      peer.send(FrameType.READ_REQUEST, 5, read(0, 0, 3 << 20), null);
      ReadData piece = ReadData.parseFrom(peer.receive().header());
      while (!piece.getLast()) {
        piece = ReadData.parseFrom(peer.receive().header());
      }
      assertEquals("INTERNAL", piece.getError().getCode());
      assertEquals(3, reads.get());

      peer.send(FrameType.READ_REQUEST, 6, read(0, 0, 3 << 20), null);

      assertArrayEquals(content, receiveAll(peer).toByteArray());
    }
  }

  /** The pieces of one answer, which must follow one another and match their checksums. */
  private static ByteString receiveAll(Peer peer) throws IOException {
    ByteString all = ByteString.EMPTY;
    int next = -1;
    boolean last = false;
    while (!last) {
      Peer.Answer answer = peer.receive();
      ReadData piece = ReadData.parseFrom(answer.header());
      assertFalse(piece.hasError(), () -> piece.getError().getMessage());
      assertTrue(next < 0 || piece.getOffset() == next);
      assertEquals(
          ChunkChecksums.compute(answer.payload().asReadOnlyByteBuffer(), LARGE.chunkSize()),
          WireChecksums.decode(piece.getChecksums()));
      all = all.concat(answer.payload());
      next = piece.getOffset() + answer.payload().size();
      last = piece.getLast();
    }
    return all;
  }

  /** Writes so much of the first block, of {@link #LARGE}. */
  private byte[] writeMebibytes(Peer peer, int count) throws IOException {
    return writeMebibytes(peer, 0, count);
  }

  private byte[] writeMebibytes(Peer peer, int group, int count) throws IOException {
    byte[] content = bytes(count << 20);
    long start = group * LARGE.groupSize();
    peer.send(FrameType.WRITE_OPEN, 4, open().setGroup(group).setStartOffset(start), null);
    peer.receive();
    for (int i = 0; i < count; i++) {
      byte[] piece = Arrays.copyOfRange(content, i << 20, (i + 1) << 20);
      WritePacket.Builder packet =
          WritePacket.newBuilder()
              .setSequence(i)
              .setOffset(start + ((long) i << 20))
              .setChecksums(
                  WireChecksums.encode(
                      ChunkChecksums.compute(ByteBuffer.wrap(piece), LARGE.chunkSize())))
              .setLast(i == count - 1);
      peer.send(FrameType.WRITE_PACKET, 4, packet, piece);
    }
    long acknowledged = -1;
    while (acknowledged < count - 1) {
      acknowledged = WriteAck.parseFrom(peer.receive().header()).getSequence();
    }
    return content;
  }

  private ReplicaRequest visibleLength() {
    return ReplicaRequest.newBuilder()
        .setFile(WireIds.encode(FILE))
        .setClusterId(WireIds.encode(CLUSTER))
        .setNode(WireIds.encode(self))
        .setVisibleLength(true)
        .build();
  }

  private static void awaitOpen(CountDownLatch latch) {
    try {
      assertTrue(latch.await(20, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void sneakyThrow(Throwable thrown) throws T {
    throw (T) thrown;
  }

  @Test
  void shouldStopReadingWhileTheDiskIsBehind() throws IOException {
    byte[] block = bytes(2048);
    store.stall();
    try (Peer peer = new Peer(server.port())) {
      for (int stream = 1; stream <= 2; stream++) {
        peer.send(
            FrameType.WRITE_OPEN,
            stream,
            open().setGroup(stream - 1).setStartOffset((stream - 1) * 8192L),
            null);
        peer.receive();
      }
      assertEquals(2, store.openWriters());
      for (int i = 0; i < 4; i++) {
        peer.send(FrameType.WRITE_PACKET, 1, packet(i, i * 2048L, block), block);
      }
      store.goOn();
      long acknowledged = -1;
      while (acknowledged < 3) {
        Peer.Answer answer = peer.receive();
        assertEquals(1, answer.stream());
        acknowledged = WriteAck.parseFrom(answer.header()).getSequence();
      }
    }
    assertEquals(8192, store.bytes(FILE, 0).length);
  }

  @Test
  void shouldReadLittleOfEachPipelineWhileTheDiskIsBehindWithAll() throws Exception {
    InMemoryBlockStore slow = new InMemoryBlockStore(LARGE);
    server.close();
    server = start(0, LARGE, slow, TransferSettings.DEFAULT.withWriteBudget(1));
    LongAccumulator most = new LongAccumulator(Math::max, 0);
    slow.beforeAppends(() -> most.accumulate(backlog()));
    slow.stall();
    List<CompletableFuture<Void>> writers = new ArrayList<>();
    for (int group = 0; group < CROWD; group++) {
      int own = group;
      writers.add(CompletableFuture.runAsync(() -> assertDoesNotThrow(() -> writeGroup(own))));
    }
    awaitThat(() -> backlog() >= CROWD << 20);
    slow.goOn();
    for (CompletableFuture<Void> writer : writers) {
      writer.get(30, TimeUnit.SECONDS);
    }
    assertTrue(most.get() <= (2 * CROWD) << 20, "bytes that waited: " + most);
    awaitThat(() -> backlog() == 0);
  }

  private long backlog() {
    return server.counters().get(TransferCounter.WRITE_BACKLOG_BYTES);
  }

  /** By a connection of its own, as writers have. */
  private byte[] writeGroup(int group) throws IOException {
    try (Peer peer = new Peer(server.port())) {
      return writeMebibytes(peer, group, 8);
    }
  }

  @Test
  void shouldAnswerAFlushThoughTheStoreHoldsWritersBack() throws IOException {
    server.close();
    server = start(0, GEOMETRY, store, settings(Duration.ofSeconds(60), 1, 1 << 20));
    byte[] block = bytes(2048);
    try (Peer peer = new Peer(server.port())) {
      peer.send(FrameType.WRITE_OPEN, 1, open(), null);
      peer.receive();
      store.holdBack();
      peer.send(FrameType.WRITE_PACKET, 1, packet(0, 0, block), block);
      peer.send(FrameType.WRITE_PACKET, 1, packet(1, 2048, block).setFlush(true), block);
      WritePacket.Builder awaited = packet(2, 4096, block).setFlush(true).setAwaited(true);
      peer.send(FrameType.WRITE_PACKET, 1, awaited, block);
      assertEquals(2, acknowledged(peer), "the first answer covers those that are held back");

      peer.send(FrameType.WRITE_PACKET, 1, packet(3, 6144, block), block);
      awaitThat(() -> store.appends() == 4);
      peer.send(FrameType.REPLICA_REQUEST, 2, visibleLength(), null);
      assertEquals(2, peer.receive().stream());
      store.letGo();
      assertEquals(3, acknowledged(peer));
    }
    assertEquals(8192, store.bytes(FILE, 0).length);
  }

  private static long acknowledged(Peer peer) throws IOException {
    return WriteAck.parseFrom(peer.receive().header()).getSequence();
  }

  @Test
  void shouldReadOnWhenAPipelineIsGivenUpWhileTheDiskIsBehind() throws IOException {
    server.close();
    server = start(0, GEOMETRY, store, settings(Duration.ofSeconds(60), 1, 1 << 20));
    byte[] block = bytes(2048);
    store.stall();
    try (Peer peer = new Peer(server.port())) {
      peer.send(FrameType.WRITE_OPEN, 1, open(), null);
      peer.receive();
      // in one piece, as nothing is read that comes after a packet for which the disk is not ready
      peer.send(
          Bytes.concat(
              Peer.frame(FrameType.WRITE_PACKET, 1, packet(0, 0, block).build(), block),
              Peer.frame(FrameType.CANCEL, 1, WriteAck.getDefaultInstance(), new byte[0])));

      peer.send(FrameType.REPLICA_REQUEST, 2, visibleLength(), null);

      assertEquals(2, peer.receive().stream());
    } finally {
      store.goOn();
    }
  }

  private int nextEpoch() {
    return ++epoch;
  }

  private void write(Peer peer, int stream, byte[] content) throws IOException {
    peer.send(FrameType.WRITE_OPEN, stream, open(), null);
    assertEquals(-1, WriteAck.parseFrom(peer.receive().header()).getSequence());
    peer.send(
        FrameType.WRITE_PACKET, stream, packet(0, 0, content).setSync(true).setLast(true), content);
    assertEquals(0, WriteAck.parseFrom(peer.receive().header()).getSequence());
  }

  private static WriteOpen.Builder openOf(NodeId node) {
    return WriteOpen.newBuilder()
        .setFile(WireIds.encode(FILE))
        .setWriteEpoch(1)
        .setClusterId(WireIds.encode(CLUSTER))
        .setNode(WireIds.encode(node))
        .setTicket(TestPeers.tickets(CLUSTER).issue(FILE, 1, 0));
  }

  private WriteOpen.Builder openIn(int writeEpoch) {
    return open()
        .setWriteEpoch(writeEpoch)
        .setTicket(TestPeers.tickets(CLUSTER).issue(FILE, writeEpoch, 0));
  }

  private WriteOpen.Builder open() {
    return openOf(self);
  }

  private static ChunkChecksums partChecksums(ReplicaResponse response) {
    return ChunkChecksums.of(
        response.getPartChecksumsList().stream().mapToInt(Integer::intValue).toArray());
  }

  private static WritePacket.Builder packet(long sequence, long offset, byte[] payload) {
    return WritePacket.newBuilder()
        .setSequence(sequence)
        .setOffset(offset)
        .setChecksums(WireChecksums.encode(ChunkChecksums.compute(ByteBuffer.wrap(payload), 512)));
  }

  private ReadRequest read(long block, int offset, int length) {
    return ReadRequest.newBuilder()
        .setFile(WireIds.encode(FILE))
        .setBlock(block)
        .setOffset(offset)
        .setLength(length)
        .setClusterId(WireIds.encode(CLUSTER))
        .setNode(WireIds.encode(self))
        .build();
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private void assertCutOff(FrameType type, MessageLite header, int payload) throws IOException {
    try (Peer peer = new Peer(server.port())) {
      peer.send(type, 1, header, bytes(payload));
      peer.assertCutOff();
    }
  }

  private static void assertRefused(String message, String named) {
    assertTrue(message.contains("another " + named), message);
  }
}
