package io.vdfs.datanode.transfer.replica;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.Uninterruptibles;
import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.datanode.meta.service.edge.ReplicaProbe.Copy;
import io.vdfs.datanode.meta.service.edge.ReplicaProbe.Extent;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.ReadPace;
import io.vdfs.datanode.transfer.InMemoryBlockStore;
import io.vdfs.datanode.transfer.TestPeers;
import io.vdfs.datanode.transfer.TransferCounter;
import io.vdfs.datanode.transfer.TransferSettings;
import io.vdfs.datanode.transfer.server.TransferServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NettyReplicaProbeTest {
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(2048, 4, 512, 12);
  private static final FileKey FILE = new FileKey(77, 3);
  private static final UUID CLUSTER = UUID.randomUUID();
  private static final LeaseBound ALL = LeaseBound.NONE;
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final NodeId node = NodeId.random();
  private Optional<DataAddress> here = Optional.empty();

  @Test
  void shouldAskAndChangeReplicasElsewhere() throws Exception {
    byte[] content = new byte[1300];
    new Random(1).nextBytes(content);
    InMemoryBlockStore store = new InMemoryBlockStore(GEOMETRY);
    BlockWriter writer = store.openWriter(FILE, BlockRole.PRIMARY, 1, 0, 0);
    writer.append(0, VerifiedChunks.compute(ByteBuffer.wrap(content), 512));
    writer.close(true);

    try (DataConnections connections =
        new DataConnections(Duration.ofSeconds(2), new Counters<>(NetCounter.class))) {
      NettyReplicaProbe probe = probe(connections);
      try (TransferServer server = start(store, connections)) {
        here = Optional.of(new DataAddress("127.0.0.1", server.port()));
        assertEquals(new Extent(1300, 1300, 6), fence(probe, 0, 6).get());
        assertEquals(new Extent(0, 0, 6), fence(probe, 1, 6).get());
        assertEquals(
            new Extent(100, 1300, 7),
            probe.fence(node, FILE, 0, 7, new LeaseBound(100, 2)).get(),
            "an earlier writer's bytes do not count");
        assertFails(ErrorCode.FENCED, fence(probe, 0, 5));
        assertEquals(700, probe.truncateGroup(node, FILE, 0, 700, 7).get().length());
        assertFails(ErrorCode.FILE_CHANGED, probe.truncateGroup(node, FILE, 0, 701, 7));
        assertFails(ErrorCode.UNAVAILABLE, probe.fence(NodeId.random(), FILE, 0, 7, ALL));
      }
      assertArrayEquals(Arrays.copyOf(content, 700), store.bytes(FILE, 0));
      assertFails(ErrorCode.UNAVAILABLE, fence(probe, 0, 7));
    }
  }

  private CompletableFuture<Extent> fence(NettyReplicaProbe probe, int group, int epoch) {
    return probe.fence(node, FILE, group, epoch, ALL);
  }

  @Test
  void shouldHaveGroupsReadBackAndCopied() throws Exception {
    byte[] content = new byte[3 * 2048 + 700];
    new Random(2).nextBytes(content);
    InMemoryBlockStore from = new InMemoryBlockStore(GEOMETRY);
    InMemoryBlockStore to = new InMemoryBlockStore(GEOMETRY);
    write(from, content);
    write(to, Arrays.copyOf(content, 5000));
    to.damage(FILE, 2100);
    NodeId other = NodeId.random();

    try (DataConnections connections =
            new DataConnections(Duration.ofSeconds(2), new Counters<>(NetCounter.class));
        TransferServer source = start(from, connections, node, asked -> Optional.empty());
        TransferServer target =
            start(
                to,
                connections,
                other,
                asked -> Optional.of(new DataAddress("127.0.0.1", source.port())))) {
      NettyReplicaProbe probe =
          new NettyReplicaProbe(
              connections,
              TestPeers.proofs(),
              CLUSTER,
              GEOMETRY,
              asked ->
                  Optional.of(
                      new DataAddress(
                          "127.0.0.1", asked.equals(node) ? source.port() : target.port())),
              LIMIT,
              ReadPace.AT_ONCE);
      VerifiedGroup sound = probe.verify(node, FILE, 0, ALL, List.of(5000L), LIMIT).get();
      assertEquals(content.length, sound.verified());
      assertFalse(sound.isDamaged());
      VerifiedGroup damaged = probe.verify(other, FILE, 0, ALL, List.of(), LIMIT).get();
      assertEquals(2048, damaged.verified());
      assertEquals(5000, damaged.claimed());
      assertEquals(OptionalInt.empty(), sound.firstDifference(damaged));
      assertEquals(1, sound.sameWholeBlocks(damaged, 2048));

      Copy copy = new Copy(node, 1, 3 * 2048 + 600, 4, false);
      assertEquals(3 * 2048 + 600, probe.copy(other, FILE, 0, copy, LIMIT).get().length());
      assertArrayEquals(Arrays.copyOf(content, 3 * 2048 + 600), to.bytes(FILE, 0));
      VerifiedGroup copied = probe.verify(other, FILE, 0, ALL, List.of(), LIMIT).get();
      assertEquals(3 * 2048 + 600, copied.verified());
      assertEquals(2 * 2048 + 600, target.counters().get(TransferCounter.BYTES_COPIED));
      assertEquals(2, target.counters().get(TransferCounter.GROUPS_VERIFIED));

      from.damage(FILE, 4096);
      assertFails(
          ErrorCode.CORRUPT, probe.copy(other, FILE, 0, new Copy(node, 2, 5000, 4, false), LIMIT));
      assertArrayEquals(Arrays.copyOf(content, 3 * 2048 + 600), to.bytes(FILE, 0));
      assertFails(
          ErrorCode.INVALID_ARGUMENT,
          probe.copy(other, FILE, 0, new Copy(node, 2, 9000, 4, false), LIMIT));
    }
  }

  private static void write(InMemoryBlockStore store, byte[] content) throws VdfsException {
    BlockWriter writer = store.openWriter(FILE, BlockRole.PRIMARY, 1, 0, 0);
    writer.append(0, VerifiedChunks.compute(ByteBuffer.wrap(content), 512));
    writer.close(true);
  }

  /** Reading back for recovery does not wait behind read-backs that no client waits for. */
  @Test
  void shouldReadBackAtOnceWhileOthersWaitForTheirTurns() throws Exception {
    InMemoryBlockStore store = new InMemoryBlockStore(GEOMETRY);
    write(store, new byte[700]);
    CountDownLatch turn = new CountDownLatch(1);
    store.onVerify(
        pace -> {
          if (pace == ReadPace.IN_TURNS) {
            Uninterruptibles.awaitUninterruptibly(turn);
          }
        });
    try (DataConnections connections =
            new DataConnections(Duration.ofSeconds(2), new Counters<>(NetCounter.class));
        TransferServer server = start(store, connections)) {
      here = Optional.of(new DataAddress("127.0.0.1", server.port()));
      NettyReplicaProbe inTurns = probe(connections, ReadPace.IN_TURNS);
      List<CompletableFuture<VerifiedGroup>> waiting = new ArrayList<>();
      for (int count = 0; count < 8; count++) {
        waiting.add(inTurns.verify(node, FILE, 0, ALL, List.of(), LIMIT));
      }
      for (int count = 0; count < 8; count++) {
        assertEquals(
            700, probe(connections).verify(node, FILE, 0, ALL, List.of(), LIMIT).get().verified());
      }
      assertTrue(waiting.stream().noneMatch(CompletableFuture::isDone));
      turn.countDown();
      for (CompletableFuture<VerifiedGroup> each : waiting) {
        assertEquals(700, each.get().verified());
      }
    }
  }

  private NettyReplicaProbe probe(DataConnections connections) {
    return probe(connections, ReadPace.AT_ONCE);
  }

  private NettyReplicaProbe probe(DataConnections connections, ReadPace pace) {
    return new NettyReplicaProbe(
        connections,
        TestPeers.proofs(),
        CLUSTER,
        GEOMETRY,
        asked -> asked.equals(node) ? here : Optional.empty(),
        LIMIT,
        pace);
  }

  private TransferServer start(InMemoryBlockStore store, DataConnections connections)
      throws VdfsException {
    return start(store, connections, node, asked -> Optional.empty());
  }

  private static TransferServer start(
      InMemoryBlockStore store,
      DataConnections connections,
      NodeId self,
      Function<NodeId, Optional<DataAddress>> addresses)
      throws VdfsException {
    return TransferServer.start(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        TestPeers.of(CLUSTER, self, addresses),
        GEOMETRY,
        store,
        store,
        connections,
        TransferSettings.DEFAULT);
  }

  private static void assertFails(ErrorCode code, CompletableFuture<?> answer) {
    ExecutionException failed = assertThrows(ExecutionException.class, answer::get);
    assertEquals(code, ((VdfsException) failed.getCause()).code(), failed.getMessage());
  }
}
