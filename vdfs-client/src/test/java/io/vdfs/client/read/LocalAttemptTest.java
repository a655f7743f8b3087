package io.vdfs.client.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.client.io.ClientIo;
import io.vdfs.client.io.Delivery;
import io.vdfs.client.io.IoCounter;
import io.vdfs.client.io.IoSettings;
import io.vdfs.client.io.ReadAttempt;
import io.vdfs.client.io.ReadTally;
import io.vdfs.client.io.ScriptedNode;
import io.vdfs.client.io.ScriptedNode.Received;
import io.vdfs.client.io.TestCluster;
import io.vdfs.client.io.WantedRange;
import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.io.replica.GroupPlaces;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.net.DataConnection;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireChecksums;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.LocalGrant;
import io.vdfs.common.wire.proto.LocalRequest;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a local reader reports to a node, and how it takes the node's answers. */
@Timeout(60)
class LocalAttemptTest {
  private static final int CHUNK = TestCluster.GEOMETRY.chunkSize();
  private static final int BLOCK = TestCluster.GEOMETRY.blockSize();
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final FileView FILE =
      new FileView(TestCluster.FILE, TestCluster.GEOMETRY.blockSize(), false, 1, 1, List.of());

  private static final FileView LONG_FILE =
      new FileView(TestCluster.FILE, 4L * BLOCK, false, 1, 1, List.of());

  private static final FileView OTHER_FILE =
      new FileView(new FileKey(259, 1), BLOCK, false, 1, 1, List.of());

  @TempDir private Path directory;
  private ScriptedNode node;
  private DataConnections connections;
  private final List<ClientIo> clients = new ArrayList<>();

  @BeforeEach
  void open() throws IOException {
    node = new ScriptedNode();
    connections = new DataConnections(Duration.ofMillis(800), new Counters<>(NetCounter.class));
  }

  @AfterEach
  void close() throws IOException {
    clients.forEach(ClientIo::close);
    connections.close();
    node.close();
  }

  @Test
  void shouldHaveTheNodeGiveUpWhenTheReaderDoes() throws Exception {
    BlockRead read = read(client(PATIENCE));
    Received request = node.next();
    assertEquals(FrameType.LOCAL_REQUEST, request.type());

    read.close();

    assertCancelled(request);
  }

  @Test
  void shouldHaveTheNodeGiveUpWhenTheReaderIsInterrupted() throws Exception {
    BlockRead read = read(client(PATIENCE));
    Received request = node.next();
    Thread.currentThread().interrupt();
    assertThrows(InterruptedIOException.class, read::await);
    assertTrue(Thread.interrupted());

    read.close();

    assertCancelled(request);
  }

  @Test
  void shouldHaveTheNodeGiveUpWhenNoGrantComesInTime() throws Exception {
    connections.shared(node.replica().address()).join();
    try (BlockRead read = read(client(Duration.ofMillis(50)))) {
      VdfsException late = assertThrows(VdfsException.class, read::await);
      assertTrue(late.getMessage().contains("no grant in time"), late.getMessage());

      assertCancelled(node.next());
    }
  }

  @Test
  void shouldKeepTheConnectionByWhichOthersAreAnswered() throws Exception {
    DataConnection shared = connections.shared(node.replica().address()).join();
    ClientIo others = client(PATIENCE);
    try (BlockRead ignored = read(client(Duration.ofSeconds(2)))) {
      node.next();
      CompletableFuture<VdfsException> late =
          CompletableFuture.supplyAsync(() -> assertThrows(VdfsException.class, ignored::await));
      while (!late.isDone()) {
        answerOne(others);
      }
      assertTrue(late.join().getMessage().contains("no grant in time"));
    }

    assertSame(shared, connections.shared(node.replica().address()).join());
    assertTrue(shared.isOpen());
  }

  private void answerOne(ClientIo client) throws Exception {
    try (BlockRead read = read(client)) {
      Received request = node.next();
      while (request.type() != FrameType.LOCAL_REQUEST) {
        request = node.next();
      }
      node.answer(request, grant(0));
      read.await();
    }
  }

  @Test
  void shouldSayNothingMoreWhenTheNodeHasAnswered() throws Exception {
    ClientIo client = client(PATIENCE);
    try (BlockRead read = read(client)) {
      node.answer(node.next(), grant(0));
      read.await();
    }
    try (BlockRead read = read(client)) {
      VdfsException error = new VdfsException(ErrorCode.UNSUPPORTED, "not here");
      node.answer(node.next(), LocalGrant.newBuilder().setError(WireIds.encode(error)).build());
      assertThrows(VdfsException.class, read::await);
    }

    BlockRead next = read(client);
    Received request = node.next();
    assertEquals(FrameType.LOCAL_REQUEST, request.type(), "nothing was left to give up");
    next.close();
    assertCancelled(request);
  }

  @Test
  void shouldRefuseAGrantBehindTheEndOfAnyFile() throws Exception {
    for (long position : List.of(Long.MAX_VALUE, Long.MAX_VALUE - CHUNK + 1, -1L)) {
      try (BlockRead read = read(client(PATIENCE))) {
        node.answer(node.next(), grant(position));

        VdfsException refused = assertThrows(VdfsException.class, read::await);

        assertEquals(ErrorCode.CORRUPT, refused.code());
        assertTrue(refused.getMessage().contains("position=" + position), refused.getMessage());
        assertEquals(FrameType.REPLICA_REQUEST, node.next().type(), "the node is told");
      }
    }
  }

  @Test
  void shouldAskNobodyForBlocksThatWereGrantedWithTheOneBefore() throws Exception {
    ClientIo client = client(PATIENCE);
    try (BlockRead first = readOn(client, 0)) {
      LocalGrant missing = wholeBlock().setPath(directory.resolve("gone").toString()).build();
      LocalGrant outside = wholeBlock().setPosition(-1).build();
      node.answer(
          node.next(),
          wholeBlock()
              .addFollowing(wholeBlock())
              .addFollowing(missing)
              .addFollowing(outside)
              .build());
      first.await();
    }
    assertEquals(0, client.counters().get(IoCounter.LOCAL_EARLY_GRANTS));

    try (BlockRead second = readOn(client, 1)) {
      second.await();
      assertEquals(2L * BLOCK, second.end());
    }
    assertEquals(1, client.counters().get(IoCounter.LOCAL_EARLY_GRANTS));

    for (int block : List.of(2, 3)) {
      try (BlockRead asking = readOn(client, block)) {
        CompletableFuture<Void> answering = answerNext(wholeBlock().build());
        asking.await();
        answering.get();
      }
    }
    assertEquals(1, client.counters().get(IoCounter.LOCAL_EARLY_GRANTS), "no other is of use");
    for (int block = 0; block < 4; block++) {
      try (BlockRead again = readOn(client, block)) {
        again.await();
      }
    }
    assertEquals(5, client.counters().get(IoCounter.LOCAL_EARLY_GRANTS), "once more");
    assertEquals(0, client.counters().get(IoCounter.LOCAL_FALLBACKS));
  }

  @Test
  void shouldNameWhatWillBeReadBehindARange() throws Exception {
    assertNamed(false, 3, client(PATIENCE), 0, BLOCK, 4L * BLOCK);
    assertNamed(false, 1, client(PATIENCE), 0, BLOCK, 3L * BLOCK - 1); // not all of the third
    assertNamed(false, 1, client(PATIENCE), 2 * BLOCK + CHUNK, BLOCK - CHUNK, 4L * BLOCK);
    assertNamed(true, 3, client(PATIENCE), 0, BLOCK - CHUNK, 4L * BLOCK);
    assertNamed(true, 0, client(PATIENCE), 0, CHUNK - 1, BLOCK);
    assertNamed(false, 0, client(PATIENCE), 0, CHUNK, BLOCK - 1);
    assertNamed(false, 0, client(PATIENCE), BLOCK, BLOCK, 2L * BLOCK);
  }

  private void assertNamed(
      boolean rest, int following, ClientIo client, long position, int length, long until)
      throws Exception {
    try (BlockRead read =
        BlockRead.startWithin(
            client, ReadWays.of(client, LONG_FILE), FetchListener.NONE, position, length, until)) {
      LocalRequest request = nextQuestion();
      assertEquals(position + length, read.end());
      assertEquals(rest, request.getRest());
      assertEquals(following, request.getFollowing());
    }
  }

  private LocalRequest nextQuestion() throws Exception {
    Received request = node.next();
    while (request.type() != FrameType.LOCAL_REQUEST) {
      request = node.next();
    }
    return LocalRequest.parseFrom(request.header());
  }

  @Test
  void shouldReadTheRestOfABlockByTheGrantThatCameWithItsFirstRange() throws Exception {
    ClientIo client = client(PATIENCE);
    byte[] bytes = new byte[BLOCK];
    for (int chunk = 0; chunk < BLOCK / CHUNK; chunk++) {
      bytes[chunk * CHUNK] = (byte) (chunk + 1);
    }
    Path file = Files.write(directory.resolve("block"), bytes);
    ChunkChecksums checksums = ChunkChecksums.compute(ByteBuffer.wrap(bytes), CHUNK);
    try (BlockRead first = begin(client, 0, CHUNK)) {
      node.answer(
          node.next(),
          part(file, checksums, 0, CHUNK).setRest(part(file, checksums, CHUNK, BLOCK)).build());
      first.await();
    }

    for (int start : List.of(CHUNK, 2 * CHUNK)) {
      int end = start == CHUNK ? 2 * CHUNK : BLOCK;
      try (BlockRead read = begin(client, start, end - start)) {
        read.await();
        ByteBuffer target = ByteBuffer.allocate(end - start);
        read.copy(start, target, end - start, ReadTally.NONE);
        assertArrayEquals(Arrays.copyOfRange(bytes, start, end), target.array());
      }
    }
    assertEquals(2, client.counters().get(IoCounter.LOCAL_EARLY_GRANTS));

    try (BlockRead again = begin(client, 0, BLOCK)) {
      again.await();
      ByteBuffer target = ByteBuffer.allocate(BLOCK);
      again.copy(0, target, BLOCK, ReadTally.NONE);
      assertArrayEquals(bytes, target.array());
    }
    assertEquals(3, client.counters().get(IoCounter.LOCAL_EARLY_GRANTS));
  }

  @Test
  void shouldLeaveAGrantToTheNextReaderWhereAReadAheadIsNotNeeded() throws Exception {
    ClientIo client = client(PATIENCE);
    try (BlockRead first = readOn(client, 0)) {
      node.answer(nextOf(0), wholeBlock().addFollowing(wholeBlock()).build());
      first.await();
    }
    readOn(client, 1).close();

    try (BlockRead next = readOn(client, 1)) {
      next.await();
    }
    assertEquals(1, client.counters().get(IoCounter.LOCAL_EARLY_GRANTS));
    assertNothingElseWasAsked(client);
  }

  @Test
  void shouldWaitForAGrantThatIsLikelyToComeWithAnother() throws Exception {
    ClientIo client = client(PATIENCE);
    learnThatMoreIsGranted(client);
    try (BlockRead second = readOn(client, 1);
        BlockRead third = readOn(client, 2);
        BlockRead last = readOn(client, 3)) {
      Received asked = nextOf(1);
      LocalGrant.Builder answer = wholeBlock();
      node.answer(asked, answer.addFollowing(wholeBlock()).addFollowing(wholeBlock()).build());
      second.await();
      third.await();
      last.await();
    }
    assertEquals(2, client.counters().get(IoCounter.LOCAL_EARLY_GRANTS));
    assertNothingElseWasAsked(client);
  }

  @Test
  void shouldAskAtOnceWhenAnAnswerHasNotWhatWasLikely() throws Exception {
    ClientIo client = client(PATIENCE);
    learnThatMoreIsGranted(client);
    try (BlockRead second = readOn(client, 1);
        BlockRead third = readOn(client, 2);
        BlockRead last = readOn(client, 3)) {
      node.answer(nextOf(1), wholeBlock().addFollowing(wholeBlock()).build());
      node.answer(nextOf(3), wholeBlock().build());
      second.await();
      third.await();
      last.await();
    }
    assertEquals(1, client.counters().get(IoCounter.LOCAL_EARLY_GRANTS));
    assertNothingElseWasAsked(client);
  }

  @Test
  void shouldAskForWhatIsNeededBeforeTheLikelyAnswerComes() throws Exception {
    ClientIo client = client(PATIENCE);
    learnThatMoreIsGranted(client);
    try (BlockRead second = readOn(client, 1);
        BlockRead third = readOn(client, 2)) {
      Received asked = nextOf(1);
      CompletableFuture<Void> answering = answerNext(wholeBlock().build());
      third.await();
      answering.get();
      node.answer(asked, wholeBlock().addFollowing(wholeBlock()).build());
      second.await();
    }
    assertEquals(0, client.counters().get(IoCounter.LOCAL_EARLY_GRANTS));
    assertNothingElseWasAsked(client);
  }

  @Test
  void shouldAskForNothingThatWasGivenUpBeforeTheLikelyAnswerCame() throws Exception {
    ClientIo client = client(PATIENCE);
    learnThatMoreIsGranted(client);
    try (BlockRead second = readOn(client, 1)) {
      readOn(client, 2).close();
      node.answer(nextOf(1), wholeBlock().build());
      second.await();
    }
    assertNothingElseWasAsked(client);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldAskOnceMoreWhereBytesAreNotWhereTheNodeSaidBefore(boolean cut) throws Exception {
    ClientIo client = client(PATIENCE);
    byte[] bytes = TestCluster.bytes(3, BLOCK);
    Path before = readBlock(client, bytes);
    Files.write(before, new byte[cut ? 0 : BLOCK]);
    Path now = Files.write(directory.resolve("now"), bytes);

    try (BlockRead again = readOn(client, 0)) {
      again.await();
      CompletableFuture<Void> answering = answerNext(part(now, crc(bytes), 0, BLOCK).build());
      assertArrayEquals(bytes, copy(again, BLOCK));
      answering.get();
    }
    assertEquals(1, client.counters().get(IoCounter.LOCAL_EARLY_GRANTS));
    assertEquals(0, client.counters().get(IoCounter.CORRUPT_CHUNKS));
    assertEquals(0, client.counters().get(IoCounter.DOUBTS_TOLD));
    assertEquals(0, client.counters().get(IoCounter.READ_FAILOVERS));
  }

  @Test
  void shouldAskAnewEvenWhereTheNodeHasSaidWhereTheBytesAre() throws Exception {
    ClientIo client = client(PATIENCE);
    readBlock(client, TestCluster.bytes(3, BLOCK));
    WantedRange anew = new WantedRange(node.replica(), LONG_FILE, 0, 0, BLOCK, 0, true, false, 0);

    ReadAttempt attempt = client.delivery(Delivery.LOCAL).start(anew);

    nextOf(0);
    attempt.take().close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldTellTheNodeWhereBytesAreDamagedWhereItSaysOnceMore(boolean cut) throws Exception {
    ClientIo client = client(PATIENCE);
    byte[] bytes = TestCluster.bytes(3, BLOCK);
    Path file = readBlock(client, bytes);
    Files.write(file, new byte[cut ? 0 : BLOCK]);

    try (BlockRead again = begin(client, 0, CHUNK)) {
      again.await();
      CompletableFuture<Void> answering = answerNext(part(file, crc(bytes), 0, CHUNK).build());
      VdfsException failure = assertThrows(VdfsException.class, () -> copy(again, CHUNK));
      answering.get();
      assertEquals(ErrorCode.CORRUPT, failure.code());
    }
    assertEquals(FrameType.REPLICA_REQUEST, node.next().type(), "the node is told");
    assertEquals(1, client.counters().get(IoCounter.LOCAL_EARLY_GRANTS));
    assertEquals(1, client.counters().get(IoCounter.CORRUPT_CHUNKS));
    assertEquals(1, client.counters().get(IoCounter.DOUBTS_TOLD));
  }

  /** Reads the first block from a file that holds it alone. */
  private Path readBlock(ClientIo client, byte[] bytes) throws Exception {
    Path file = Files.write(directory.resolve("block"), bytes);
    try (BlockRead read = readOn(client, 0)) {
      node.answer(nextOf(0), part(file, crc(bytes), 0, BLOCK).build());
      read.await();
      assertArrayEquals(bytes, copy(read, BLOCK));
    }
    return file;
  }

  private static byte[] copy(BlockRead read, int length) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(length);
    read.copy(0, target, length, ReadTally.NONE);
    return target.array();
  }

  private static ChunkChecksums crc(byte[] bytes) {
    return ChunkChecksums.compute(ByteBuffer.wrap(bytes), CHUNK);
  }

  /** By a block that comes with the first one, and is read. */
  private void learnThatMoreIsGranted(ClientIo client) throws Exception {
    try (BlockRead first = begin(client, 0, CHUNK)) {
      LocalGrant.Builder rest =
          LocalGrant.newBuilder(wholeBlock().build())
              .setOffset(CHUNK)
              .setLength(BLOCK - CHUNK)
              .setChecksums(checksums(BLOCK - CHUNK));
      node.answer(node.next(), LocalGrant.newBuilder(grant(0)).setRest(rest).build());
      first.await();
    }
  }

  /** The next question, which is for a block. */
  private Received nextOf(long block) throws Exception {
    Received asked = node.next();
    assertEquals(FrameType.LOCAL_REQUEST, asked.type());
    assertEquals(block, LocalRequest.parseFrom(asked.header()).getBlock());
    return asked;
  }

  /** By the next question being one that is asked now. */
  private void assertNothingElseWasAsked(ClientIo client) throws Exception {
    BlockRead now =
        BlockRead.startWithin(
            client, ReadWays.of(client, OTHER_FILE), FetchListener.NONE, 0, CHUNK, CHUNK);
    Received asked = nextOf(0);
    assertEquals(CHUNK, LocalRequest.parseFrom(asked.header()).getLength());
    now.close();
  }

  private static BlockRead begin(ClientIo client, long position, int length) {
    return BlockRead.startWithin(
        client,
        ReadWays.of(client, LONG_FILE),
        FetchListener.NONE,
        position,
        length,
        LONG_FILE.length());
  }

  private static LocalGrant.Builder part(Path file, ChunkChecksums checksums, int from, int to) {
    return LocalGrant.newBuilder()
        .setPath(file.toString())
        .setPosition(from)
        .setOffset(from)
        .setLength(to - from)
        .setChecksums(WireChecksums.encode(checksums.range(from / CHUNK, to / CHUNK)));
  }

  private CompletableFuture<Void> answerNext(LocalGrant grant) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            node.answer(node.next(), grant);
          } catch (IOException | InterruptedException e) {
            throw new CompletionException(e);
          }
        });
  }

  /** A block of a file that is read to its end. */
  private static BlockRead readOn(ClientIo client, int block) {
    return BlockRead.startWithin(
        client,
        ReadWays.of(client, LONG_FILE),
        FetchListener.NONE,
        (long) block * BLOCK,
        BLOCK,
        LONG_FILE.length());
  }

  private LocalGrant.Builder wholeBlock() throws IOException {
    return LocalGrant.newBuilder(grant(0)).setLength(BLOCK).setChecksums(checksums(BLOCK));
  }

  /** Of that many bytes, none of which is looked at. */
  private static ByteString checksums(int length) {
    return WireChecksums.encode(ChunkChecksums.of(new int[length / CHUNK]));
  }

  private void assertCancelled(Received request) throws InterruptedException {
    Received cancel = node.next();
    assertEquals(FrameType.CANCEL, cancel.type());
    assertEquals(request.streamId(), cancel.streamId());
  }

  private static BlockRead read(ClientIo client) {
    return BlockRead.start(client, ReadWays.of(client, FILE), FetchListener.NONE, 0, CHUNK);
  }

  private LocalGrant grant(long position) throws IOException {
    Path file = Files.write(directory.resolve("granted"), new byte[CHUNK]);
    return LocalGrant.newBuilder()
        .setPath(file.toString())
        .setPosition(position)
        .setLength(CHUNK)
        .setChecksums(checksums(CHUNK))
        .build();
  }

  private ClientIo client(Duration readTimeout) {
    IoSettings patient = TestCluster.PATIENT.client();
    return client(
        patient.with(patient.nodesWait(), patient.readersWait(), readTimeout, Delivery.LOCAL, 50));
  }

  private ClientIo client(IoSettings settings) {
    ClientIo client =
        new ClientIo(
            connections,
            new OneReplica(),
            TestCluster.GEOMETRY,
            UUID.randomUUID(),
            settings,
            BlockDeliveries::of);
    clients.add(client);
    return client;
  }

  private final class OneReplica implements GroupPlaces {
    @Override
    public List<ReplicaNode> replicas(FileKey file, int group) {
      return List.of(node.replica());
    }

    @Override
    public long ringEpoch() {
      return 7;
    }

    @Override
    public int copies() {
      return 1;
    }
  }
}
