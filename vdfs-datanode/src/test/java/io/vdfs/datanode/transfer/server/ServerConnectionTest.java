package io.vdfs.datanode.transfer.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.Frame;
import io.vdfs.common.net.FrameDecoder;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.proto.ReplicaResponse;
import io.vdfs.datanode.store.BlockData;
import io.vdfs.datanode.store.DoubtedBlocks;
import io.vdfs.datanode.stream.StoreReads;
import io.vdfs.datanode.transfer.InMemoryBlockStore;
import io.vdfs.datanode.transfer.Requests;
import io.vdfs.datanode.transfer.TestPeers;
import io.vdfs.datanode.transfer.TransferContext;
import io.vdfs.datanode.transfer.TransferCounter;
import io.vdfs.datanode.transfer.TransferSettings;
import io.vdfs.datanode.transfer.TransferThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ServerConnectionTest {
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(1 << 20, 1, 64 << 10, 12);
  private static final int CHUNK = GEOMETRY.chunkSize();
  private static final UUID CLUSTER = UUID.randomUUID();
  private static final NodeId SELF = NodeId.random();
  private static final PeerHost HOST =
      new PeerHost(ByteString.copyFrom(new byte[] {10, 0, 0, 1}), true);

  private final Requests requests = new Requests(CLUSTER, SELF, new FileKey(77, 3), CHUNK);
  private final TransferThreads threads = new TransferThreads(1);
  private final DataConnections connections =
      new DataConnections(Duration.ofSeconds(2), new Counters<>(NetCounter.class));
  private final WaitingReads reads = new WaitingReads();
  private final EmbeddedChannel channel = new EmbeddedChannel();

  /** Reads whose turn does not come, until it is refused. */
  private static final class WaitingReads implements StoreReads {
    final List<StoreReads.Host> hosts = new ArrayList<>();
    final CompletableFuture<Void> turn = new CompletableFuture<>();

    @Override
    public CompletableFuture<Void> warm(
        StoreReads.Host host, FileKey file, long block, int offset, int length) {
      hosts.add(host);
      return turn;
    }

    @Override
    public BlockData read(FileKey file, long block, int offset, int length) {
      throw new AssertionError("read without its turn: file=" + file);
    }

    @Override
    public OptionalInt keptBytes(FileKey file, long block, int offset, int length) {
      return OptionalInt.empty();
    }

    @Override
    public Optional<BlockData> kept(FileKey file, long block, int offset, int length) {
      return Optional.empty();
    }
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
    connections.close();
    threads.close();
  }

  private void connect() {
    ServerConnection connection =
        new ServerConnection(context(), Deliveries.NONE, new ReadBudget(1 << 20), HOST);
    channel.pipeline().addLast(connection);
    connection.watch(new FrameDecoder(connection));
  }

  @Test
  void shouldLetReadsWaitOnBehalfOfThePeersHost() {
    connect();
    send(FrameType.READ_REQUEST, 1, requests.read(0, CHUNK));
    send(FrameType.REPLICA_REQUEST, 2, requests.digests(CHUNK));

    assertEquals(List.of(HOST, HOST), reads.hosts);
  }

  @Test
  void shouldRefuseDigestsOfWhatGetsNoTurn() throws Exception {
    connect();
    send(FrameType.REPLICA_REQUEST, 2, requests.digests(CHUNK));
    reads.turn.completeExceptionally(
        new VdfsException(ErrorCode.UNAVAILABLE, "too many reads of one host"));
    channel.runPendingTasks();

    Frame answer = channel.readOutbound();
    assertEquals("UNAVAILABLE", ReplicaResponse.parseFrom(answer.header()).getError().getCode());
  }

  private TransferContext context() {
    return new TransferContext(
        TestPeers.alone(CLUSTER, SELF),
        GEOMETRY,
        new InMemoryBlockStore(GEOMETRY),
        new DoubtedBlocks(),
        reads,
        connections,
        threads,
        TransferSettings.DEFAULT,
        new Counters<>(TransferCounter.class));
  }

  private void send(FrameType type, int stream, MessageLite request) {
    channel.writeInbound(new Frame(type, stream, request.toByteString(), Unpooled.EMPTY_BUFFER));
  }
}
