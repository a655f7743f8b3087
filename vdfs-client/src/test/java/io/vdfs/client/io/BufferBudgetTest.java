package io.vdfs.client.io;

import static io.vdfs.datanode.Await.awaitThat;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.read.BlockDeliveries;
import io.vdfs.client.read.FileReader;
import io.vdfs.client.read.FileRoundTripTest;
import io.vdfs.client.read.ReadCursor;
import io.vdfs.client.read.ReadPattern;
import io.vdfs.client.write.FileWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BufferBudgetTest {
  private static final int CHUNK = TestCluster.GEOMETRY.chunkSize();
  private static final int BLOCK = TestCluster.GEOMETRY.blockSize();
  private static final int GROUP = (int) TestCluster.GEOMETRY.groupSize();

  private static ClientIo io(TestCluster cluster, BufferBudget budget) {
    return new ClientIo(
        cluster.connections,
        cluster,
        TestCluster.GEOMETRY,
        cluster.id,
        cluster.io.settings(),
        BlockDeliveries::of,
        budget);
  }

  @Test
  void shouldGiveNoMoreThanThereIsUnlessItMust() {
    BufferBudget budget = new BufferBudget(100);
    BufferBudget.Share first = budget.share();
    BufferBudget.Share second = budget.share();

    assertTrue(first.tryTake(60));
    assertFalse(second.tryTake(60));
    assertTrue(second.tryTake(40));
    assertFalse(budget.isOverdrawn());
    second.take(10);
    assertTrue(budget.isOverdrawn());
    second.takeUpTo(45);
    assertEquals(110, budget.used());
    first.release();
    first.release();
    second.release();
    assertEquals(0, budget.used());
  }

  /** With hardly any memory, every byte still arrives. */
  @Test
  void shouldWriteAndReadWithLessThanOnePacket() throws IOException {
    try (TestCluster cluster = new TestCluster(3, 3)) {
      BufferBudget budget = new BufferBudget(CHUNK);
      ClientIo io = io(cluster, budget);
      byte[] content = TestCluster.bytes(1, 2 * GROUP + 700);
      try (FileWriter writer = FileWriter.create(io, cluster.metadata.view(), cluster.metadata)) {
        for (int at = 0; at < content.length; at += 1000) {
          writer.write(content, at, Math.min(1000, content.length - at));
        }
      }
      assertEquals(0, budget.used());

      FileReader reader = new FileReader(io, cluster.metadata.view(), cluster.metadata);
      assertArrayEquals(content, TestCluster.readAll(reader));
      assertArrayEquals(content, FileRoundTripTest.readByCursor(reader, 1500));
      assertTrue(io.counters().get(IoCounter.READS_CUT_SHORT) > 0);
      assertEquals(0, budget.used());
    }
  }

  @Test
  void shouldHaveAWriterWaitForItsOwnNodesOnly() throws IOException {
    try (TestCluster cluster = new TestCluster(3, 3)) {
      BufferBudget budget = new BufferBudget(4L * CHUNK);
      budget.share().take(4L * CHUNK); // held by a user that never gives it back
      ClientIo io = io(cluster, budget);
      byte[] content = TestCluster.bytes(1, GROUP + 700);
      try (FileWriter writer = FileWriter.create(io, cluster.metadata.view(), cluster.metadata)) {
        writer.write(content, 0, content.length);
      }

      assertTrue(io.counters().get(IoCounter.MEMORY_WAITS) > 0);
      assertEquals(4L * CHUNK, budget.used());
      Replicas.assertHold(cluster, content, content.length);
    }
  }

  /** As a merge does: a thread that holds a hundred streams must not wait for itself. */
  @Test
  void shouldMergeManyStreamsInOneThread() throws IOException {
    try (TestCluster cluster = new TestCluster(3, 3)) {
      byte[] content = TestCluster.bytes(1, GROUP);
      try (FileWriter writer = cluster.create()) {
        writer.write(content, 0, content.length);
      }
      BufferBudget budget = new BufferBudget(20 * 1024);
      ClientIo io = io(cluster, budget);
      List<ReadCursor> cursors = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        FileReader reader = new FileReader(io, cluster.metadata.view(), cluster.metadata);
        cursors.add(reader.cursor(new ReadPattern(ReadPattern.Ahead.AT_ONCE, Long.MAX_VALUE)));
      }
      byte[] piece = new byte[100];
      for (int done = 0; done < content.length; ) {
        int read = 0;
        for (ReadCursor cursor : cursors) {
          read = readFully(cursor, piece, Math.min(piece.length, content.length - done));
          assertArrayEquals(
              Arrays.copyOfRange(content, done, done + read), Arrays.copyOf(piece, read));
        }
        done += read;
      }

      assertTrue(io.counters().get(IoCounter.READS_CUT_SHORT) > 0);
      assertEquals(0, budget.used(), "given back at the end of the file, closed or not");
    }
  }

  /** A range that was fetched ahead is lost, and memory is too short for all of it once more. */
  @Test
  void shouldGoOnFromTheCursorWhereARangeIsFetchedAgain() throws Exception {
    try (TestCluster cluster = new TestCluster(1, 1)) {
      byte[] content = TestCluster.bytes(1, GROUP);
      try (FileWriter writer = cluster.create()) {
        writer.write(content, 0, content.length);
      }
      BufferBudget budget = new BufferBudget(1 << 20);
      ClientIo io = io(cluster, budget);
      FileReader reader = new FileReader(io, cluster.metadata.view(), cluster.metadata);
      ReadCursor cursor =
          reader.cursor(new ReadPattern(ReadPattern.Ahead.WHEN_SEQUENTIAL, Long.MAX_VALUE));
      byte[] piece = new byte[BLOCK];
      readFully(cursor, piece, BLOCK);
      FaultProxy proxy = cluster.nodes.get(0).proxy;
      proxy.stall(true);
      FutureTask<Integer> second = new FutureTask<>(() -> readFully(cursor, piece, BLOCK));
      new Thread(second).start();
      awaitThat(() -> budget.used() >= 2L * BLOCK);
      proxy.cut();
      proxy.stall(false);
      assertEquals(BLOCK, second.get());
      budget.share().take(1 << 20);

      int start = 2 * BLOCK + CHUNK;
      cursor.seek(start);
      int read = cursor.read(piece, 0, BLOCK);

      assertTrue(read > 0, () -> "read=" + read);
      assertArrayEquals(
          Arrays.copyOfRange(content, start, start + read), Arrays.copyOf(piece, read));
      assertTrue(io.counters().get(IoCounter.READS_CUT_SHORT) > 0);
    }
  }

  private static int readFully(ReadCursor cursor, byte[] target, int length) throws IOException {
    int done = 0;
    while (done < length) {
      done += cursor.read(target, done, length - done);
    }
    return done;
  }

  /** That is forty windows of 16 MiB, and the network's own buffers. */
  @Test
  @Timeout(120)
  void shouldHoldFortyWritersOnAStalledNodeIn256MiB() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:MaxDirectMemorySize=256m",
                "-cp",
                System.getProperty("java.class.path"),
                StalledWriters.class.getName())
            .redirectErrorStream(true)
            .start();
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      List<String> lines = output.lines().toList();
      assertTrue(process.waitFor(10, TimeUnit.SECONDS));
      assertEquals(0, process.exitValue(), lines::toString);
      assertTrue(lines.contains("held up: writers=40"), lines::toString);
      assertTrue(lines.contains("complete: writers=40"), lines::toString);
    } finally {
      process.destroyForcibly();
    }
  }
}
