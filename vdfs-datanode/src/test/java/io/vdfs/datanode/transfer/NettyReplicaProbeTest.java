package io.vdfs.datanode.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

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
import io.vdfs.common.wire.ChunkCrc;
import io.vdfs.datanode.meta.service.ReplicaProbe.Extent;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NettyReplicaProbeTest {
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(2048, 4, 512, 12);
  private static final FileKey FILE = new FileKey(77, 3);
  private static final UUID CLUSTER = UUID.randomUUID();

  private final NodeId node = NodeId.random();
  private Optional<DataAddress> here = Optional.empty();

  @Test
  void shouldAskAndChangeReplicasElsewhere() throws Exception {
    byte[] content = new byte[1300];
    new Random(1).nextBytes(content);
    InMemoryReplicaStore store = new InMemoryReplicaStore(GEOMETRY);
    ReplicaWriter writer = store.openWriter(FILE, 0, 1, 0, true, LeaseBound.NONE);
    writer.append(0, ByteBuffer.wrap(content), ChunkCrc.ofChunks(ByteBuffer.wrap(content), 512));
    writer.close(true);

    try (DataConnections connections =
        new DataConnections(Duration.ofSeconds(2), new Counters<>(NetCounter.class))) {
      NettyReplicaProbe probe = probe(connections);
      try (TransferServer server = start(store, connections)) {
        here = Optional.of(new DataAddress("127.0.0.1", server.port()));
        assertEquals(new Extent(1300, 1), probe.visibleLength(node, FILE, 0).get());
        assertEquals(new Extent(0, 0), probe.visibleLength(node, FILE, 1).get());
        assertEquals(new Extent(1300, 6), probe.fence(node, FILE, 0, 6).get());
        assertFails(ErrorCode.FENCED, probe.fence(node, FILE, 0, 5));
        assertEquals(new Extent(700, 6), probe.truncateGroup(node, FILE, 0, 700, 6).get());
        assertFails(ErrorCode.FILE_CHANGED, probe.truncateGroup(node, FILE, 0, 701, 6));
        assertFails(ErrorCode.UNAVAILABLE, probe.visibleLength(NodeId.random(), FILE, 0));
      }
      assertArrayEquals(Arrays.copyOf(content, 700), store.bytes(FILE, 0));
      assertFails(ErrorCode.UNAVAILABLE, probe.visibleLength(node, FILE, 0));
    }
  }

  private NettyReplicaProbe probe(DataConnections connections) {
    return new NettyReplicaProbe(
        connections,
        CLUSTER,
        asked -> asked.equals(node) ? here : Optional.empty(),
        Duration.ofSeconds(10));
  }

  private TransferServer start(InMemoryReplicaStore store, DataConnections connections)
      throws VdfsException {
    return TransferServer.start(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        CLUSTER,
        node,
        GEOMETRY,
        store,
        connections,
        TransferSettings.DEFAULT);
  }

  private static void assertFails(ErrorCode code, CompletableFuture<Extent> answer) {
    ExecutionException failed = assertThrows(ExecutionException.class, answer::get);
    assertEquals(code, ((VdfsException) failed.getCause()).code(), failed.getMessage());
  }
}
