package io.vdfs.datanode.transfer.server;

import static io.vdfs.datanode.Await.awaitThat;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.netty.buffer.ByteBuf;
import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.proto.ReadData;
import io.vdfs.datanode.store.BlockBuffers;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.store.disk.LocalDisk;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.index.HeapBlockIndex;
import io.vdfs.datanode.store.load.StoreOpener;
import io.vdfs.datanode.store.memory.MappedBuffers;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.ThreadingMode;
import io.vdfs.datanode.stream.OrderedReads;
import io.vdfs.datanode.stream.StreamManager;
import io.vdfs.datanode.stream.StreamSettings;
import io.vdfs.datanode.transfer.Peer;
import io.vdfs.datanode.transfer.Requests;
import io.vdfs.datanode.transfer.TestPeers;
import io.vdfs.datanode.transfer.TransferSettings;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Blocks that a node sends from its mapped buffers, which are free again when peers have them. */
@Timeout(60)
class MappedReadsTest {
  private static final int MEMORY = 4 << 20;
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(4 << 20, 1, 64 << 10, 12);
  private static final UUID CLUSTER = UUID.randomUUID();
  private static final NodeId SELF = NodeId.random();
  private static final FileKey FILE = new FileKey(77, 3);

  @TempDir private Path volume;
  private final Requests requests = new Requests(CLUSTER, SELF, FILE, GEOMETRY.chunkSize());
  private final BlockBuffers buffers = MappedBuffers.open(MEMORY);

  private DiskBlockStore openStore() throws Exception {
    StoreConfig config =
        StoreConfig.of(CLUSTER, SELF, GEOMETRY, List.of(volume), volume.resolve("index"));
    return StoreOpener.open(
        new StoreContext(config, new LocalDisk(), ThreadingMode.OWN_THREADS, buffers),
        (index, blocks) -> new HeapBlockIndex());
  }

  @Test
  void shouldSendBlocksFromMemoryOfItsOwnAndHaveAllOfItBack() throws Exception {
    byte[] content = new byte[GEOMETRY.blockSize()];
    new Random(1).nextBytes(content);
    try (DiskBlockStore store = openStore();
        StreamManager streams =
            StreamManager.start(store, 1, StreamSettings.DEFAULT, buffers, told -> {});
        OrderedReads reads = new OrderedReads(store, streams, GEOMETRY.chunkSize());
        DataConnections connections =
            new DataConnections(Duration.ofSeconds(2), new Counters<>(NetCounter.class));
        TransferServer server =
            TransferServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                TestPeers.alone(CLUSTER, SELF),
                GEOMETRY,
                store,
                reads,
                connections,
                TransferSettings.DEFAULT);
        Peer peer = new Peer(server.port())) {
      BlockWriter writer = store.openWriter(FILE, BlockRole.PRIMARY, 1, 0, 0);
      writer.append(0, VerifiedChunks.compute(ByteBuffer.wrap(content), GEOMETRY.chunkSize()));
      writer.close(true);
      for (int stream = 1; stream <= 4; stream++) {
        peer.send(FrameType.READ_REQUEST, stream, requests.read(0, content.length), null);
        assertArrayEquals(content, receive(peer));
      }
      assertEquals(0, store.counters().get(StoreCounter.POOLED_READS));
    }
    awaitThat(this::isAllFree);
  }

  private static byte[] receive(Peer peer) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    boolean last = false;
    while (!last) {
      Peer.Answer answer = peer.receive();
      ReadData piece = ReadData.parseFrom(answer.header());
      assertFalse(piece.hasError(), () -> piece.getError().getMessage());
      bytes.write(answer.payload().toByteArray());
      last = piece.getLast();
    }
    return bytes.toByteArray();
  }

  private boolean isAllFree() {
    Optional<ByteBuf> all = buffers.take(MEMORY);
    all.ifPresent(ByteBuf::release);
    return all.isPresent();
  }
}
