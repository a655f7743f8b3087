package io.vdfs.datanode.transfer.write;

import static io.vdfs.datanode.Await.awaitThat;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireChecksums;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ReplicaRequest;
import io.vdfs.common.wire.proto.WriteAck;
import io.vdfs.common.wire.proto.WriteOpen;
import io.vdfs.common.wire.proto.WritePacket;
import io.vdfs.datanode.transfer.InMemoryBlockStore;
import io.vdfs.datanode.transfer.Peer;
import io.vdfs.datanode.transfer.TestPeers;
import io.vdfs.datanode.transfer.TransferSettings;
import io.vdfs.datanode.transfer.server.TransferServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A pipeline through two nodes. */
@Timeout(60)
class PipelineTest {
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(2048, 4, 512, 12);
  private static final FileKey FILE = new FileKey(77, 3);
  private static final UUID CLUSTER = UUID.randomUUID();
  private static final int WRITE = 1;
  private static final int QUESTION = 2;

  private final NodeId first = NodeId.random();
  private final NodeId second = NodeId.random();
  private final InMemoryBlockStore ofFirst = new InMemoryBlockStore(GEOMETRY);
  private final InMemoryBlockStore ofSecond = new InMemoryBlockStore(GEOMETRY);
  private final DataConnections connections =
      new DataConnections(Duration.ofSeconds(2), new Counters<>(NetCounter.class));
  private TransferServer firstServer;
  private TransferServer secondServer;

  @BeforeEach
  void start() throws VdfsException {
    secondServer = start(second, ofSecond, node -> Optional.empty());
    DataAddress address =
        new DataAddress(InetAddress.getLoopbackAddress().getHostAddress(), secondServer.port());
    firstServer = start(first, ofFirst, node -> Optional.of(address));
  }

  private TransferServer start(
      NodeId self, InMemoryBlockStore store, Function<NodeId, Optional<DataAddress>> others)
      throws VdfsException {
    return TransferServer.start(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        TestPeers.of(CLUSTER, self, others),
        GEOMETRY,
        store,
        store,
        connections,
        TransferSettings.DEFAULT);
  }

  @AfterEach
  void stop() {
    firstServer.close();
    secondServer.close();
    connections.close();
  }

  @Test
  void shouldAcknowledgeNothingThatTheNextNodeDoesNotHave() throws IOException {
    byte[] content = new byte[1300];
    new Random(1).nextBytes(content);
    try (Peer peer = new Peer(firstServer.port())) {
      peer.send(FrameType.WRITE_OPEN, WRITE, open(), null);
      assertEquals(WRITE, peer.receive().stream(), "the pipeline is open");
      ofSecond.stall();
      peer.send(FrameType.WRITE_PACKET, WRITE, packet(content).build(), content);
      awaitThat(() -> ofFirst.bytes(FILE, 0).length == content.length);

      peer.send(FrameType.REPLICA_REQUEST, QUESTION, visibleLength(), null);
      assertEquals(QUESTION, peer.receive().stream(), "acknowledged too early");
      ofSecond.goOn();
      assertEquals(0, WriteAck.parseFrom(peer.receive().header()).getSequence());
    } finally {
      ofSecond.goOn();
    }
    assertArrayEquals(content, ofSecond.bytes(FILE, 0));
  }

  private WriteOpen open() {
    return WriteOpen.newBuilder()
        .setFile(WireIds.encode(FILE))
        .setWriteEpoch(1)
        .setClusterId(WireIds.encode(CLUSTER))
        .setNode(WireIds.encode(first))
        .setTicket(TestPeers.tickets(CLUSTER).issue(FILE, 1, 0))
        .addDownstream(WireIds.encode(second))
        .build();
  }

  private static WritePacket.Builder packet(byte[] content) {
    return WritePacket.newBuilder()
        .setSequence(0)
        .setSync(true)
        .setLast(true)
        .setChecksums(
            WireChecksums.encode(
                ChunkChecksums.compute(ByteBuffer.wrap(content), GEOMETRY.chunkSize())));
  }

  private ReplicaRequest visibleLength() {
    return ReplicaRequest.newBuilder()
        .setFile(WireIds.encode(FILE))
        .setClusterId(WireIds.encode(CLUSTER))
        .setNode(WireIds.encode(first))
        .setVisibleLength(true)
        .build();
  }
}
