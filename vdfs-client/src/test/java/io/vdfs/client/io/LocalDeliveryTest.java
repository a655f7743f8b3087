package io.vdfs.client.io;

import static io.vdfs.datanode.Await.awaitThat;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.vdfs.client.delivery.DiskReads;
import io.vdfs.client.delivery.local.LocalBlockDelivery;
import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.read.FileReader;
import io.vdfs.client.read.ReadCursor;
import io.vdfs.client.read.ReadPattern;
import io.vdfs.client.write.FileWriter;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.net.DataConnection;
import io.vdfs.datanode.local.LocalCounter;
import io.vdfs.datanode.stream.StreamManagerCounter;
import io.vdfs.datanode.transfer.TransferCounter;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading from real block files, sound and damaged ones, and what is left behind. */
@Timeout(60)
class LocalDeliveryTest {
  private static final int CHUNK = DiskCluster.GEOMETRY.chunkSize();
  private static final int BLOCK = DiskCluster.GEOMETRY.blockSize();
  private static final int GROUP = (int) DiskCluster.GEOMETRY.groupSize();

  @TempDir private Path directory;
  private DiskCluster cluster;

  @BeforeAll
  static void watchForLeaks() {
    LeakWatch.install();
  }

  private DiskCluster start(int nodes) throws IOException {
    cluster = new DiskCluster(directory, nodes, true);
    return cluster;
  }

  @AfterEach
  void stop() throws IOException {
    cluster.close();
    assertEquals(List.of(), List.copyOf(LeakWatch.leaks()));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 511, 512, 513, 2047, 2048, 2049, 8192, 8193, 30_000})
  void shouldReadEveryByteFromTheBlockFile(int length) throws IOException {
    byte[] content = start(1).write(length);
    for (Delivery delivery : List.of(Delivery.AUTO, Delivery.LOCAL)) {
      ClientIo client = cluster.client(delivery);

      assertArrayEquals(content, TestCluster.readAll(cluster.reader(client)));
      assertArrayEquals(content, readByCursor(cluster.reader(client), 777, length));

      assertEquals(0, client.counters().get(IoCounter.BYTES_BY_SOCKET));
      assertEquals(0, client.counters().get(IoCounter.BYTES_READ_REMOTE));
      assertTrue(client.counters().get(IoCounter.BYTES_BY_LOCAL_DELIVERY) >= 2L * length);
    }
  }

  @Test
  void shouldFillSmallReadsFromMemoryWhereTheirBytesAre() throws IOException {
    byte[] content = start(1).write(3 * GROUP + 50);
    byte[] read = new byte[content.length];
    List<Integer> given = new ArrayList<>();
    int filled = 0;
    try (ReadCursor cursor =
        cluster
            .reader(cluster.client(Delivery.LOCAL))
            .cursor(ReadPattern.ADAPTIVE, (node, bytes) -> given.add(bytes))) {
      int position = 0;
      while (position < content.length) {
        ByteBuffer target =
            ByteBuffer.wrap(read, position, Math.min(100, content.length - position));
        if (cursor.readFromMemory(target)) {
          filled++;
        } else {
          assertTrue(cursor.read(target) > 0);
        }
        position = target.position();
        assertEquals(position, cursor.position());
      }
      assertFalse(cursor.readFromMemory(ByteBuffer.allocate(1)), "at the end");
    }
    assertArrayEquals(content, read);
    assertEquals(content.length, given.stream().mapToInt(Integer::intValue).sum());
    assertTrue(filled > content.length / 200, filled + " filled");
  }

  @Test
  void shouldReadOverTheSocketWhereThatIsAskedFor() throws IOException {
    byte[] content = start(1).write(3 * GROUP);
    ClientIo client = cluster.client(Delivery.SOCKET);

    assertArrayEquals(content, TestCluster.readAll(cluster.reader(client)));

    assertEquals(content.length, client.counters().get(IoCounter.BYTES_BY_SOCKET));
    assertEquals(0, client.counters().get(IoCounter.BYTES_BY_LOCAL_DELIVERY));
    assertEquals(0, cluster.nodes.get(0).delivery.counters().get(LocalCounter.GRANTS));
  }

  @Test
  void shouldNeedOneNameAndOneHandleForManyBlocks() throws IOException {
    byte[] content = start(1).write(5 * GROUP);
    ClientIo client = cluster.client(Delivery.LOCAL);

    assertArrayEquals(content, readByCursor(cluster.reader(client), 4096, content.length));

    DiskNode node = cluster.nodes.get(0);
    assertTrue(node.delivery.counters().get(LocalCounter.GRANTS) >= 20);
    assertEquals(1, node.delivery.counters().get(LocalCounter.LINKS_MADE));
    assertEquals(1, node.links().size());
    assertTrue(client.counters().get(IoCounter.LOCAL_FILES_OPENED) <= 2);
  }

  @Test
  void shouldAskForSeveralBlocksAtOnceWhereTheyAreInMemory() throws IOException {
    int blocks = 40;
    byte[] content = start(1).write(blocks * BLOCK);
    ClientIo client = cluster.client(Delivery.LOCAL);
    DiskNode node = cluster.nodes.get(0);
    AtomicInteger asked = new AtomicInteger();
    node.beforeGrant = asked::incrementAndGet;

    assertArrayEquals(content, readByCursor(cluster.reader(client), 4096, content.length));

    long early = client.counters().get(IoCounter.LOCAL_EARLY_GRANTS);
    long granted = node.delivery.counters().get(LocalCounter.EARLY_GRANTS);
    assertEquals(blocks, early + asked.get());
    assertTrue(early >= blocks / 4, "early=" + early);
    assertTrue(granted >= early, "granted=" + granted);
  }

  @Test
  void shouldAskForMoreAtOnceTheLongerReadingGoesOn() throws IOException {
    int blocks = 8;
    cluster = new DiskCluster(directory, new ClusterGeometry(4 << 20, 4, 64 << 10, 12));
    byte[] content = cluster.write(blocks * (4 << 20));
    ClientIo client = cluster.client(Delivery.LOCAL);
    AtomicInteger asked = new AtomicInteger();
    cluster.nodes.get(0).beforeGrant = asked::incrementAndGet;
    // learns that answers grant more than was asked for
    readByCursor(cluster.reader(client), 128 << 10, content.length);
    forgetGrants(client);
    asked.set(0);

    assertArrayEquals(content, readByCursor(cluster.reader(client), 128 << 10, content.length));

    assertEquals(3, asked.get(), "with the rest of the first, with three and with two behind");
    long early = client.counters().get(IoCounter.LOCAL_EARLY_GRANTS);
    assertTrue(early >= blocks, "early=" + early);
    assertEquals(0, client.counters().get(IoCounter.BYTES_BY_SOCKET));
    DiskNode node = cluster.nodes.get(0);
    node.cold = true;
    awaitThat(() -> node.keepsHead(DiskCluster.FILE, 5));
    assertFalse(node.keepsHead(DiskCluster.FILE, 6), "granted early both times");
  }

  @Test
  void shouldAskNobodyForWhatAClientReadJustNow() throws IOException {
    byte[] content = start(1).write(8 * BLOCK);
    ClientIo client = cluster.client(Delivery.LOCAL);
    AtomicInteger asked = new AtomicInteger();
    cluster.nodes.get(0).beforeGrant = asked::incrementAndGet;
    long read = 0;
    while (asked.getAndSet(0) > 0 || read == 0) { // a pass may take more than seconds
      assertArrayEquals(content, readByCursor(cluster.reader(client), 4096, content.length));
      read += content.length;
    }

    assertEquals(read, client.counters().get(IoCounter.BYTES_BY_LOCAL_DELIVERY));
    assertTrue(client.counters().get(IoCounter.LOCAL_EARLY_GRANTS) >= 8);
    assertTrue(granted(cluster.nodes.get(0)) < read, "not for each reading");
    DataConnection connection =
        client.connections().shared(cluster.nodes.get(0).replica().address()).join();
    cluster.disconnect(client);
    awaitThat(() -> !connection.isOpen());
    assertThrows(
        VdfsException.class,
        () -> readByCursor(cluster.reader(client), 4096, content.length),
        "what a connection brought ends with it");
  }

  /** As after a read of bytes that were not where the node had said. */
  private void forgetGrants(ClientIo client) {
    client.delivery(Delivery.LOCAL).onFailed(cluster.nodes.get(0).replica(), ErrorCode.CORRUPT);
  }

  @Test
  void shouldNameTheRestOfABlockOnlyBeforeTheFirstSeek() throws IOException {
    int block = 4 << 20;
    cluster = new DiskCluster(directory, new ClusterGeometry(block, 4, 64 << 10, 12));
    byte[] content = cluster.write(4 * block);
    ClientIo client = cluster.client(Delivery.LOCAL);
    assertArrayEquals(content, readByCursor(cluster.reader(client), block, content.length));
    forgetGrants(client);
    Counters<LocalCounter> counters = cluster.nodes.get(0).delivery.counters();
    long before = counters.get(LocalCounter.EARLY_GRANTS);
    byte[] read = new byte[100];

    try (ReadCursor cursor = cluster.reader(client).cursor()) {
      cursor.seek(2L * block);
      assertEquals(100, cursor.read(read, 0, 100));
      assertEquals(before + 1, counters.get(LocalCounter.EARLY_GRANTS));
      for (long position : List.of(3L * block, 1000L, block + 1000L)) {
        cursor.seek(position);
        assertEquals(100, cursor.read(read, 0, 100));
      }
      assertEquals(before + 1, counters.get(LocalCounter.EARLY_GRANTS));
    }
    try (ReadCursor cursor =
        cluster
            .reader(client)
            .cursor(new ReadPattern(ReadPattern.Ahead.NEVER, Long.MAX_VALUE), ReadTally.NONE)) {
      assertEquals(100, cursor.read(read, 0, 100));
      assertEquals(before + 1, counters.get(LocalCounter.EARLY_GRANTS), "nothing is likely");
    }
  }

  @Test
  void shouldAskForEachBlockWhereItIsNotInMemory() throws IOException {
    byte[] content = start(1).write(10 * BLOCK);
    ClientIo client = cluster.client(Delivery.LOCAL);
    cluster.nodes.get(0).cold = true;

    assertArrayEquals(content, readByCursor(cluster.reader(client), 4096, content.length));

    assertEquals(0, client.counters().get(IoCounter.LOCAL_EARLY_GRANTS));
  }

  @Test
  void shouldGrantNothingBehindABlockThatTheDiskHadToBring() throws IOException {
    byte[] content = start(1).write(4 * BLOCK);
    ClientIo client = cluster.client(Delivery.LOCAL);
    cluster.nodes.get(0).grantDelay = Duration.ofMillis(300);

    assertArrayEquals(content, readByCursor(cluster.reader(client), 4096, content.length));

    assertEquals(
        0, cluster.nodes.get(0).delivery.counters().get(LocalCounter.EARLY_GRANTS), "in memory");
  }

  @Test
  void shouldTakeTheReplicaOnThisMachineFirst() throws IOException {
    byte[] content = start(3).write(2 * GROUP);
    cluster.nodes.get(0).setLocal(false);
    cluster.nodes.get(1).setLocal(false);
    ClientIo client = cluster.client(Delivery.AUTO);

    assertArrayEquals(content, TestCluster.readAll(cluster.reader(client)));

    assertEquals(content.length, client.counters().get(IoCounter.BYTES_BY_LOCAL_DELIVERY));
    assertEquals(0, client.counters().get(IoCounter.BYTES_BY_SOCKET));
    assertEquals(
        content.length, granted(cluster.nodes.get(2)), "all of it from the one that is here");
  }

  /** As for a record that continues in a block which another reader has read a while ago. */
  @Test
  void shouldHaveTheHeadOfABlockFromTheNodeRatherThanFromTheDisk() throws IOException {
    cluster = new DiskCluster(directory, DiskCluster.LARGE);
    DiskNode node = cluster.nodes.get(0);
    int block = DiskCluster.LARGE.blockSize();
    byte[] content = cluster.write(2 * block);
    node.cold = true;
    ClientIo scanning = cluster.client(Delivery.LOCAL);
    assertArrayEquals(content, readByCursor(cluster.reader(scanning), 9999, content.length));
    assertEquals(0, scanning.counters().get(IoCounter.BYTES_BY_SOCKET));
    assertTrue(
        node.streams.counters().get(StreamManagerCounter.DISK_READS) > 0, "nothing in memory");
    awaitThat(() -> node.keepsHead(DiskCluster.FILE, 1));
    long requests = node.streams.counters().get(StreamManagerCounter.REQUESTS);
    ClientIo crossing = cluster.client(Delivery.LOCAL);
    byte[] tail = new byte[1000];

    cluster.reader(crossing).readFully(block, tail, 0, 1000);

    assertArrayEquals(Arrays.copyOfRange(content, block, block + 1000), tail);
    assertEquals(requests, node.streams.counters().get(StreamManagerCounter.REQUESTS));
    assertEquals(1, node.streams.counters().get(StreamManagerCounter.BLOCK_HEAD_HITS));
    assertEquals(64 << 10, crossing.counters().get(IoCounter.BYTES_BY_SOCKET));
    assertEquals(64 << 10, node.server.counters().get(TransferCounter.BYTES_READ));
    assertEquals(0, crossing.counters().get(IoCounter.BYTES_BY_LOCAL_DELIVERY));

    node.cold = false;
    cluster.reader(crossing).readFully(block, tail, 0, 1000);
    assertEquals(64 << 10, crossing.counters().get(IoCounter.BYTES_BY_LOCAL_DELIVERY), "warm");

    node.cold = true;
    cluster.reader(crossing).readFully(2 * block - 1000, tail, 0, 1000);
    assertArrayEquals(Arrays.copyOfRange(content, 2 * block - 1000, 2 * block), tail);
    assertTrue(
        node.streams.counters().get(StreamManagerCounter.REQUESTS) > requests + 1, "no head");
  }

  @Test
  void shouldTurnToTheSocketWhereTheNodeGrantsNothing() throws IOException {
    cluster = new DiskCluster(directory, 1, false);
    byte[] content = cluster.write(GROUP);
    ClientIo client = cluster.client(Delivery.AUTO);

    assertArrayEquals(content, TestCluster.readAll(cluster.reader(client)));

    assertEquals(content.length, client.counters().get(IoCounter.BYTES_BY_SOCKET));
    assertEquals(1, client.counters().get(IoCounter.LOCAL_FALLBACKS), "it remembers");
    assertEquals(0, client.counters().get(IoCounter.READ_FAILOVERS));
    VdfsException alone =
        assertThrows(
            VdfsException.class,
            () -> TestCluster.readAll(cluster.reader(cluster.client(Delivery.LOCAL))));
    assertTrue(alone.getMessage().contains("no local delivery"), alone.getMessage());
  }

  @Test
  void shouldTurnToTheSocketWhereTheFileCannotBeOpened() throws IOException {
    byte[] content = start(1).write(GROUP);
    DiskNode node = cluster.nodes.get(0);
    node.beforeGrant = () -> removeLinks(node);
    ClientIo client = cluster.client(Delivery.AUTO);

    assertArrayEquals(content, TestCluster.readAll(cluster.reader(client)));

    assertEquals(1, client.counters().get(IoCounter.LOCAL_FALLBACKS));
    assertEquals(content.length, client.counters().get(IoCounter.BYTES_BY_SOCKET));
    assertTrue(node.delivery.counters().get(LocalCounter.GRANTS) > 0);
  }

  @Test
  void shouldReadAFileThatIsBeingWrittenOverTheSocket() throws IOException {
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
      assertEquals(0, client.counters().get(IoCounter.BYTES_BY_LOCAL_DELIVERY));

      ClientIo pushing = cluster.client(Delivery.LOCAL);
      FileReader refused = cluster.reader(pushing);
      refused.refreshLength();
      VdfsException why =
          assertThrows(VdfsException.class, () -> refused.readFully(0, new byte[10], 0, 10));
      assertTrue(why.getMessage().contains("being written"), why.getMessage());

      ClientIo unaware = cluster.client(Delivery.AUTO);
      FileReader before = new FileReader(unaware, closed(3000), cluster.metadata);
      assertArrayEquals(Arrays.copyOf(content, 3000), TestCluster.readAll(before));
      assertEquals(2, unaware.counters().get(IoCounter.LOCAL_FALLBACKS), "each block anew");
      assertEquals(3000, unaware.counters().get(IoCounter.BYTES_BY_SOCKET));
      writer.write(content, 3000, content.length - 3000);
    }
    ClientIo client = cluster.client(Delivery.LOCAL);
    assertArrayEquals(content, TestCluster.readAll(cluster.reader(client)));
  }

  @Test
  void shouldTurnToAnotherReplicaWhereABitIsFlippedOnDisk() throws IOException {
    byte[] content = start(2).write(2 * GROUP);
    flip(cluster.nodes.get(0), DiskCluster.DATA + BLOCK / 2);
    ClientIo client = cluster.client(Delivery.AUTO);

    assertArrayEquals(content, readByCursor(cluster.reader(client), 100, content.length));

    assertEquals(1, client.counters().get(IoCounter.CORRUPT_CHUNKS));
    assertEquals(1, client.counters().get(IoCounter.READ_FAILOVERS));
    assertTrue(granted(cluster.nodes.get(1)) > 0, "the other replica's file was read");
    assertEquals(0, client.counters().get(IoCounter.BYTES_BY_SOCKET));
  }

  @Test
  void shouldTellWhichNodesGaveTheBytesWhereABitIsFlippedOnDisk() throws IOException {
    byte[] content = start(2).write(BLOCK);
    flip(cluster.nodes.get(0), DiskCluster.DATA + BLOCK / 2);
    List<String> given = new ArrayList<>();
    ReadTally tally =
        (node, bytes) ->
            given.add(bytes + (node.id().equals(cluster.nodes.get(0).id) ? " first" : " second"));
    byte[] read = new byte[BLOCK];
    try (ReadCursor cursor =
        cluster.reader(cluster.client(Delivery.AUTO)).cursor(ReadPattern.ADAPTIVE, tally)) {
      assertEquals(BLOCK, cursor.read(ByteBuffer.wrap(read)));
    }

    assertArrayEquals(content, read);
    assertEquals(
        BLOCK, given.stream().mapToInt(part -> Integer.parseInt(part.split(" ", 2)[0])).sum());
    assertEquals(given.get(given.size() - 1).split(" ", 2)[1], "second", given.toString());
  }

  /** The first node has the first half; the second node's copy ends with a damaged chunk. */
  @Test
  void shouldTellOfTheBytesBeforeADamagedEndAndOfNoOthers() throws IOException {
    start(2).write(BLOCK);
    cluster.nodes.get(0).store.truncateGroup(DiskCluster.FILE, 0, BLOCK / 2, 5);
    flip(cluster.nodes.get(1), DiskCluster.DATA + BLOCK - 1);
    List<Integer> given = new ArrayList<>();
    ByteBuffer target = ByteBuffer.allocate(BLOCK);
    FileReader reader = cluster.reader(cluster.client(Delivery.AUTO));
    ReadTally tally = (node, bytes) -> given.add(bytes);

    assertEquals(BLOCK - CHUNK, reader.read(0, target, tally));

    assertEquals(BLOCK - CHUNK, target.position());
    assertEquals(List.of(BLOCK / 2, BLOCK / 2 - CHUNK), given);
    assertThrows(VdfsException.class, () -> reader.read(BLOCK - CHUNK, target, tally));
    assertEquals(BLOCK - CHUNK, target.position());
    assertEquals(2, given.size());
  }

  @Test
  void shouldWaitForNodesThatMayHaveWhatIsDamagedElsewhere() throws IOException {
    start(2).write(GROUP);
    flip(cluster.nodes.get(0), DiskCluster.DATA);
    cluster.nodes.get(1).server.close();
    FileReader reader = cluster.reader(cluster.client(Delivery.AUTO));

    VdfsException failure =
        assertThrows(VdfsException.class, () -> reader.readFully(0, new byte[GROUP], 0, GROUP));

    assertEquals(ErrorCode.UNAVAILABLE, failure.code(), failure.getMessage());
  }

  @Test
  void shouldHandOutNoByteWhereEveryReplicaIsDamaged() throws IOException {
    start(2).write(GROUP);
    flip(cluster.nodes.get(0), DiskCluster.DATA);
    flip(cluster.nodes.get(1), DiskCluster.DATA + 7);
    ClientIo client = cluster.client(Delivery.AUTO);
    byte[] target = new byte[GROUP];

    VdfsException damaged =
        assertThrows(
            VdfsException.class, () -> cluster.reader(client).readFully(0, target, 0, GROUP));

    assertEquals(ErrorCode.CORRUPT, damaged.code());
    assertArrayEquals(new byte[GROUP], target);
    ReadCursor cursor = cluster.reader(client).cursor();
    for (int attempt = 0; attempt < 2; attempt++) {
      assertThrows(VdfsException.class, () -> cursor.read(target, 0, GROUP));
      assertEquals(0, cursor.position());
    }
    cursor.seek(CHUNK);
    assertTrue(cursor.read(target, 0, CHUNK) > 0, "what is sound can still be read");
    cursor.close();
  }

  @Test
  void shouldTurnToAnotherReplicaWhereTheFileIsCutWhileItIsRead() throws IOException {
    byte[] content = start(2).write(2 * GROUP);
    ClientIo client = cluster.client(Delivery.AUTO);
    byte[] read = new byte[content.length];
    ReadCursor cursor = cluster.reader(client).cursor();
    readFully(cursor, read, 0, BLOCK + 100);
    try (FileChannel file = FileChannel.open(blockFile(0), StandardOpenOption.WRITE)) {
      file.truncate(DiskCluster.DATA + 1000);
    }

    readFully(cursor, read, BLOCK + 100, content.length);
    cursor.close();

    assertArrayEquals(content, read);
    assertTrue(client.counters().get(IoCounter.READ_FAILOVERS) >= 1);
    assertTrue(client.counters().get(IoCounter.CORRUPT_CHUNKS) >= 1);
  }

  @Test
  void shouldTurnToAnotherReplicaWhereTheNodeStopsWhileItIsRead() throws IOException {
    byte[] content = start(2).write(3 * GROUP);
    ClientIo client = cluster.client(Delivery.AUTO);
    byte[] read = new byte[content.length];
    ReadCursor cursor = cluster.reader(client).cursor();
    cluster.nodes.get(0).grantDelay = Duration.ofMillis(1); // none is granted early
    readFully(cursor, read, 0, BLOCK + 100);
    assertEquals(1, cluster.nodes.get(0).links().size());
    cluster.nodes.get(0).server.close();

    readFully(cursor, read, BLOCK + 100, content.length);
    cursor.close();

    assertArrayEquals(content, read);
    assertTrue(client.counters().get(IoCounter.READ_FAILOVERS) >= 1);
    assertTrue(granted(cluster.nodes.get(1)) > 0);
  }

  @Test
  void shouldTakeTheNamesBackWhenTheReaderGoes() throws IOException {
    start(1).write(GROUP);
    DiskNode node = cluster.nodes.get(0);
    ClientIo going = cluster.client(Delivery.LOCAL);
    ClientIo staying = cluster.client(Delivery.LOCAL);
    TestCluster.readAll(cluster.reader(going));
    assertEquals(1, node.links().size());
    TestCluster.readAll(cluster.reader(staying));
    assertEquals(2, node.links().size(), "no session knows another one's names");

    cluster.disconnect(going);
    awaitLinks(node, 1);
    cluster.disconnect(staying);
    awaitLinks(node, 0);
  }

  @Test
  void shouldNotKeepTheSpaceOfADeletedFile() throws IOException {
    byte[] content = start(1).write(GROUP);
    DiskNode node = cluster.nodes.get(0);
    ClientIo client = cluster.client(Delivery.LOCAL);
    FileReader reader = cluster.reader(client);
    assertArrayEquals(content, TestCluster.readAll(reader));
    assertEquals(1, node.links().size());

    node.delete(DiskCluster.FILE);

    awaitLinks(node, 0);
    assertEquals(List.of(), node.blockFiles());
    FileReader another = cluster.reader(cluster.client(Delivery.LOCAL));
    assertThrows(VdfsException.class, () -> another.readFully(0, new byte[10], 0, 10));
    forgetGrants(client);
    assertThrows(VdfsException.class, () -> reader.readFully(0, new byte[10], 0, 10));
  }

  @Test
  void shouldNotDisturbOtherReadersWhenOneIsInterrupted() throws IOException {
    byte[] content = start(1).write(GROUP);
    ClientIo client = cluster.client(Delivery.LOCAL);
    FileReader reader = cluster.reader(client);
    ReadCursor interrupted = reader.cursor();
    ReadCursor other = reader.cursor();
    byte[] read = new byte[content.length];
    readFully(interrupted, new byte[content.length], 0, CHUNK);
    readFully(other, read, 0, CHUNK);

    Thread.currentThread().interrupt();
    assertThrows(
        InterruptedIOException.class,
        () -> readFully(interrupted, new byte[content.length], 0, content.length));
    assertTrue(Thread.interrupted());
    interrupted.close();

    readFully(other, read, CHUNK, content.length);
    other.close();
    assertArrayEquals(content, read);
    assertEquals(0, client.counters().get(IoCounter.READ_FAILOVERS));
  }

  @Test
  void shouldCountWhatTheDiskHadToGiveAndTellTheNode() throws IOException {
    int length = 2 * GROUP;
    start(1).write(length);
    long[] disk = {7};
    DiskReads eighths = () -> disk[0] += CHUNK / 8;
    ClientIo client = cluster.client(Delivery.LOCAL, () -> eighths, LocalBlockDelivery.WINDOW);
    FileReader reader = cluster.reader(client);
    for (long position = 0; position < length; position += CHUNK) {
      reader.readFully(position, new byte[CHUNK], 0, CHUNK);
    }

    long fetched = (long) length / 8;
    assertEquals(length, client.counters().get(IoCounter.BYTES_BY_LOCAL_DELIVERY));
    assertEquals(fetched, client.counters().get(IoCounter.BYTES_FETCHED_FROM_DISK));
    DiskNode node = cluster.nodes.get(0);
    assertEquals(length - CHUNK, told(node, LocalCounter.READ_BYTES), "but for the last grant");
    reader.readFully(0, new byte[CHUNK], 0, CHUNK);
    assertEquals(length, told(node, LocalCounter.READ_BYTES));
    assertEquals(fetched, told(node, LocalCounter.FETCHED_BY_CLIENT_BYTES));
  }

  private static long told(DiskNode node, LocalCounter counter) {
    return node.delivery.counters().get(counter);
  }

  @Test
  void shouldLeaveBlockFilesAloneWhereMemoryLosesThem() throws IOException {
    byte[] content = start(1).write(4 * GROUP);
    long[] disk = {0};
    DiskReads allOfIt = () -> disk[0] += BLOCK;
    ClientIo client = cluster.client(Delivery.AUTO, () -> allOfIt, GROUP);

    assertArrayEquals(content, TestCluster.readAll(cluster.reader(client)));

    assertEquals(1, client.counters().get(IoCounter.LOCAL_SUSPENSIONS));
    assertEquals(GROUP, client.counters().get(IoCounter.BYTES_BY_LOCAL_DELIVERY));
    assertEquals(content.length - GROUP, client.counters().get(IoCounter.BYTES_BY_SOCKET));
    assertEquals(0, client.counters().get(IoCounter.READ_FAILOVERS));
    ClientIo steadfast = cluster.client(Delivery.LOCAL, () -> allOfIt, GROUP);
    assertArrayEquals(content, TestCluster.readAll(cluster.reader(steadfast)));
    assertEquals(0, steadfast.counters().get(IoCounter.LOCAL_SUSPENSIONS));
    assertEquals(0, steadfast.counters().get(IoCounter.BYTES_BY_SOCKET));
  }

  /** Needs a disk below the temporary directory, and Linux. */
  @Test
  void shouldSeeWhatTheDiskReallyGave() throws Exception {
    byte[] content = start(1).write(64 * GROUP);
    ClientIo client = cluster.client(Delivery.LOCAL);
    assertArrayEquals(content, readByCursor(cluster.reader(client), 9000, content.length));
    long warm = client.counters().get(IoCounter.BYTES_FETCHED_FROM_DISK);
    assertTrue(warm < content.length / 4, () -> "it is in memory: fetched=" + warm);

    PageCache.drop(blockFile(0));
    assumeFalse(PageCache.holds(blockFile(0)), "it could not be taken out of memory");
    assertArrayEquals(content, readByCursor(cluster.reader(client), 9000, content.length));
    long cold = client.counters().get(IoCounter.BYTES_FETCHED_FROM_DISK);
    assertTrue(cold >= warm + content.length, () -> "fetched=" + cold);

    assertArrayEquals(content, readByCursor(cluster.reader(client), 9000, content.length));
    long again = client.counters().get(IoCounter.BYTES_FETCHED_FROM_DISK);
    assertTrue(again < cold + content.length / 4, () -> "once: fetched=" + again);
  }

  /** The file as it looked before an append began. */
  private FileView closed(long length) {
    FileView now = cluster.metadata.view();
    return new FileView(now.file(), length, false, now.writeEpoch(), 1, List.of());
  }

  private static byte[] readByCursor(FileReader reader, int piece, int length) throws IOException {
    byte[] read = new byte[length];
    ReadCursor cursor = reader.cursor();
    int done = 0;
    while (done < length) {
      done += cursor.read(read, done, Math.min(piece, length - done));
    }
    assertEquals(-1, cursor.read(new byte[1], 0, 1));
    cursor.close();
    return read;
  }

  private static void readFully(ReadCursor cursor, byte[] target, int from, int to)
      throws IOException {
    int done = from;
    while (done < to) {
      done += cursor.read(target, done, to - done);
    }
  }

  private static long granted(DiskNode node) {
    return node.delivery.counters().get(LocalCounter.GRANTED_BYTES);
  }

  private Path blockFile(int node) throws IOException {
    return cluster.nodes.get(node).blockFiles().get(0);
  }

  private static void flip(DiskNode node, long position) throws IOException {
    try (FileChannel file =
        FileChannel.open(
            node.blockFiles().get(0), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer single = ByteBuffer.allocate(1);
      file.read(single, position);
      single.put(0, (byte) (single.get(0) ^ 4)).flip();
      file.write(single, position);
    }
  }

  private static void removeLinks(DiskNode node) {
    try {
      for (Path link : node.links()) {
        Files.delete(link);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void awaitLinks(DiskNode node, int count) throws IOException {
    while (node.links().size() != count) {
      LockSupport.parkNanos(1_000_000);
    }
  }
}
