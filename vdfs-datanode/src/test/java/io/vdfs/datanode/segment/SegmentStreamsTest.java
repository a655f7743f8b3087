package io.vdfs.datanode.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.segment.SegmentLayout;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireChecksums;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ReadRequest;
import io.vdfs.common.wire.proto.SegmentAttach;
import io.vdfs.common.wire.proto.SegmentGrant;
import io.vdfs.common.wire.proto.SegmentOffer;
import io.vdfs.common.wire.proto.SegmentRequest;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.DoubtedBlocks;
import io.vdfs.datanode.transfer.InMemoryBlockStore;
import io.vdfs.datanode.transfer.Peer;
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
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Segment delivery over the data port, against a peer that speaks the protocol by hand. */
@Timeout(60)
class SegmentStreamsTest {
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(2048, 1, 512, 12);
  private static final FileKey FILE = new FileKey(77, 3);
  private static final UUID CLUSTER = UUID.randomUUID();

  @TempDir private Path directory;
  private final NodeId self = NodeId.random();
  private final InMemoryBlockStore store = new InMemoryBlockStore(GEOMETRY);
  private final DataConnections connections =
      new DataConnections(Duration.ofSeconds(2), new Counters<>(NetCounter.class));
  private final CountDownLatch reading = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private SegmentDelivery segment;
  private TransferServer server;

  @BeforeEach
  void start() throws VdfsException {
    start(GEOMETRY, store);
  }

  private void start(ClusterGeometry geometry, InMemoryBlockStore held) throws VdfsException {
    SegmentLayout layout = new SegmentLayout(1, geometry.blockSize());
    SegmentSettings settings =
        new SegmentSettings(directory, Optional.empty(), layout.bytes(), layout);
    segment = SegmentDelivery.open(settings, self).orElseThrow();
    server =
        TransferServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            TestPeers.alone(CLUSTER, self),
            geometry,
            held,
            new DoubtedBlocks(),
            held,
            new Deliveries(Optional.empty(), Optional.of(segment)),
            connections,
            TransferSettings.DEFAULT);
  }

  @AfterEach
  void stop() {
    goOn.countDown();
    server.close();
    segment.close();
    connections.close();
  }

  @Test
  void shouldCutOffAPeerThatUsesTheIdOfAFillThatIsGivenUpAndNotAnswered() throws Exception {
    try (Peer peer = new Peer(server.port())) {
      giveUpWhileItIsFilled(peer, 5);

      peer.send(FrameType.READ_REQUEST, 5, read(), null);

      peer.assertCutOff();
      assertEquals(1, server.counters().get(TransferCounter.CLOSED_PROTOCOL));
    }
  }

  @Test
  void shouldAnswerAFillThatIsGivenUpAndThenLetItsIdBeUsed() throws Exception {
    try (Peer peer = new Peer(server.port())) {
      giveUpWhileItIsFilled(peer, 5);
      goOn.countDown();
      assertEquals(512, grant(peer, 5).getLength());

      peer.send(FrameType.SEGMENT_REQUEST, 5, request(512, 1000), null);

      assertEquals(1024, grant(peer, 5).getLength());
    }
  }

  @Test
  void shouldLayNoMoreChunksIntoASlotThanOneAnswerHasRoomFor() throws Exception {
    stop();
    ClusterGeometry large = new ClusterGeometry(8 << 20, 1, 512, 12);
    InMemoryBlockStore held = new InMemoryBlockStore(large);
    write(held, large.blockSize());
    start(large, held);
    try (Peer peer = new Peer(server.port())) {
      attach(peer);
      int at = 0;
      for (int stream = 2; at < large.blockSize(); stream++) {
        peer.send(FrameType.SEGMENT_REQUEST, stream, request(at, large.blockSize()), null);
        SegmentGrant grant = grant(peer, stream);
        assertEquals(at, grant.getOffset());
        assertEquals(2 << 20, grant.getLength());
        assertTrue(WireChecksums.holds(grant.getChecksums(), 4096));
        at += grant.getLength();
      }
    }
  }

  @Test
  void shouldCutOffAPeerThatGivesUpMoreSegmentsThanItMayAskFor() throws Exception {
    write(store, 2048);
    int threads = TransferSettings.DEFAULT.diskThreads();
    CountDownLatch allBusy = new CountDownLatch(threads);
    store.beforeReads(
        () -> {
          allBusy.countDown();
          awaitOpen(goOn);
        });
    try (Peer reader = new Peer(server.port());
        Peer peer = new Peer(server.port())) {
      for (int stream = 1; stream <= threads; stream++) {
        reader.send(FrameType.READ_REQUEST, stream, read(), null);
      }
      awaitOpen(allBusy);
      try {
        for (int stream = 1; stream <= 2000; stream++) {
          peer.send(FrameType.SEGMENT_ATTACH, stream, attachment(), null);
          peer.send(FrameType.CANCEL, stream, SegmentAttach.getDefaultInstance(), null);
        }
      } catch (SocketException e) {
        assertEquals(1, server.counters().get(TransferCounter.CLOSED_PROTOCOL), e::toString);
      }

      peer.assertCutOff();

      assertEquals(1, server.counters().get(TransferCounter.CLOSED_PROTOCOL));
    }
  }

  private ReadRequest read() {
    return ReadRequest.newBuilder()
        .setFile(WireIds.encode(FILE))
        .setLength(1)
        .setClusterId(WireIds.encode(CLUSTER))
        .setNode(WireIds.encode(self))
        .build();
  }

  private void giveUpWhileItIsFilled(Peer peer, int stream) throws Exception {
    write(store, 2048);
    attach(peer);
    store.beforeReads(
        () -> {
          reading.countDown();
          awaitOpen(goOn);
        });
    peer.send(FrameType.SEGMENT_REQUEST, stream, request(0, 512), null);
    awaitOpen(reading);
    peer.send(FrameType.CANCEL, stream, SegmentRequest.getDefaultInstance(), null);
  }

  private static void awaitOpen(CountDownLatch latch) {
    try {
      assertTrue(latch.await(20, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void write(InMemoryBlockStore held, int length) throws VdfsException {
    byte[] content = new byte[length];
    new Random(length).nextBytes(content);
    ByteBuffer bytes = ByteBuffer.wrap(content);
    BlockWriter writer = held.openWriter(FILE, BlockRole.PRIMARY, 1, 0, 0);
    writer.append(0, VerifiedChunks.compute(bytes, GEOMETRY.chunkSize()));
    writer.close(true);
  }

  private void attach(Peer peer) throws IOException {
    peer.send(FrameType.SEGMENT_ATTACH, 1, attachment(), null);
    assertFalse(SegmentOffer.parseFrom(peer.receive().header()).hasError());
  }

  private SegmentAttach attachment() {
    return SegmentAttach.newBuilder()
        .setClusterId(WireIds.encode(CLUSTER))
        .setNode(WireIds.encode(self))
        .build();
  }

  private SegmentRequest request(int offset, int length) {
    return SegmentRequest.newBuilder()
        .setFile(WireIds.encode(FILE))
        .setOffset(offset)
        .setLength(length)
        .setClusterId(WireIds.encode(CLUSTER))
        .setNode(WireIds.encode(self))
        .build();
  }

  private static SegmentGrant grant(Peer peer, int stream) throws IOException {
    Peer.Answer answer = peer.receive();
    assertEquals(stream, answer.stream());
    SegmentGrant grant = SegmentGrant.parseFrom(answer.header());
    assertFalse(grant.hasError(), () -> grant.getError().getMessage());
    return grant;
  }
}
