package io.vdfs.datanode.store;

import static io.vdfs.datanode.store.StoreFixture.BLOCK;
import static io.vdfs.datanode.store.StoreFixture.CHUNK;
import static io.vdfs.datanode.store.StoreFixture.GROUP;
import static io.vdfs.datanode.store.StoreFixture.KEY;
import static io.vdfs.datanode.store.StoreFixture.append;
import static io.vdfs.datanode.store.StoreFixture.content;
import static io.vdfs.datanode.store.StoreFixture.readGroup;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.store.load.StoreOpener;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.status.StoreReport;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The store as the daemon opens it: on real directories, with its threads and off-heap index. */
@Timeout(240)
class LocalDiskBlockStoreTest {
  @TempDir private Path directory;

  private StoreConfig config() {
    return new StoreConfig(
        StoreFixture.CLUSTER,
        StoreFixture.NODE,
        StoreFixture.GEOMETRY,
        List.of(directory.resolve("0"), directory.resolve("1")),
        directory.resolve("index"),
        0,
        2L * BLOCK,
        4);
  }

  @Test
  void shouldKeepManyFilesOverARestart() throws VdfsException {
    try (BlockStore store = StoreOpener.open(config())) {
      assertEquals(config().volumes(), store.report().freshVolumes());
      for (int id = 1; id <= 40; id++) {
        for (int group = 0; group < 3; group++) {
          StoreFixture.write(store, new FileKey(id, 1), group, content(id, 3 * GROUP), 1);
        }
      }
      assertTrue(store.counters().get(StoreCounter.OPEN_FILES) <= 8);
    }
    try (BlockStore store = StoreOpener.open(config())) {
      assertEquals(
          new StoreReport(List.of(), List.of(), Map.of(), 80, 40 * 3 * 4, 0, 0, List.of()),
          store.report());
      for (int id = 1; id <= 40; id++) {
        byte[] file = content(id, 3 * GROUP);
        for (int group = 0; group < 3; group++) {
          assertArrayEquals(
              Arrays.copyOfRange(file, group * GROUP, (group + 1) * GROUP),
              readGroup(store, new FileKey(id, 1), group));
        }
      }
      assertTrue(store.delete(new FileKey(7, 1)));
    }
    try (BlockStore store = StoreOpener.open(config())) {
      assertEquals(78, store.report().files());
    }
  }

  @Test
  void shouldLetReadersSeeEachPartialChunkWithItsChecksum() throws Exception {
    byte[] file = content(5, GROUP);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    AtomicBoolean done = new AtomicBoolean();
    try (BlockStore store = StoreOpener.open(config())) {
      BlockWriter writer = StoreFixture.writer(store, KEY, 0, 1, 0);
      append(writer, file, 0, 1);
      Future<Integer> readers = threads.submit(() -> readUntil(done, store, file));
      Future<Integer> openers = threads.submit(() -> openUntil(done, store, file));
      int before = 1;
      for (int end = 2; end <= GROUP; end += 3) {
        append(writer, file, before / CHUNK * CHUNK, end);
        before = end;
        if (end % 5 == 0) {
          writer.checkpoint();
        }
        if (end % 700 == 0) {
          writer.sync();
        }
      }
      done.set(true);
      assertTrue(get(readers) > 10, "reads");
      assertTrue(get(openers) > 10, "reads past the store");
      writer.close(true);
    } finally {
      done.set(true);
      threads.shutdownNow();
    }
  }

  private static int get(Future<Integer> future)
      throws InterruptedException, ExecutionException, TimeoutException {
    return future.get(60, TimeUnit.SECONDS);
  }

  /** Reads as a remote reader does, to which the store sends bytes and checksums. */
  private static int readUntil(AtomicBoolean done, BlockStore store, byte[] file)
      throws VdfsException {
    int reads = 0;
    long seen = 0;
    while (!done.get()) {
      byte[] held = readGroup(store, KEY, 0);
      assertArrayEquals(Arrays.copyOf(file, held.length), held);
      assertTrue(held.length >= seen, "length went back from " + seen + " to " + held.length);
      seen = held.length;
      reads++;
    }
    return reads;
  }

  /** Reads as a local reader does, which gets a place and checksums. */
  private static int openUntil(AtomicBoolean done, BlockStore store, byte[] file)
      throws IOException {
    int reads = 0;
    while (!done.get()) {
      BlockLocation place = store.locate(KEY, 0).orElseThrow();
      ByteBuffer bytes = ByteBuffer.allocate(place.length());
      try (FileChannel channel = new RandomAccessFile(place.path().toFile(), "r").getChannel()) {
        while (bytes.hasRemaining()) {
          assertTrue(channel.read(bytes, place.position() + bytes.position()) > 0);
        }
      }
      assertEquals(-1, place.checksums().firstMismatch(bytes.flip(), CHUNK));
      assertArrayEquals(Arrays.copyOf(file, place.length()), bytes.array());
      assertEquals(place.checksums(), ChunkChecksums.compute(bytes, CHUNK));
      reads++;
    }
    return reads;
  }

  @Test
  void shouldServeManyWritersAndReadersAtOnce() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (BlockStore store = StoreOpener.open(config())) {
      List<Future<Integer>> futures =
          List.of(
              threads.submit(() -> writeAndRead(store, 1)),
              threads.submit(() -> writeAndRead(store, 2)),
              threads.submit(() -> writeAndRead(store, 3)),
              threads.submit(() -> writeAndRead(store, 4)));
      for (Future<Integer> future : futures) {
        assertEquals(20, get(future));
      }
      assertTrue(store.counters().get(StoreCounter.BACKGROUND_FORCES) > 0);
    } finally {
      threads.shutdownNow();
    }
  }

  /** All writers write groups of the same file. */
  private static int writeAndRead(BlockStore store, int first) throws VdfsException {
    byte[] bytes = content(first, GROUP);
    int written = 0;
    for (int group = first; group < 20 * 4 + first; group += 4) {
      BlockWriter writer = StoreFixture.writer(store, KEY, group, 1, (long) group * GROUP);
      for (int from = 0; from < GROUP; from += 3 * CHUNK) {
        int to = Math.min(GROUP, from + 3 * CHUNK);
        ByteBuffer data = ByteBuffer.wrap(bytes, from, to - from);
        writer.append((long) group * GROUP + from, VerifiedChunks.compute(data, CHUNK));
      }
      writer.close(group % 2 == 0);
      assertArrayEquals(bytes, readGroup(store, KEY, group));
      written++;
    }
    return written;
  }
}
