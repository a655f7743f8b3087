package io.vdfs.client.io;

import static io.vdfs.datanode.Await.awaitThat;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.read.FileReader;
import io.vdfs.client.read.ReadCursor;
import io.vdfs.client.read.ReadPattern;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract of every delivery that is used alone. */
@Timeout(60)
class DeliveryContractTest {
  private static final int CHUNK = DiskCluster.GEOMETRY.chunkSize();
  private static final int BLOCK = DiskCluster.GEOMETRY.blockSize();
  private static final int GROUP = (int) DiskCluster.GEOMETRY.groupSize();
  private static final Map<Delivery, IoCounter> COUNTERS =
      Map.of(
          Delivery.LOCAL, IoCounter.BYTES_BY_LOCAL_DELIVERY,
          Delivery.SEGMENT, IoCounter.BYTES_BY_SEGMENT,
          Delivery.SOCKET, IoCounter.BYTES_BY_SOCKET);

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
    cluster = new DiskCluster(directory, nodes, true, true);
    return cluster;
  }

  @AfterEach
  void stop() throws IOException {
    cluster.close();
  }

  @ParameterizedTest
  @MethodSource("deliveriesAndLengths")
  void shouldReadEveryByteAndNoneByAnotherWay(Delivery delivery, int length) throws IOException {
    byte[] content = start(1).write(length);
    ClientIo client = cluster.client(delivery);

    assertArrayEquals(content, TestCluster.readAll(cluster.reader(client)));
    byte[] read = new byte[length];
    try (Closing cursor = new Closing(cluster.reader(client).cursor())) {
      cursor.readFully(read, 0, length);
    }
    assertArrayEquals(content, read);

    COUNTERS.forEach(
        (other, counter) -> {
          long bytes = client.counters().get(counter);
          assertTrue(
              other == delivery ? bytes >= 2L * length : bytes == 0,
              () -> counter + "=" + bytes + ", length=" + length);
        });
    assertEquals(0, client.counters().get(IoCounter.READ_FAILOVERS));
    assertEquals(0, client.counters().get(IoCounter.SEGMENT_FALLBACKS));
    assertEquals(0, client.counters().get(IoCounter.LOCAL_FALLBACKS));
  }

  static Stream<Arguments> deliveriesAndLengths() {
    return COUNTERS.keySet().stream()
        .flatMap(
            delivery ->
                IntStream.of(1, 512, 1536, 1537, 2049, 8192, 30_000)
                    .mapToObj(length -> Arguments.of(delivery, length)));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void shouldFillBuffersOfBothKindsFromTheirPosition(Delivery delivery) throws IOException {
    byte[] content = start(1).write(GROUP + 100);
    ClientIo client = cluster.client(delivery);
    FileReader reader = cluster.reader(client);
    for (ByteBuffer target :
        List.of(ByteBuffer.allocate(GROUP), ByteBuffer.allocateDirect(GROUP))) {
      target.position(7);
      try (Closing cursor = new Closing(reader.cursor())) {
        while (target.hasRemaining()) {
          int before = target.position();
          assertEquals(cursor.cursor().read(target), target.position() - before);
        }
      }
      assertEquals(ByteBuffer.wrap(content, 0, GROUP - 7), target.flip().position(7));

      target.clear().position(3).limit(53);
      assertEquals(50, reader.read(GROUP + 50, target));
      assertEquals(ByteBuffer.wrap(content, GROUP + 50, 50), target.flip().position(3));
      assertEquals(-1, reader.read(GROUP + 100, target.clear()));
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void shouldTurnToAnotherReplicaWhereABitIsFlippedOnDisk(Delivery delivery) throws IOException {
    byte[] content = start(2).write(2 * GROUP);
    flip(cluster.nodes.get(0), DiskCluster.DATA + BLOCK / 2);
    ClientIo client = cluster.client(delivery);
    byte[] read = new byte[content.length];

    try (Closing cursor = new Closing(cluster.reader(client).cursor())) {
      cursor.readFully(read, 0, read.length);
    }

    assertArrayEquals(content, read);
    assertTrue(client.counters().get(IoCounter.CORRUPT_CHUNKS) >= 1);
    assertTrue(client.counters().get(IoCounter.DOUBTS_TOLD) >= 1);
    DiskNode rotten = cluster.nodes.get(0);
    awaitThat(() -> rotten.doubts() >= 1);
    assertEquals(0, cluster.nodes.get(1).doubts());
    assertTrue(turns(client) >= 1);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void shouldHandOutNoByteWhereEveryReplicaIsDamaged(Delivery delivery) throws IOException {
    start(2).write(GROUP);
    flip(cluster.nodes.get(0), DiskCluster.DATA);
    flip(cluster.nodes.get(1), DiskCluster.DATA + 7);
    ClientIo client = cluster.client(delivery);
    byte[] target = new byte[GROUP];

    VdfsException damaged =
        assertThrows(
            VdfsException.class, () -> cluster.reader(client).readFully(0, target, 0, GROUP));

    assertEquals(ErrorCode.CORRUPT, damaged.code());
    assertArrayEquals(new byte[GROUP], target);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void shouldGiveWhatLiesBeforeAndBehindAChunkThatIsDamagedEverywhere(Delivery delivery)
      throws IOException {
    byte[] content = start(2).write(2 * GROUP);
    int bad = 3 * CHUNK;
    flip(cluster.nodes.get(0), DiskCluster.DATA + bad);
    flip(cluster.nodes.get(1), DiskCluster.DATA + bad + 7);

    assertReadsUpTo(bad, delivery, content, ErrorCode.CORRUPT);

    byte[] rest = new byte[content.length - bad - CHUNK];
    cluster.reader(cluster.client(delivery)).readFully(bad + CHUNK, rest, 0, rest.length);
    assertArrayEquals(Arrays.copyOfRange(content, bad + CHUNK, content.length), rest);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void shouldGiveWhatLiesBeforeTheEndOfABlockFileThatWasCut(Delivery delivery) throws IOException {
    byte[] content = start(1).write(BLOCK);
    int held = 2 * CHUNK;
    Path blocks = cluster.nodes.get(0).blockFiles().get(0);
    try (FileChannel file = FileChannel.open(blocks, StandardOpenOption.WRITE)) {
      file.truncate(DiskCluster.DATA + held + 100);
    }

    ErrorCode expected = delivery == Delivery.LOCAL ? ErrorCode.CORRUPT : ErrorCode.UNAVAILABLE;
    assertReadsUpTo(held, delivery, content, expected);
  }

  private void assertReadsUpTo(int bad, Delivery delivery, byte[] content, ErrorCode expected)
      throws IOException {
    FileReader reader = cluster.reader(cluster.client(delivery));
    List<Integer> given = new ArrayList<>();
    byte[] read = new byte[content.length];
    try (ReadCursor cursor = reader.cursor(ReadPattern.ADAPTIVE, (node, n) -> given.add(n))) {
      Closing whole = new Closing(cursor);
      VdfsException damaged =
          assertThrows(VdfsException.class, () -> whole.readFully(read, 0, read.length));
      assertEquals(expected, damaged.code(), damaged.getMessage());
      assertEquals(bad, cursor.position());
    }
    assertEquals(bad, given.stream().mapToInt(Integer::intValue).sum());
    assertArrayEquals(Arrays.copyOf(Arrays.copyOf(content, bad), read.length), read);

    ByteBuffer target = ByteBuffer.allocate(BLOCK);
    while (target.position() < bad) {
      assertTrue(reader.read(target.position(), target) > 0);
    }
    assertEquals(bad, target.position());
    assertThrows(VdfsException.class, () -> reader.read(bad, target));
    assertEquals(bad, target.position());
    assertEquals(ByteBuffer.wrap(content, 0, bad), target.flip());
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void shouldTurnToAnotherReplicaWhereTheNodeStopsWhileItIsRead(Delivery delivery)
      throws IOException {
    byte[] content = start(2).write(3 * GROUP);
    ClientIo client = cluster.client(delivery);
    byte[] read = new byte[content.length];
    try (Closing cursor = new Closing(cluster.reader(client).cursor())) {
      cursor.readFully(read, 0, BLOCK + 100);

      cluster.nodes.get(0).server.close();

      cursor.readFully(read, BLOCK + 100, content.length);
    }
    assertArrayEquals(content, read);
    assertTrue(turns(client) >= 1);
  }

  @ParameterizedTest
  @EnumSource(names = {"LOCAL", "SEGMENT"})
  void shouldNotDisturbOtherReadersWhenOneIsInterrupted(Delivery delivery) throws IOException {
    byte[] content = start(1).write(3 * GROUP);
    ClientIo client = cluster.client(delivery);
    FileReader reader = cluster.reader(client);
    byte[] read = new byte[content.length];
    try (Closing interrupted = new Closing(reader.cursor());
        Closing other = new Closing(reader.cursor())) {
      interrupted.readFully(new byte[content.length], 0, 100);
      other.readFully(read, 0, 100);

      Thread.currentThread().interrupt();
      assertThrows(
          InterruptedIOException.class,
          () -> interrupted.readFully(new byte[content.length], 0, content.length));
      assertTrue(Thread.interrupted());

      other.readFully(read, 100, content.length);
    }
    assertArrayEquals(content, read);
    assertEquals(0, client.counters().get(IoCounter.READ_FAILOVERS));
  }

  private static long turns(ClientIo client) {
    return client.counters().get(IoCounter.READ_FAILOVERS)
        + client.counters().get(IoCounter.SEGMENT_FALLBACKS);
  }

  private record Closing(ReadCursor cursor) implements AutoCloseable {
    void readFully(byte[] target, int from, int to) throws IOException {
      int done = from;
      while (done < to) {
        done += cursor.read(target, done, to - done);
      }
    }

    @Override
    public void close() {
      cursor.close();
    }
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
}
