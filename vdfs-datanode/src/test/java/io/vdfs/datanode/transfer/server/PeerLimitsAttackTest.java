package io.vdfs.datanode.transfer.server;

import static io.vdfs.datanode.Await.awaitThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataBuffers;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.wire.FrameType;
import io.vdfs.datanode.transfer.InMemoryBlockStore;
import io.vdfs.datanode.transfer.Peer;
import io.vdfs.datanode.transfer.PeerLimits;
import io.vdfs.datanode.transfer.Requests;
import io.vdfs.datanode.transfer.TestPeers;
import io.vdfs.datanode.transfer.TransferCounter;
import io.vdfs.datanode.transfer.TransferSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Peers that take places and memory of a data port and never give them back. */
@Timeout(60)
class PeerLimitsAttackTest {
  /** With blocks that do not fit into what the kernel keeps for a connection. */
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(8 << 20, 1, 64 << 10, 12);

  private static final int CHUNK = GEOMETRY.chunkSize();
  private static final int MEBIBYTE = 1 << 20;
  private static final UUID CLUSTER = UUID.randomUUID();
  private static final NodeId SELF = NodeId.random();
  private static final Duration NEVER = Duration.ofMinutes(10);
  private static final Duration SOON = Duration.ofMillis(500);

  private final Requests requests = new Requests(CLUSTER, SELF, new FileKey(77, 3), CHUNK);
  private final InMemoryBlockStore store = new InMemoryBlockStore(GEOMETRY);
  private final DataConnections connections =
      new DataConnections(Duration.ofSeconds(2), new Counters<>(NetCounter.class));
  private TransferServer server;

  private void start(Duration frame, Duration idle, Duration crowdedStall, int all, long budget)
      throws VdfsException {
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
                NEVER,
                usual.diskThreads(),
                usual.pipelineBacklog(),
                usual.writeBudget(),
                budget,
                usual.maxStreams(),
                new PeerLimits(frame, idle, crowdedStall, all, all, host -> false)));
  }

  @AfterEach
  void stop() {
    server.close();
    connections.close();
  }

  /** before: each held a megabyte until it went away; 1,000 of them ended a daemon. */
  @Test
  void shouldCutOffAWriterThatStopsInThePayload() throws Exception {
    start(SOON, NEVER, NEVER, 100, MEBIBYTE);
    byte[] chunk = new byte[CHUNK];
    try (Peer peer = new Peer(server.port())) {
      peer.send(FrameType.WRITE_OPEN, 1, requests.open(1), null);
      peer.receive();
      byte[] frame = Peer.frame(FrameType.WRITE_PACKET, 1, requests.packet(0, 0, chunk), chunk);
      peer.send(Arrays.copyOf(frame, frame.length - 1));
      peer.assertCutOff();
    }
    assertEquals(1, server.counters().get(TransferCounter.CLOSED_HALF_FRAME));
    awaitThat(() -> store.openWriters() == 0);
  }

  /** before: the connection stayed for as long as its peer liked. */
  @Test
  void shouldCutOffAPeerThatStopsInAHeader() throws Exception {
    start(SOON, NEVER, NEVER, 100, MEBIBYTE);
    byte[] frame = Peer.frame(FrameType.READ_REQUEST, 1, requests.read(0, 1), new byte[0]);
    for (int sent : new int[] {1, 17, frame.length - 1}) {
      try (Peer peer = new Peer(server.port())) {
        peer.send(Arrays.copyOf(frame, sent));
        peer.assertCutOff();
      }
    }
    assertEquals(3, server.counters().get(TransferCounter.CLOSED_HALF_FRAME));
  }

  /** before: the connection stayed for as long as its peer liked. */
  @Test
  void shouldCutOffAPeerThatSaysNothing() throws Exception {
    start(SOON, NEVER, NEVER, 100, MEBIBYTE);
    try (Peer peer = new Peer(server.port())) {
      peer.assertCutOff();
    }
    assertEquals(1, server.counters().get(TransferCounter.CLOSED_SILENT));
  }

  /** before: the connection stayed for as long as its peer liked. */
  @Test
  void shouldCutOffAPeerThatHasNothingToDoHereAnyMore() throws Exception {
    start(SOON, SOON, NEVER, 100, MEBIBYTE);
    try (Peer peer = new Peer(server.port())) {
      peer.send(FrameType.REPLICA_REQUEST, 1, requests.visibleLength(), null);
      peer.receive();
      peer.assertCutOff();
    }
    assertEquals(1, server.counters().get(TransferCounter.CLOSED_IDLE));
  }

  @Test
  void shouldLetAPipelineRestForAsLongAsItsWriterLikes() throws Exception {
    start(SOON, SOON, NEVER, 100, MEBIBYTE);
    byte[] chunk = new byte[CHUNK];
    try (Peer writer = new Peer(server.port());
        Peer silent = new Peer(server.port())) {
      writer.send(FrameType.WRITE_OPEN, 1, requests.open(1), null);
      writer.receive();
      silent.assertCutOff();
      try (Peer another = new Peer(server.port())) {
        another.assertCutOff();
      }
      writer.send(FrameType.WRITE_PACKET, 1, requests.packet(0, 0, chunk), chunk);
      writer.receive();
    }
    assertEquals(2, server.counters().get(TransferCounter.CLOSED_SILENT));
  }

  /** before: a megabyte of direct memory for each, whatever the frame was. */
  @Test
  void shouldSetNothingAsideForPacketsThatNoPipelineTakes() throws Exception {
    start(NEVER, NEVER, NEVER, 1_000, MEBIBYTE);
    byte[] whole =
        Peer.frame(
            FrameType.WRITE_PACKET, 1, requests.packet(0, 0, new byte[0]), new byte[MEBIBYTE]);
    byte[] half = Arrays.copyOf(whole, whole.length - MEBIBYTE + 1);
    List<Peer> peers = new ArrayList<>();
    long before = pooledBytes();
    try {
      for (int n = 0; n < 64; n++) {
        peers.add(new Peer(server.port()));
        peers.get(n).send(half);
      }
      for (Peer peer : peers) {
        peer.assertCutOff();
      }
    } finally {
      for (Peer peer : peers) {
        peer.close();
      }
    }
    assertEquals(64, server.counters().get(TransferCounter.CLOSED_PROTOCOL));
    assertTrue(pooledBytes() - before < 40L * MEBIBYTE, "at most one more chunk of the pool");
  }

  private static long pooledBytes() {
    return ((io.netty.buffer.PooledByteBufAllocator) DataBuffers.pool())
        .metric()
        .usedDirectMemory();
  }

  /** before: thirty-two readers that took a piece each minute held the memory of all readers. */
  @Test
  void shouldCutOffSlowReadersWhileOthersWaitForTheirMemory() throws Exception {
    start(NEVER, NEVER, Duration.ofMillis(300), 100, 2 * MEBIBYTE);
    write(GEOMETRY.blockSize());
    try (Peer slow = new Peer(server.port(), 8 << 10);
        Peer honest = new Peer(server.port())) {
      slow.send(FrameType.READ_REQUEST, 1, requests.read(0, GEOMETRY.blockSize()), null);
      awaitThat(() -> server.counters().get(TransferCounter.READS) == 1);

      honest.send(FrameType.READ_REQUEST, 1, requests.read(0, CHUNK), null);

      assertEquals(CHUNK, honest.receive().payload().size());
      slow.assertCutOff();
    }
    assertEquals(1, server.counters().get(TransferCounter.CLOSED_STALLED));
  }

  /** before: as many as the process may have files open, after which its disks failed. */
  @Test
  void shouldRefuseConnectionsBeyondTheLimit() throws Exception {
    start(NEVER, NEVER, NEVER, 2, MEBIBYTE);
    try (Peer first = new Peer(server.port())) {
      askLength(first);
      try (Peer second = new Peer(server.port())) {
        askLength(second);
        try (Peer third = new Peer(server.port())) {
          third.assertCutOff();
        }
      }
      assertEquals(1, server.counters().get(TransferCounter.CONNECTIONS_REFUSED));
      awaitThat(this::isLetIn);
    }
  }

  private boolean isLetIn() throws IOException {
    try (Peer peer = new Peer(server.port())) {
      askLength(peer);
      return true;
    } catch (java.io.EOFException | java.net.SocketException e) {
      return false;
    }
  }

  private void askLength(Peer peer) throws IOException {
    peer.send(FrameType.REPLICA_REQUEST, 1, requests.visibleLength(), null);
    peer.receive();
  }

  @Test
  void shouldCountHostsApartAndNeitherThisMachineNorTheRing() throws Exception {
    start(NEVER, NEVER, NEVER, 100, MEBIBYTE);
    InetAddress ringHost = InetAddress.getByName("192.0.2.9");
    PeerLimits limits = new PeerLimits(NEVER, NEVER, NEVER, 2, 9, ringHost::equals);
    PeerShares shares = new PeerShares(limits);
    PeerHost here = PeerHost.of(address("127.0.0.1"), limits.unlimited());
    PeerHost ring = PeerHost.of(address("192.0.2.9"), limits.unlimited());
    PeerHost one = PeerHost.of(address("192.0.2.1"), limits.unlimited());
    for (int n = 0; n < 3; n++) {
      assertTrue(shares.enter(here));
      assertTrue(shares.enter(ring));
      assertEquals(n < 2, shares.enter(one));
    }
    assertTrue(shares.enter(PeerHost.of(address("192.0.2.2"), limits.unlimited())));
    assertFalse(shares.enter(here), "nine is the most of all");
    shares.leave(one);
    assertTrue(shares.enter(one));
  }

  @Test
  void shouldCountTheAddressesOfOneSiteTogether() throws Exception {
    start(NEVER, NEVER, NEVER, 100, MEBIBYTE);
    assertEquals(
        PeerHost.of(address("2001:db8:0:1::1"), host -> false),
        PeerHost.of(address("2001:db8:0:1:ffff::2"), host -> false));
    assertFalse(
        PeerHost.of(address("2001:db8:0:1::1"), host -> false)
            .equals(PeerHost.of(address("2001:db8:0:2::1"), host -> false)));
  }

  private static SocketAddress address(String ip) throws IOException {
    return new InetSocketAddress(InetAddress.getByName(ip), 4711);
  }

  private void write(int bytes) throws IOException {
    try (Peer peer = new Peer(server.port())) {
      peer.send(FrameType.WRITE_OPEN, 1, requests.open(1), null);
      peer.receive();
      byte[] packet = new byte[MEBIBYTE];
      for (int n = 0; n < bytes / MEBIBYTE; n++) {
        peer.send(
            FrameType.WRITE_PACKET, 1, requests.packet(n, (long) n * MEBIBYTE, packet), packet);
        peer.receive();
      }
    }
  }
}
