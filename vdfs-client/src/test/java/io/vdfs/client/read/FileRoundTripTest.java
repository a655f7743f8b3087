package io.vdfs.client.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.io.ClientIo;
import io.vdfs.client.io.IoCounter;
import io.vdfs.client.io.Replicas;
import io.vdfs.client.io.TestCluster;
import io.vdfs.client.io.TestNode;
import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.read.ReadPattern.Ahead;
import io.vdfs.client.write.FileWriter;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.checksum.Crc32c;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
public class FileRoundTripTest {
  private static final int CHUNK = TestCluster.GEOMETRY.chunkSize();
  private static final int GROUP = (int) TestCluster.GEOMETRY.groupSize();

  @ParameterizedTest
  @ValueSource(
      ints = {
        0, 1, 511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049, 8191, 8192, 8193, 16_384, 30_000
      })
  void shouldReadBackEveryByteOnEveryReplica(int length) throws IOException {
    try (TestCluster cluster = new TestCluster(4, 3)) {
      byte[] content = TestCluster.bytes(length, length);
      try (FileWriter writer = cluster.create()) {
        writer.write(content, 0, length);
      }

      assertEquals(length, cluster.metadata.view().length());
      assertEquals(0, cluster.metadata.changes());
      assertEquals(TestCluster.GEOMETRY.groupCount(length), cluster.metadata.synced().size());
      cluster.metadata.synced().values().forEach(nodes -> assertEquals(3, nodes.size()));
      Replicas.assertHold(cluster, content, length);
      Replicas.assertNoMore(cluster, length);
      assertArrayEquals(content, TestCluster.readAll(cluster.reader()));
      assertArrayEquals(content, readByCursor(cluster.reader(), 777));
      assertEquals(
          Crc32c.of(ByteBuffer.wrap(content)),
          new BlockChecksums(cluster.io).ofFile(cluster.metadata.view()));
      assertArrayEquals(partChecksums(content, 0, 128), partChecksumsOfNodes(cluster, 0, 128));
      cluster.nodes.forEach(node -> assertFalse(node.store.hasWriter(TestCluster.FILE, 100)));
    }
  }

  private static byte[] partChecksumsOfNodes(TestCluster cluster, int start, int partBytes)
      throws IOException {
    FileView view = cluster.metadata.view();
    return new PartChecksums(cluster.io).of(view, start, view.length() - start, partBytes);
  }

  private static byte[] partChecksums(byte[] content, int start, int partBytes) {
    ByteBuffer rest = ByteBuffer.wrap(content, start, content.length - start);
    ChunkChecksums checksums = ChunkChecksums.compute(rest, partBytes);
    ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES * checksums.count());
    checksums.write(bytes);
    return bytes.array();
  }

  @Test
  void shouldTellChecksumsOfPartsFromAnyOfThemOnWithoutReading() throws IOException {
    try (TestCluster cluster = new TestCluster(4, 3)) {
      byte[] content = TestCluster.bytes(1, 2 * GROUP + 700);
      try (FileWriter writer = cluster.create()) {
        writer.write(content, 0, content.length);
      }
      for (int start : new int[] {64, 512, GROUP - 64, GROUP + 128, 2 * GROUP + 640}) {
        assertArrayEquals(
            partChecksums(content, start, 64), partChecksumsOfNodes(cluster, start, 64));
      }
      assertEquals(0, cluster.io.counters().get(IoCounter.BYTES_BY_SOCKET));
      assertTrue(cluster.io.counters().get(IoCounter.BYTES_DIGESTED_BY_NODES) > 2L * GROUP);
    }
  }

  @Test
  void shouldFetchAheadAsTheReaderTells() throws IOException {
    try (TestCluster cluster = new TestCluster(4, 3)) {
      byte[] content = TestCluster.bytes(3, 2 * GROUP);
      try (FileWriter writer = cluster.create()) {
        writer.write(content, 0, content.length);
      }
      int all = content.length;

      assertEquals(0, fetchedAhead(cluster, content, all, Ahead.NEVER, Long.MAX_VALUE));
      // the first request: up to the end, past the chunk that comes in any case
      assertEquals(1000 - CHUNK, fetchedAhead(cluster, content, all, Ahead.AT_ONCE, 1000));
      assertEquals(1000 - CHUNK, fetchedAhead(cluster, content, all, Ahead.WHEN_SEQUENTIAL, 1000));
      long once = fetchedAhead(cluster, content, 10, Ahead.AT_ONCE, Long.MAX_VALUE);
      long unknown = fetchedAhead(cluster, content, 10, Ahead.WHEN_SEQUENTIAL, Long.MAX_VALUE);
      assertTrue(once > unknown, "at once=" + once + ", unknown=" + unknown);
    }
  }

  /** Reads from the start in steps of 10 bytes. */
  private static long fetchedAhead(
      TestCluster cluster, byte[] content, int length, Ahead ahead, long end) throws IOException {
    long before = cluster.io.counters().get(IoCounter.BYTES_READ_AHEAD);
    byte[] read = new byte[length];
    try (ReadCursor cursor = cluster.reader().cursor(new ReadPattern(ahead, end))) {
      for (int at = 0; at < length; ) {
        at += cursor.read(read, at, Math.min(10, length - at));
      }
    }
    assertArrayEquals(Arrays.copyOf(content, length), read);
    return cluster.io.counters().get(IoCounter.BYTES_READ_AHEAD) - before;
  }

  @Test
  void shouldWriteTheSameBytesHoweverTheyAreCutAndFlushed() throws IOException {
    for (int seed = 0; seed < 10; seed++) {
      Random random = new Random(seed);
      try (TestCluster cluster = new TestCluster(4, 3)) {
        byte[] content = TestCluster.bytes(seed, random.nextInt(3 * GROUP));
        try (FileWriter writer = cluster.create()) {
          int at = 0;
          while (at < content.length) {
            int step = Math.min(content.length - at, 1 + random.nextInt(3000));
            writer.write(content, at, step);
            at += step;
            int what = random.nextInt(4);
            if (what == 0) {
              writer.flush();
              Replicas.assertHold(cluster, content, at);
              FileReader reader = cluster.reader();
              assertTrue(reader.refreshLength() >= at, "visible=" + reader.length());
              byte[] seen = TestCluster.readAll(reader);
              assertArrayEquals(Arrays.copyOf(content, seen.length), seen);
            } else if (what == 1) {
              writer.sync();
            }
          }
          assertEquals(content.length, writer.position());
        }
        assertArrayEquals(content, TestCluster.readAll(cluster.reader()));
        Replicas.assertHold(cluster, content, content.length);
      }
    }
  }

  /** As after a power cut of a node, which an idle writer does not notice. */
  @Test
  void shouldSeeWhatWasFlushedWhicheverKeeperLostIt() throws IOException {
    for (int lost = 0; lost < 3; lost++) {
      try (TestCluster cluster = new TestCluster(3, 3)) {
        byte[] content = TestCluster.bytes(lost, 2500);
        FileWriter writer = cluster.create();
        writer.write(content, 0, 2500);
        writer.flush();
        TestNode node = cluster.nodes.get(lost);
        node.store.store().fence(TestCluster.FILE, 0, 9);
        node.store.lose(TestCluster.FILE, 0, lost * 700);
        assertFalse(node.store.hasWriter(TestCluster.FILE, 1));

        FileReader reader = cluster.freshReader();
        assertEquals(2500, reader.refreshLength());
        assertArrayEquals(content, TestCluster.readAll(reader));
      }
    }
  }

  /** Once its writer is gone, keepers differ only by bytes that were not flushed. */
  @Test
  void shouldBelieveTheKeeperThatHasMostWhereNoClientWrites() throws IOException {
    try (TestCluster cluster = new TestCluster(3, 3)) {
      byte[] content = TestCluster.bytes(5, 2500);
      FileWriter writer = cluster.create();
      writer.write(content, 0, 2500);
      writer.flush();
      for (TestNode node : cluster.nodes) {
        node.store.store().fence(TestCluster.FILE, 0, 9);
      }
      cluster.nodes.get(0).store.lose(TestCluster.FILE, 0, 0);
      cluster.nodes.get(1).store.lose(TestCluster.FILE, 0, 1000);
      FileReader reader = cluster.freshReader();
      assertEquals(2500, reader.refreshLength());
      assertArrayEquals(content, TestCluster.readAll(reader));
    }
  }

  /** Others took the place of the one that the writer writes to, which is in the list still. */
  @Test
  void shouldSeeWhatWasFlushedToANodeThatIsASpareNow() throws IOException {
    try (TestCluster cluster = new TestCluster(3, 3)) {
      cluster.metadata.setReplication(1);
      byte[] content = TestCluster.bytes(6, 2500);
      FileWriter writer = cluster.create();
      writer.write(content, 0, 2500);
      writer.flush();
      cluster.moveLast(cluster.nodes.get(0));

      FileReader reader = cluster.freshReader();
      assertEquals(2500, reader.refreshLength());
      assertArrayEquals(content, TestCluster.readAll(reader));
    }
  }

  @Test
  void shouldNotTakeASparesWordWhereNoKeeperAnswers() throws IOException {
    try (TestCluster cluster = new TestCluster(3, 3)) {
      cluster.metadata.setReplication(1);
      FileWriter writer = cluster.create();
      writer.write(TestCluster.bytes(6, 2500), 0, 2500);
      writer.flush();
      cluster.nodes.get(0).refuse();

      VdfsException e =
          assertThrows(VdfsException.class, () -> cluster.freshReader().refreshLength());
      assertEquals(ErrorCode.UNAVAILABLE, e.code());
    }
  }

  @Test
  void shouldGoOnWhereAnAppendBegins() throws IOException {
    try (TestCluster cluster = new TestCluster(4, 3)) {
      ByteArrayOutputStream content = new ByteArrayOutputStream();
      int[] steps = {100, 411, 1, 700, 0, GROUP - 1212, 5, GROUP, 0, 3000};
      for (int i = 0; i < steps.length; i++) {
        byte[] step = TestCluster.bytes(i, steps[i]);
        try (FileWriter writer = i == 0 ? cluster.create() : cluster.append()) {
          writer.write(step, 0, step.length);
        }
        content.write(step);
        assertArrayEquals(content.toByteArray(), TestCluster.readAll(cluster.reader()));
        Replicas.assertHold(cluster, content.toByteArray(), content.size());
        Replicas.assertNoMore(cluster, content.size());
        Replicas.assertChecksumsTold(cluster.metadata, content.toByteArray());
      }
    }
  }

  @Test
  void shouldKeepTheOldEndWhileAnAppendHasNotWritten() throws IOException {
    try (TestCluster cluster = new TestCluster(3, 3)) {
      byte[] content = TestCluster.bytes(1, CHUNK + 100);
      try (FileWriter writer = cluster.create()) {
        writer.write(content, 0, content.length);
      }
      FileWriter appender = cluster.append();
      appender.abort();

      Replicas.assertHold(cluster, content, content.length);
      assertArrayEquals(content, TestCluster.readAll(cluster.reader()));
    }
  }

  @Test
  void shouldShowToNewReadersWhatWasFlushed() throws IOException {
    try (TestCluster cluster = new TestCluster(4, 3)) {
      byte[] content = TestCluster.bytes(4, GROUP + 700);
      FileWriter writer = cluster.create();
      writer.write(content, 0, GROUP + 300);
      writer.flush();
      FileReader early = cluster.reader();
      assertEquals(GROUP, early.length(), "what is recorded");
      assertEquals(GROUP + 300, early.refreshLength());
      assertArrayEquals(Arrays.copyOf(content, GROUP + 300), TestCluster.readAll(early));

      writer.write(content, GROUP + 300, 400);
      writer.flush();
      assertEquals(GROUP + 300, early.length());
      assertEquals(content.length, early.refreshLength());
      assertArrayEquals(content, TestCluster.readAll(early));
      writer.close();
      assertEquals(content.length, early.refreshLength());
    }
  }

  @Test
  void shouldRefuseCallsAfterCloseButCloseTwice() throws IOException {
    try (TestCluster cluster = new TestCluster(3, 3)) {
      FileWriter writer = cluster.create();
      writer.write(new byte[10], 0, 10);
      writer.close();
      writer.close();
      writer.abort();

      VdfsException refused =
          assertThrows(VdfsException.class, () -> writer.write(new byte[1], 0, 1));
      assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
      assertFalse(cluster.metadata.view().open());
    }
  }

  @Test
  void shouldStopAFencedWriterForGood() throws IOException {
    try (TestCluster cluster = new TestCluster(3, 3)) {
      byte[] content = TestCluster.bytes(9, 3000);
      FileWriter evicted = cluster.create();
      evicted.write(content, 0, 1000);
      evicted.flush();
      FileView taken = cluster.metadata.beginRecovery();
      ClientIo other = cluster.io;
      for (TestNode node : cluster.nodes) {
        node.store.store().fence(taken.file(), 0, taken.writeEpoch());
      }
      evicted.write(content, 1000, 1000);

      VdfsException first = assertThrows(VdfsException.class, evicted::sync);
      assertEquals(ErrorCode.FENCED, first.code());
      VdfsException again = assertThrows(VdfsException.class, () -> evicted.write(content, 0, 10));
      assertEquals(ErrorCode.FENCED, again.code());
      assertThrows(VdfsException.class, evicted::close);
      evicted.close();
      assertEquals(1000, new VisibleLength(other).of(taken));
      Replicas.assertHold(cluster, content, 1000);
      Replicas.assertNoMore(cluster, 1000);
    }
  }

  @Test
  void shouldReadSmallRangesOfFewChunks() throws IOException {
    try (TestCluster cluster = new TestCluster(3, 3)) {
      byte[] content = TestCluster.bytes(2, 3 * GROUP);
      try (FileWriter writer = cluster.create()) {
        writer.write(content, 0, content.length);
      }
      FileReader reader = cluster.reader();
      byte[] target = new byte[20];
      assertEquals(10, reader.read(5000, target, 3, 10));

      assertArrayEquals(Arrays.copyOfRange(content, 5000, 5010), Arrays.copyOfRange(target, 3, 13));
      assertEquals(CHUNK, cluster.io.counters().get(IoCounter.BYTES_READ_REMOTE));
      assertEquals(-1, reader.read(content.length, target, 0, 1));
      assertEquals(0, reader.read(content.length, target, 0, 0));
      assertEquals(1, reader.read(content.length - 1, target, 0, 20));
    }
  }

  @Test
  void shouldFollowRandomSeeksOfACursor() throws IOException {
    try (TestCluster cluster = new TestCluster(4, 3)) {
      byte[] content = TestCluster.bytes(3, 4 * GROUP + 77);
      try (FileWriter writer = cluster.create()) {
        writer.write(content, 0, content.length);
      }
      Random random = new Random(8);
      try (ReadCursor cursor = cluster.reader().cursor()) {
        for (int round = 0; round < 300; round++) {
          if (random.nextInt(3) == 0) {
            cursor.seek(random.nextInt(content.length + 10));
          }
          long at = cursor.position();
          byte[] target = new byte[1 + random.nextInt(1500)];
          int read = cursor.read(target, 0, target.length);
          if (at >= content.length) {
            assertEquals(-1, read);
            cursor.seek(0);
          } else {
            assertTrue(read > 0);
            assertArrayEquals(
                Arrays.copyOfRange(content, (int) at, (int) at + read),
                Arrays.copyOf(target, read));
          }
        }
      }
    }
  }

  @Test
  void shouldServeManyReadersAtOnce() throws Exception {
    try (TestCluster cluster = new TestCluster(4, 3)) {
      byte[] content = TestCluster.bytes(6, 3 * GROUP);
      try (FileWriter writer = cluster.create()) {
        writer.write(content, 0, content.length);
      }
      FileReader reader = cluster.reader();
      List<Integer> seeds = List.of(1, 2, 3, 4, 5, 6, 7, 8);
      List<Boolean> equal =
          seeds.parallelStream()
              .map(
                  seed -> {
                    try {
                      Random random = new Random(seed);
                      for (int i = 0; i < 40; i++) {
                        int from = random.nextInt(content.length);
                        byte[] part = new byte[random.nextInt(content.length - from)];
                        reader.readFully(from, part, 0, part.length);
                        if (!Arrays.equals(
                            part, Arrays.copyOfRange(content, from, from + part.length))) {
                          return false;
                        }
                      }
                      return true;
                    } catch (IOException e) {
                      throw new IllegalStateException(e);
                    }
                  })
              .toList();

      assertFalse(equal.contains(false));
    }
  }

  public static byte[] readByCursor(FileReader reader, int step) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try (ReadCursor cursor = reader.cursor()) {
      byte[] part = new byte[step];
      for (int read = cursor.read(part, 0, step); read >= 0; read = cursor.read(part, 0, step)) {
        all.write(part, 0, read);
      }
    }
    return all.toByteArray();
  }
}
