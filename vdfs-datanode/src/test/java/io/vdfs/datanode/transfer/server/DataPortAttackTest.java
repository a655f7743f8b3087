package io.vdfs.datanode.transfer.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;
import io.netty.buffer.ByteBufUtil;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.security.ClusterKey;
import io.vdfs.common.security.NodeProofs;
import io.vdfs.common.security.WriteTickets;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CopyGroup;
import io.vdfs.common.wire.proto.DoubtBlock;
import io.vdfs.common.wire.proto.ReplicaRequest;
import io.vdfs.common.wire.proto.ReplicaResponse;
import io.vdfs.common.wire.proto.TruncateGroup;
import io.vdfs.common.wire.proto.VerifyGroup;
import io.vdfs.common.wire.proto.WriteAck;
import io.vdfs.common.wire.proto.WriteOpen;
import io.vdfs.common.wire.proto.WriteTicketProto;
import io.vdfs.datanode.store.BlockData;
import io.vdfs.datanode.store.DoubtedBlocks;
import io.vdfs.datanode.store.HeapIndexedStores;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.stream.OrderedReads;
import io.vdfs.datanode.stream.StreamManager;
import io.vdfs.datanode.stream.StreamSettings;
import io.vdfs.datanode.transfer.Peer;
import io.vdfs.datanode.transfer.Requests;
import io.vdfs.datanode.transfer.TestPeers;
import io.vdfs.datanode.transfer.TransferCounter;
import io.vdfs.datanode.transfer.TransferSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Peers that know ids and protocol, and nothing else, against a node with a real store. */
@Timeout(60)
class DataPortAttackTest {
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(2048, 4, 512, 12);
  private static final UUID CLUSTER = UUID.randomUUID();
  private static final NodeId SELF = NodeId.random();
  private static final FileKey FILE = new FileKey(77, 3);
  private static final WriteTickets TICKETS = TestPeers.tickets(CLUSTER);
  private static final WriteTicketProto NO_TICKET = WriteTicketProto.getDefaultInstance();
  private static final byte[] CONTENT = bytes(1, 1300);

  @TempDir private Path volume;
  private final Requests requests = new Requests(CLUSTER, SELF, FILE, GEOMETRY.chunkSize());
  private final DataConnections connections =
      new DataConnections(Duration.ofSeconds(2), new Counters<>(NetCounter.class));
  private final DoubtedBlocks doubts = new DoubtedBlocks();
  private DiskBlockStore store;
  private StreamManager streams;
  private OrderedReads reads;
  private TransferServer server;
  private Peer peer;
  private int lastStream;

  @BeforeEach
  void start() throws IOException {
    store =
        HeapIndexedStores.open(
            StoreConfig.of(CLUSTER, SELF, GEOMETRY, List.of(volume), volume.resolve("index")));
    streams = StreamManager.start(store, 1, StreamSettings.DEFAULT);
    reads = new OrderedReads(store, streams, GEOMETRY.chunkSize());
    server =
        TransferServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            TestPeers.alone(CLUSTER, SELF),
            GEOMETRY,
            store,
            doubts,
            reads,
            Deliveries.NONE,
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
    reads.close();
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

  private static ReplicaRequest addressed(ReplicaRequest question) {
    return question.toBuilder()
        .setFile(WireIds.encode(FILE))
        .setClusterId(WireIds.encode(CLUSTER))
        .setNode(WireIds.encode(SELF))
        .build();
  }

  private ReplicaResponse ask(int stream, ReplicaRequest request) throws IOException {
    peer.send(FrameType.REPLICA_REQUEST, stream, request, null);
    return ReplicaResponse.parseFrom(peer.receive().header());
  }

  /** The nonce for the next question of a new stream. */
  private ByteString challenge() throws IOException {
    ReplicaRequest question = ReplicaRequest.newBuilder().setChallenge(true).build();
    return ask(++lastStream, addressed(question)).getNonce();
  }

  private void assertUntouched() throws VdfsException {
    assertEquals(CONTENT.length, store.group(FILE, 0).length());
    BlockData data = store.read(FILE, 0, 0, CONTENT.length, true);
    byte[] found = ByteBufUtil.getBytes(data.data());
    data.data().release();
    assertArrayEquals(CONTENT, found);
  }

  private static void assertRefused(ErrorCode code, WriteAck answer) {
    assertEquals(code.name(), answer.getError().getCode(), answer::toString);
  }

  private static void assertRefused(ErrorCode code, ReplicaResponse answer) {
    assertEquals(code.name(), answer.getError().getCode(), answer::toString);
  }

  private static WriteOpen with(WriteOpen open, WriteTicketProto ticket) {
    return open.toBuilder().setTicket(ticket).build();
  }

  @Test
  void shouldNotLetAPeerOverwriteAClosedFile() throws IOException {
    byte[] other = bytes(2, CONTENT.length);
    WriteOpen open = requests.open(2);
    WriteTicketProto good = open.getTicket();
    FileKey next = new FileKey(FILE.fileId() + 1, FILE.generation());
    FileKey later = new FileKey(FILE.fileId(), FILE.generation() + 1);
    ClusterKey otherKey = ClusterKey.generate(new SecureRandom());
    List<WriteTicketProto> tickets =
        List.of(
            NO_TICKET,
            WriteTicketProto.newBuilder().setProof(ByteString.copyFrom(new byte[32])).build(),
            requests.open(1).getTicket(),
            requests.open(3).getTicket(),
            TICKETS.issue(next, 2, 0),
            TICKETS.issue(later, 2, 0),
            TestPeers.tickets(UUID.randomUUID()).issue(FILE, 2, 0),
            new WriteTickets(otherKey, CLUSTER).issue(FILE, 2, 0),
            good.toBuilder().setLastDeletion(1).build());
    for (WriteTicketProto ticket : tickets) {
      assertRefused(ErrorCode.STALE_TICKET, write(with(open, ticket), other));
      assertUntouched();
    }
    assertEquals(tickets.size(), server.counters().get(TransferCounter.TICKETS_REFUSED));
    // a writer to which the metadata gave the epoch may
    assertEquals(0, write(open, CONTENT).getSequence());
  }

  @Test
  void shouldNotLetTheEpochOfAClosedFileWriteOn() throws IOException {
    assertRefused(ErrorCode.FENCED, write(requests.open(1), bytes(2, CONTENT.length)));
    assertUntouched();
  }

  @Test
  void shouldNotLetTheEpochBehindTheLastOneThatThereIsWrite() throws IOException {
    assertRefused(ErrorCode.STALE_TICKET, write(with(requests.open(-1), NO_TICKET), CONTENT));
    assertUntouched();
  }

  @Test
  void shouldNotMakeFilesThatWereNotCreated() throws IOException {
    FileKey unknown = new FileKey(FILE.fileId() + 1, 1);
    WriteOpen open = requests.open(1).toBuilder().setFile(WireIds.encode(unknown)).build();

    assertRefused(ErrorCode.STALE_TICKET, write(open, CONTENT));
    assertEquals(0, store.group(unknown, 0).length());
  }

  @Test
  void shouldSendBackAWriterWithATicketOfAFileThatIsGone() throws IOException {
    store.delete(FILE);
    store.forceRemovals(5);
    assertRefused(ErrorCode.FENCED, write(requests.open(2), CONTENT));
    assertEquals(0, store.group(FILE, 0).length());
  }

  private static Stream<ReplicaRequest> whatOnlyNodesMayAsk() {
    return Stream.of(
        ReplicaRequest.newBuilder().setFenceEpoch(-1).build(),
        ReplicaRequest.newBuilder().setFenceEpoch(2).build(),
        ReplicaRequest.newBuilder()
            .setTruncate(TruncateGroup.newBuilder().setWriteEpoch(2).setLength(0))
            .build(),
        ReplicaRequest.newBuilder().setVerify(VerifyGroup.getDefaultInstance()).build(),
        ReplicaRequest.newBuilder()
            .setCopy(
                CopyGroup.newBuilder()
                    .setSource(WireIds.encode(NodeId.random()))
                    .setLength(1)
                    .setWriteEpoch(2))
            .build());
  }

  @ParameterizedTest
  @MethodSource("whatOnlyNodesMayAsk")
  void shouldAnswerNodesAlone(ReplicaRequest question) throws IOException {
    ReplicaRequest request = addressed(question);
    assertRefused(ErrorCode.PERMISSION_DENIED, ask(++lastStream, request));
    ReplicaRequest guessed =
        request.toBuilder().setProof(ByteString.copyFrom(new byte[32])).build();
    assertRefused(ErrorCode.PERMISSION_DENIED, ask(++lastStream, guessed));
    challenge();
    assertRefused(ErrorCode.PERMISSION_DENIED, ask(lastStream, request));
    challenge();
    assertRefused(ErrorCode.PERMISSION_DENIED, ask(lastStream, guessed));
    ByteString nonce = challenge();
    NodeProofs others = new NodeProofs(ClusterKey.generate(new SecureRandom()));
    assertRefused(ErrorCode.PERMISSION_DENIED, ask(lastStream, others.prove(request, nonce)));

    assertUntouched();
    assertEquals(5, server.counters().get(TransferCounter.PROOFS_REFUSED));
    assertEquals(0, write(requests.open(2), CONTENT).getSequence());
  }

  @Test
  void shouldTakeNoProofTwiceNorForAnotherQuestion() throws IOException {
    ReplicaRequest fence = addressed(ReplicaRequest.newBuilder().setFenceEpoch(2).build());
    ReplicaRequest proved = TestPeers.proofs().prove(fence, challenge());
    ReplicaResponse answer = ask(lastStream, proved);
    assertEquals("", answer.getError().getCode(), answer::toString);

    // without a nonce, with another one, and on another connection
    assertRefused(ErrorCode.PERMISSION_DENIED, ask(++lastStream, proved));
    challenge();
    assertRefused(ErrorCode.PERMISSION_DENIED, ask(lastStream, proved));
    ByteString nonce = challenge();
    ReplicaRequest higher = addressed(ReplicaRequest.newBuilder().setFenceEpoch(9).build());
    ReplicaRequest swapped =
        higher.toBuilder().setProof(TestPeers.proofs().prove(fence, nonce).getProof()).build();
    assertRefused(ErrorCode.PERMISSION_DENIED, ask(lastStream, swapped));
    try (Peer another = new Peer(server.port())) {
      another.send(FrameType.REPLICA_REQUEST, 1, proved, null);
      assertRefused(
          ErrorCode.PERMISSION_DENIED, ReplicaResponse.parseFrom(another.receive().header()));
    }
    assertEquals(2, store.group(FILE, 0).fenceEpoch());
  }

  @Test
  void shouldCutOffAPeerThatAnswersAChallengeWithAnythingElse() throws IOException {
    challenge();
    peer.send(FrameType.WRITE_PACKET, lastStream, requests.packet(0, 0, CONTENT), CONTENT);
    peer.assertCutOff();
    assertUntouched();
  }

  @Test
  void shouldNotConnectWhereAPeerSays() throws IOException {
    try (ServerSocket elsewhere = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      elsewhere.setSoTimeout(2_000);
      WriteOpen.Builder open =
          requests.open(2).toBuilder().addDownstream(WireIds.encode(NodeId.random()));
      open.setUnknownFields(addressOf(elsewhere));
      peer.send(FrameType.WRITE_OPEN, ++lastStream, open.build(), null);

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

  private ReplicaResponse doubt(FileKey file, int group, int block) throws IOException {
    ReplicaRequest request =
        ReplicaRequest.newBuilder()
            .setGroup(group)
            .setDoubt(DoubtBlock.newBuilder().setBlock(block))
            .build();
    return ask(++lastStream, addressed(request).toBuilder().setFile(WireIds.encode(file)).build());
  }

  @Test
  void shouldOnlyTakeNoteOfWhatIsSaidToBeDamaged() throws IOException {
    assertFalse(doubt(FILE, 2, 3).hasError());
    assertFalse(doubt(FILE, 2, 3).hasError());
    assertFalse(doubt(new FileKey(5, 1), Integer.MAX_VALUE, 0).hasError());
    for (int block : new int[] {GEOMETRY.groupBlocks(), -1, Integer.MIN_VALUE}) {
      assertEquals(ErrorCode.INVALID_ARGUMENT, codeOf(doubt(FILE, 0, block)));
    }
    assertEquals(ErrorCode.INVALID_ARGUMENT, codeOf(doubt(FILE, -1, 0)));
    assertEquals(3, server.counters().get(TransferCounter.DOUBTS_TAKEN));
    assertEquals(
        new DoubtedBlocks.Doubt(FILE, 2, 2L * GEOMETRY.groupBlocks() + 3),
        doubts.poll().orElseThrow());
    assertEquals(
        new DoubtedBlocks.Doubt(
            new FileKey(5, 1),
            Integer.MAX_VALUE,
            (long) Integer.MAX_VALUE * GEOMETRY.groupBlocks()),
        doubts.poll().orElseThrow());
    assertTrue(doubts.poll().isEmpty());
    for (int file = 1; file <= DoubtedBlocks.MOST + 50; file++) {
      assertFalse(doubt(new FileKey(file, 9), 0, 0).hasError());
    }
    assertEquals(50, server.counters().get(TransferCounter.DOUBTS_DROPPED));
    assertEquals(CONTENT.length, store.group(FILE, 0).length(), "nothing has changed");
  }

  private static ErrorCode codeOf(ReplicaResponse response) {
    return WireIds.exception(response.getError()).code();
  }
}
