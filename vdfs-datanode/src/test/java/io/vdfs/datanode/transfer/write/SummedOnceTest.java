package io.vdfs.datanode.transfer.write;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.proto.WriteAck;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.transfer.DiskStoreFaults;
import io.vdfs.datanode.transfer.Peer;
import io.vdfs.datanode.transfer.Requests;
import io.vdfs.datanode.transfer.TestPeers;
import io.vdfs.datanode.transfer.TransferCounter;
import io.vdfs.datanode.transfer.TransferSettings;
import io.vdfs.datanode.transfer.server.TransferServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node with the store of daemons sums the chunks that are written to it, and no chunk twice. */
@Timeout(60)
class SummedOnceTest {
  private static final int CHUNK = 512;
  private static final int PACKETS = 8;
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(4 * CHUNK, 4, CHUNK, 12);
  private static final UUID CLUSTER = new UUID(7, 7);
  private static final FileKey FILE = new FileKey(77, 3);

  @Test
  void shouldSumEachChunkOfAPipelineOnce() throws Exception {
    NodeId self = NodeId.random();
    Requests requests = new Requests(CLUSTER, self, FILE, CHUNK);
    byte[] content = new byte[PACKETS * 2 * CHUNK];
    new Random(3).nextBytes(content);
    try (DiskStoreFaults disk = new DiskStoreFaults(CLUSTER, self, GEOMETRY);
        DataConnections connections =
            new DataConnections(Duration.ofSeconds(2), new Counters<>(NetCounter.class));
        TransferServer server =
            TransferServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                TestPeers.alone(CLUSTER, self),
                GEOMETRY,
                disk.store(),
                disk.reads(),
                connections,
                TransferSettings.DEFAULT);
        Peer peer = new Peer(server.port())) {
      peer.send(FrameType.WRITE_OPEN, 1, requests.open(1), null);
      peer.receive();
      for (int packet = 0; packet < PACKETS; packet++) {
        int at = packet * 2 * CHUNK;
        byte[] bytes = Arrays.copyOfRange(content, at, at + 2 * CHUNK);
        peer.send(FrameType.WRITE_PACKET, 1, requests.packet(packet, at, bytes), bytes);
        WriteAck ack = WriteAck.parseFrom(peer.receive().header());
        assertEquals(packet, ack.getSequence(), ack::toString);
      }

      assertArrayEquals(content, disk.bytes(FILE, 0));
      assertEquals(2 * PACKETS, server.counters().get(TransferCounter.SUMMED_CHUNKS));
      assertEquals(0, disk.store().counters().get(StoreCounter.SUMMED_CHUNKS));
    }
  }
}
