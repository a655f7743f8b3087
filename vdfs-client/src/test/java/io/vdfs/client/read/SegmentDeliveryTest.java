package io.vdfs.client.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.delivery.segment.Attachments;
import io.vdfs.client.io.ClientIo;
import io.vdfs.client.io.Delivery;
import io.vdfs.client.io.DiskCluster;
import io.vdfs.client.io.DiskNode;
import io.vdfs.client.io.IoCounter;
import io.vdfs.client.io.IoSettings;
import io.vdfs.client.io.LeakWatch;
import io.vdfs.client.io.ReadTally;
import io.vdfs.client.io.TestCluster;
import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.write.FileWriter;
import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.net.DataConnection;
import io.vdfs.common.net.DataStream;
import io.vdfs.common.net.Frame;
import io.vdfs.common.net.StreamListener;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.SegmentAttach;
import io.vdfs.common.wire.proto.SegmentGrant;
import io.vdfs.common.wire.proto.SegmentOffer;
import io.vdfs.common.wire.proto.SegmentRequest;
import io.vdfs.datanode.segment.SegmentCounter;
import io.vdfs.datanode.transfer.TransferCounter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading through shared memory, normally and while either side breaks the rules. */
@Timeout(60)
class SegmentDeliveryTest {
  private static final int CHUNK = DiskCluster.GEOMETRY.chunkSize();
  private static final int BLOCK = DiskCluster.GEOMETRY.blockSize();
  private static final int GROUP = (int) DiskCluster.GEOMETRY.groupSize();

  @TempDir private Path directory;
  private DiskCluster cluster;

  @BeforeAll
  static void watchForLeaks() {
    LeakWatch.install();
  }

  @AfterAll
  static void noBufferIsLost() {
    assertEquals(List.of(), List.copyOf(LeakWatch.leaks()));
  }

  private DiskCluster start(int nodes) throws IOException {
    cluster = new DiskCluster(directory, nodes, false, true);
    return cluster;
  }

  @AfterEach
  void stop() throws IOException {
    cluster.close();
    for (DiskNode node : cluster.nodes) {
      assertEquals(List.of(), node.segments());
    }
  }

  @Test
  void shouldTakeTheSegmentWhereTheFileIsRefused() throws IOException {
    byte[] content = start(1).write(5 * GROUP);
    ClientIo client = cluster.client(Delivery.AUTO);

    assertArrayEquals(content, TestCluster.readAll(cluster.reader(client)));

    assertEquals(content.length, client.counters().get(IoCounter.BYTES_BY_SEGMENT));
    assertEquals(content.length, client.counters().get(IoCounter.BYTES_READ_LOCAL));
    assertEquals(0, client.counters().get(IoCounter.BYTES_BY_SOCKET));
    assertEquals(1, client.counters().get(IoCounter.LOCAL_FALLBACKS), "it remembers");
    assertEquals(0, client.counters().get(IoCounter.SEGMENT_FALLBACKS));
    assertEquals(content.length, segment(0, SegmentCounter.FILLED_BYTES));
    assertEquals(1, segment(0, SegmentCounter.SEGMENTS_MADE), "one for all blocks");
    assertEquals(DiskNode.SEGMENT.slots(), freeSlots(client));
  }

  @Test
  void shouldTakeTheFileFirstWhereItIsGranted() throws IOException {
    cluster = new DiskCluster(directory, 1, true, true);
    byte[] content = cluster.write(GROUP);
    ClientIo client = cluster.client(Delivery.AUTO);

    assertArrayEquals(content, TestCluster.readAll(cluster.reader(client)));

    assertEquals(content.length, client.counters().get(IoCounter.BYTES_BY_LOCAL_DELIVERY));
    assertEquals(0, client.counters().get(IoCounter.BYTES_BY_SEGMENT));
    assertEquals(0, segment(0, SegmentCounter.SEGMENTS_MADE), "no memory for who needs none");
  }

  @Test
  void shouldTurnToTheSocketWhereThereIsNoSegment() throws IOException {
    cluster = new DiskCluster(directory, 1, false, false);
    byte[] content = cluster.write(GROUP);
    ClientIo client = cluster.client(Delivery.AUTO);

    assertArrayEquals(content, TestCluster.readAll(cluster.reader(client)));

    assertEquals(content.length, client.counters().get(IoCounter.BYTES_BY_SOCKET));
    assertEquals(1, client.counters().get(IoCounter.SEGMENT_FALLBACKS), "it remembers");
    VdfsException alone =
        assertThrows(
            VdfsException.class,
            () -> TestCluster.readAll(cluster.reader(cluster.client(Delivery.SEGMENT))));
    assertTrue(alone.getMessage().contains("no segment delivery"), alone.getMessage());
  }

  @Test
  void shouldReadAFileThatIsBeingWritten() throws IOException {
    byte[] content = TestCluster.bytes(5, GROUP);
    start(1);
    try (FileWriter writer =
        FileWriter.create(
            cluster.client(Delivery.SOCKET), cluster.metadata.view(), cluster.metadata)) {
      writer.write(content, 0, 3000);
      writer.flush();
      ClientIo client = cluster.client(Delivery.AUTO);
      FileReader reader = cluster.reader(client);
      assertEquals(3000, reader.refreshLength());

      assertArrayEquals(Arrays.copyOf(content, 3000), TestCluster.readAll(reader));

      assertEquals(3000, client.counters().get(IoCounter.BYTES_BY_SEGMENT));
      assertEquals(0, client.counters().get(IoCounter.BYTES_BY_SOCKET));
      writer.write(content, 3000, content.length - 3000);
    }
  }

  @Test
  void shouldNotWaitForSlotsThatOthersHave() throws IOException {
    byte[] content = start(1).write(GROUP);
    ClientIo client = cluster.client(Delivery.SEGMENT);
    FileReader reader = cluster.reader(client);
    List<BlockRead> holding = new ArrayList<>();
    for (int slot = 0; slot < DiskNode.SEGMENT.slots(); slot++) {
      holding.add(ranges(client).fetch(0, CHUNK));
    }
    assertEquals(0, freeSlots(client));

    assertArrayEquals(content, TestCluster.readAll(reader));

    assertEquals(content.length, client.counters().get(IoCounter.BYTES_BY_SOCKET));
    assertTrue(client.counters().get(IoCounter.SEGMENT_FALLBACKS) >= 1);
    assertTrue(
        client
            .delivery(Delivery.SEGMENT)
            .isPromising(cluster.nodes.get(0).replica(), cluster.metadata.view()),
        "it is not at fault");
    holding.forEach(BlockRead::close);
    assertArrayEquals(content, TestCluster.readAll(reader));
    assertEquals(content.length, client.counters().get(IoCounter.BYTES_BY_SOCKET), "no more");
    assertEquals(content.length, client.counters().get(IoCounter.BYTES_BY_SEGMENT));
  }

  @Test
  void shouldHaveItsSlotsBackFromReadsThatWereGivenUp() throws IOException {
    start(1).write(GROUP);
    ClientIo client = cluster.client(Delivery.SEGMENT);
    freeSlots(client);
    for (int read = 0; read < 200; read++) {
      long position = read % 4 * (long) BLOCK;
      BlockRead.start(
              client,
              ReadWays.of(client, cluster.metadata.view()),
              FetchListener.NONE,
              position,
              BLOCK)
          .close();
    }

    while (freeSlots(client) < DiskNode.SEGMENT.slots()) {
      LockSupport.parkNanos(1_000_000);
    }
    long answered = segment(0, SegmentCounter.FILLS) + segment(0, SegmentCounter.FILLS_GIVEN_UP);
    assertTrue(answered >= DiskNode.SEGMENT.slots(), "the node had them");
  }

  @Test
  void shouldTurnToTheSocketWhereTheSegmentIsCutWhileItIsRead() throws IOException {
    byte[] content = start(1).write(GROUP);
    ClientIo client = cluster.client(Delivery.AUTO);
    byte[] read = new byte[BLOCK];
    try (BlockRead granted = ranges(client).fetch(BLOCK, BLOCK)) {
      assertTrue(segment(0, SegmentCounter.FILLS) >= 1);
      try (FileChannel segment = FileChannel.open(segment(0), StandardOpenOption.WRITE)) {
        segment.truncate(CHUNK / 2);
      }

      granted.copy(BLOCK, ByteBuffer.wrap(read), BLOCK, ReadTally.NONE);
    }

    assertArrayEquals(Arrays.copyOfRange(content, BLOCK, 2 * BLOCK), read);
    assertEquals(1, client.counters().get(IoCounter.SEGMENT_FALLBACKS), "the cut was met");
    assertEquals(0, client.counters().get(IoCounter.CORRUPT_CHUNKS), "it damages nothing");
    assertEquals(0, client.counters().get(IoCounter.DOUBTS_TOLD));
    assertEquals(0, client.counters().get(IoCounter.READ_FAILOVERS), "the replica is sound");
    assertEquals(BLOCK, client.counters().get(IoCounter.BYTES_BY_SOCKET));
    ClientIo other = cluster.client(Delivery.SEGMENT);
    assertArrayEquals(content, TestCluster.readAll(cluster.reader(other)), "the node goes on");
  }

  /** A node that ends cuts its segments. */
  @Test
  void shouldWaitForTheOnlyNodeWhereItRestartsWhileTheSegmentIsRead() throws IOException {
    byte[] content = start(1).write(GROUP);
    ClientIo client = cluster.client(Delivery.AUTO, SegmentDeliveryTest::patient);
    RestartingNode restarting = new RestartingNode();
    FileRanges ranges = new FileRanges(client, cluster.metadata.view(), restarting);
    BlockRead granted = ranges.fetch(BLOCK, BLOCK);
    cluster.nodes.get(0).server.close();
    awaitSegments(0);
    ByteBuffer target = ByteBuffer.allocate(BLOCK);
    List<Integer> given = new ArrayList<>();

    ranges.copy(granted, BLOCK, target, BLOCK, (node, bytes) -> given.add(bytes)).close();

    assertArrayEquals(Arrays.copyOfRange(content, BLOCK, 2 * BLOCK), target.array());
    assertEquals(BLOCK, target.position());
    assertEquals(BLOCK, given.stream().mapToInt(Integer::intValue).sum());
    assertEquals(RestartingNode.LOOKS, restarting.looks);
    assertEquals(RestartingNode.LOOKS - 1, client.counters().get(IoCounter.READ_WAITS));
    assertEquals(0, client.counters().get(IoCounter.CORRUPT_CHUNKS));
    assertEquals(0, client.counters().get(IoCounter.DOUBTS_TOLD));
  }

  private static IoSettings patient(IoSettings usual) {
    return usual.with(
        usual.nodesWait(),
        Duration.ofSeconds(40),
        usual.readTimeout(),
        usual.delivery(),
        usual.localFetchPercent());
  }

  @Test
  void shouldGiveUpWaitingWhereTheOnlyNodeStaysAway() throws IOException {
    start(1).write(GROUP);
    FileRanges ranges = ranges(cluster.client(Delivery.AUTO));
    BlockRead granted = ranges.fetch(0, BLOCK);
    cluster.nodes.get(0).server.close();
    awaitSegments(0);
    ByteBuffer target = ByteBuffer.allocate(BLOCK);

    VdfsException failed =
        assertThrows(
            VdfsException.class, () -> ranges.copy(granted, 0, target, BLOCK, ReadTally.NONE));

    assertEquals(ErrorCode.UNAVAILABLE, failed.code());
    assertEquals(0, target.position());
  }

  /** The first node's data port comes back when its address is asked for often enough. */
  private final class RestartingNode implements ViewSource {
    private static final int LOOKS = 3;

    private int looks;

    @Override
    public void refreshNodes() throws IOException {
      looks++;
      if (looks == LOOKS) {
        cluster.nodes.get(0).serveAgain();
      }
    }

    @Override
    public FileView refresh(FileKey file) {
      return cluster.metadata.refresh(file);
    }
  }

  @Test
  void shouldTurnToTheSocketWhereTheSegmentHoldsOtherBytes() throws IOException {
    byte[] content = start(1).write(GROUP);
    ClientIo client = cluster.client(Delivery.AUTO);
    byte[] read = new byte[BLOCK];
    try (BlockRead granted = ranges(client).fetch(0, BLOCK)) {
      try (FileChannel segment = FileChannel.open(segment(0), StandardOpenOption.WRITE)) {
        segment.write(ByteBuffer.wrap(TestCluster.bytes(9, (int) segment.size())), 0);
      }

      granted.copy(0, ByteBuffer.wrap(read), BLOCK, ReadTally.NONE);
    }

    assertArrayEquals(Arrays.copyOf(content, BLOCK), read);
    assertEquals(1, client.counters().get(IoCounter.CORRUPT_CHUNKS), "the damage was met");
    assertEquals(0, client.counters().get(IoCounter.BYTES_BY_SEGMENT), "none of it was used");
  }

  @Test
  void shouldTurnToTheSocketWhereTheSegmentCannotBeOpened() throws IOException {
    byte[] content = start(1).write(GROUP);
    ClientIo client = cluster.client(Delivery.AUTO);
    freeSlots(client);
    Files.delete(segment(0));

    assertArrayEquals(content, TestCluster.readAll(cluster.reader(client)));

    assertEquals(1, client.counters().get(IoCounter.SEGMENT_FALLBACKS), "it remembers");
    assertEquals(content.length, client.counters().get(IoCounter.BYTES_BY_SOCKET));
    assertEquals(DiskNode.SEGMENT.slots(), freeSlots(client));
  }

  @Test
  void shouldTurnToTheSocketWhereOthersHaveAllMemory() throws IOException {
    byte[] content = start(1).write(GROUP);
    List<ClientIo> clients = new ArrayList<>();
    for (long bytes = 0; bytes < DiskNode.SEGMENT_MEMORY; bytes += DiskNode.SEGMENT.bytes()) {
      clients.add(cluster.client(Delivery.SEGMENT));
      assertArrayEquals(content, TestCluster.readAll(cluster.reader(clients.get(0))));
      freeSlots(clients.get(clients.size() - 1));
    }
    ClientIo late = cluster.client(Delivery.AUTO);

    assertArrayEquals(content, TestCluster.readAll(cluster.reader(late)));

    assertEquals(content.length, late.counters().get(IoCounter.BYTES_BY_SOCKET));
    assertTrue(segment(0, SegmentCounter.SEGMENTS_REFUSED) >= 1);
    assertEquals(clients.size(), cluster.nodes.get(0).segments().size());
    cluster.disconnect(clients.get(0));
    ClientIo later = cluster.client(Delivery.SEGMENT);
    awaitSegment(later);
    assertArrayEquals(content, TestCluster.readAll(cluster.reader(later)));
  }

  @Test
  void shouldRemoveTheSegmentWhenTheReaderGoes() throws IOException {
    start(1).write(GROUP);
    ClientIo going = cluster.client(Delivery.SEGMENT);
    ClientIo staying = cluster.client(Delivery.SEGMENT);
    TestCluster.readAll(cluster.reader(going));
    TestCluster.readAll(cluster.reader(staying));
    assertEquals(2, cluster.nodes.get(0).segments().size(), "none is shared");

    cluster.disconnect(going);
    awaitSegments(1);
    cluster.disconnect(staying);
    awaitSegments(0);

    while (segment(0, SegmentCounter.SEGMENTS_REMOVED) < 2) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void shouldForgetTheSegmentOfAConnectionThatBroke() throws IOException {
    byte[] content = start(2).write(GROUP);
    ClientIo client = cluster.client(Delivery.SEGMENT);
    FileReader reader = cluster.reader(client);
    byte[] read = new byte[BLOCK];
    try (BlockRead granted = ranges(client).fetch(0, BLOCK)) {
      assertEquals(1, Attachments.count(client));

      cluster.nodes.get(0).server.close();

      while (Attachments.count(client) > 0) {
        LockSupport.parkNanos(1_000_000);
      }
      granted.copy(0, ByteBuffer.wrap(read), BLOCK, ReadTally.NONE);
    }
    assertArrayEquals(Arrays.copyOf(content, BLOCK), read);
    assertArrayEquals(content, TestCluster.readAll(reader));
    assertTrue(segment(1, SegmentCounter.FILLS) >= 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {16, 63, 64, 1 << 20, Integer.MAX_VALUE, -1})
  void shouldCutOffAPeerThatNamesASlotThatIsNotThere(int slot) throws Exception {
    start(1).write(GROUP);
    Peer peer = new Peer(cluster.client(Delivery.SEGMENT));
    peer.attach();

    peer.request(request(0, CHUNK).setSlot(slot));

    peer.awaitEnd();
    assertEquals(1, cluster.nodes.get(0).server.counters().get(TransferCounter.CLOSED_PROTOCOL));
    assertEquals(0, segment(0, SegmentCounter.FILLS));
    awaitSegments(0);
  }

  @Test
  void shouldCutOffAPeerThatNamesASlotThatIsBeingFilled() throws Exception {
    start(1).write(GROUP);
    Peer peer = new Peer(cluster.client(Delivery.SEGMENT));
    peer.attach();
    for (int request = 0; request < 1000 && peer.isOpen(); request++) {
      peer.request(request(0, BLOCK).setSlot(0));
    }

    peer.awaitEnd();
    assertEquals(1, cluster.nodes.get(0).server.counters().get(TransferCounter.CLOSED_PROTOCOL));
  }

  @Test
  void shouldRefuseAPeerThatFillsSlotsWithoutASegment() throws Exception {
    start(1).write(GROUP);
    Peer peer = new Peer(cluster.client(Delivery.SEGMENT));

    peer.request(request(0, CHUNK));

    assertEquals(
        ErrorCode.UNSUPPORTED,
        WireIds.exception(
                peer.frames.poll(20, TimeUnit.SECONDS).header(SegmentGrant.parser()).getError())
            .code());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
  void shouldCutOffAPeerThatAsksForAnUnsoundRange(int length) throws Exception {
    start(1).write(GROUP);
    Peer peer = new Peer(cluster.client(Delivery.SEGMENT));
    peer.attach();

    peer.request(request(0, length));

    peer.awaitEnd();
    assertEquals(1, cluster.nodes.get(0).server.counters().get(TransferCounter.CLOSED_PROTOCOL));
  }

  @Test
  void shouldLayNoMoreIntoASlotThanItHolds() throws Exception {
    byte[] content = start(1).write(GROUP);
    Peer peer = new Peer(cluster.client(Delivery.SEGMENT));
    Path segment = peer.attach();

    peer.request(request(CHUNK + 1, Integer.MAX_VALUE).setSlot(2));

    SegmentGrant grant = peer.frames.poll(20, TimeUnit.SECONDS).header(SegmentGrant.parser());
    assertEquals(CHUNK, grant.getOffset());
    assertEquals(DiskNode.SEGMENT.slotBytes(), grant.getLength());
    byte[] bytes = Files.readAllBytes(segment);
    int slot = (int) DiskNode.SEGMENT.position(2);
    byte[] expected = new byte[(int) DiskNode.SEGMENT.bytes()];
    System.arraycopy(content, CHUNK, expected, slot, grant.getLength());
    assertArrayEquals(expected, bytes, "and nothing beside it");
  }

  private SegmentRequest.Builder request(int offset, int length) {
    return SegmentRequest.newBuilder()
        .setFile(WireIds.encode(DiskCluster.FILE))
        .setOffset(offset)
        .setLength(length)
        .setClusterId(WireIds.encode(cluster.id))
        .setNode(WireIds.encode(cluster.nodes.get(0).id));
  }

  private SegmentAttach attachment() {
    return SegmentAttach.newBuilder()
        .setClusterId(WireIds.encode(cluster.id))
        .setNode(WireIds.encode(cluster.nodes.get(0).id))
        .build();
  }

  /** Waits until there is memory for it. */
  private void awaitSegment(ClientIo client) {
    boolean attached = false;
    while (!attached) {
      try {
        freeSlots(client);
        attached = true;
      } catch (CompletionException e) {
        assertEquals(ErrorCode.UNSUPPORTED, Causes.asVdfs(e).code());
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  private FileRanges ranges(ClientIo client) {
    return new FileRanges(client, cluster.metadata.view(), cluster.metadata);
  }

  private int freeSlots(ClientIo client) {
    DataConnection connection =
        client.connections().shared(cluster.nodes.get(0).replica().address()).join();
    return Attachments.freeSlots(client, connection, attachment());
  }

  private long segment(int node, SegmentCounter counter) {
    return cluster.nodes.get(node).segment.orElseThrow().counters().get(counter);
  }

  private Path segment(int node) throws IOException {
    List<Path> segments = cluster.nodes.get(node).segments();
    assertEquals(1, segments.size());
    return segments.get(0);
  }

  private void awaitSegments(int count) throws IOException {
    while (cluster.nodes.get(0).segments().size() != count) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** Sends whatever the test wants. */
  private final class Peer implements StreamListener {
    private final DataConnection connection;
    private final BlockingQueue<Frame> frames = new LinkedBlockingQueue<>();

    private Peer(ClientIo client) {
      connection = client.connections().shared(cluster.nodes.get(0).replica().address()).join();
    }

    private Path attach() throws Exception {
      DataStream stream = connection.open(this);
      stream.send(FrameType.SEGMENT_ATTACH, attachment());
      Frame answer = frames.poll(20, TimeUnit.SECONDS);
      return Path.of(answer.header(SegmentOffer.parser()).getPath());
    }

    private void request(SegmentRequest.Builder request) {
      connection.open(this).send(FrameType.SEGMENT_REQUEST, request.build());
    }

    private boolean isOpen() {
      return connection.isOpen();
    }

    private void awaitEnd() {
      while (connection.isOpen()) {
        LockSupport.parkNanos(1_000_000);
      }
    }

    @Override
    public void onFrame(Frame frame) {
      frames.add(frame);
    }

    @Override
    public void onDisconnected(VdfsException cause) {
      // the test looks at the connection
    }
  }
}
