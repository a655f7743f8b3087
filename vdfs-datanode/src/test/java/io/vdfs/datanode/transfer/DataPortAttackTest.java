package io.vdfs.datanode.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.WriteAck;
import io.vdfs.common.wire.proto.WriteOpen;
import io.vdfs.datanode.store.DiskBlockStore;
import io.vdfs.datanode.store.HeapIndexedStores;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.stream.StreamManager;
import io.vdfs.datanode.stream.StreamSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Peers that know ids and protocol, and nothing else, against a node with a real store. */
@Timeout(60)
class DataPortAttackTest {
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(2048, 4, 512, 12);
  private static final UUID CLUSTER = UUID.randomUUID();
  private static final NodeId SELF = NodeId.random();
  private static final FileKey FILE = new FileKey(77, 3);
  private static final byte[] CONTENT = bytes(1, 1300);

  @TempDir private Path volume;
  private final Requests requests = new Requests(CLUSTER, SELF, FILE, GEOMETRY.chunkSize());
  private final DataConnections connections =
      new DataConnections(Duration.ofSeconds(2), new Counters<>(NetCounter.class));
  private DiskBlockStore store;
  private StreamManager streams;
  private TransferServer server;
  private Peer peer;
  private int lastStream;

  @BeforeEach
  void start() throws IOException {
    store =
        HeapIndexedStores.open(
            StoreConfig.of(CLUSTER, SELF, GEOMETRY, List.of(volume), volume.resolve("index")));
    streams = StreamManager.start(store, 1, StreamSettings.DEFAULT);
    server =
        TransferServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            TestPeers.alone(CLUSTER, SELF),
            GEOMETRY,
            new BlockReplicaStore(store, streams, GEOMETRY),
            connections,
            TransferSettings.DEFAULT);
    peer = new Peer(server.port());
    WriteAck done = write(requests.open(1), CONTENT);
    assertEquals(0, done.getSequence(), done::toString);
  }

  @AfterEach
  void stop() throws IOException {
    peer.close();
    server.close();
    streams.close();
    store.close();
    connections.close();
  }

  /** The last answer to a pipeline that sends all in one packet, which ends it. */
  private WriteAck write(WriteOpen open, byte[] content) throws IOException {
    int stream = ++lastStream;
    peer.send(FrameType.WRITE_OPEN, stream, open, null);
    WriteAck opened = WriteAck.parseFrom(peer.receive().header());
    if (opened.hasError()) {
      return opened;
    }
    peer.send(
        FrameType.WRITE_PACKET,
        stream,
        requests.packet(0, open.getStartOffset(), content).toBuilder()
            .setSync(true)
            .setLast(true)
            .build(),
        content);
    return WriteAck.parseFrom(peer.receive().header());
  }

  @Test
  void shouldNotConnectWhereAPeerSays() throws IOException {
    try (ServerSocket elsewhere = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      elsewhere.setSoTimeout(2_000);
      WriteOpen.Builder open =
          requests.open(2).toBuilder().addDownstream(WireIds.encode(NodeId.random()));
      open.setUnknownFields(addressOf(elsewhere));
      peer.send(
          FrameType.WRITE_OPEN,
          ++lastStream,
          open.build(),
          null);

      assertThrows(SocketTimeoutException.class, elsewhere::accept);
    }
  }

  /** Where the next node is, in the field in which the first protocol had its address. */
  private static UnknownFieldSet addressOf(ServerSocket next) {
    UnknownFieldSet address =
        UnknownFieldSet.newBuilder()
            .addField(1, bytesOf(WireIds.encode(NodeId.random())))
            .addField(2, bytesOf(ByteString.copyFromUtf8("127.0.0.1")))
            .addField(3, Field.newBuilder().addVarint(next.getLocalPort()).build())
            .build();
    return UnknownFieldSet.newBuilder().addField(6, bytesOf(address.toByteString())).build();
  }

  private static Field bytesOf(ByteString value) {
    return Field.newBuilder().addLengthDelimited(value).build();
  }

  private static byte[] bytes(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }
}
