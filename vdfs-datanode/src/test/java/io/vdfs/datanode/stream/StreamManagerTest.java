package io.vdfs.datanode.stream;

import static io.vdfs.datanode.Await.awaitThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.BlockBuffers;
import io.vdfs.datanode.store.BlockLocation;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.load.StoreOpener;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class StreamManagerTest {
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(1 << 20, 4, 64 << 10, 12);
  private static final FileKey KEY = new FileKey(7, 1);
  private static final int BLOCKS = 6;
  private static final int READ_SIZE = 64 << 10;
  private static final int LENGTH = (BLOCKS - 1) * (1 << 20) + 1000;

  @TempDir private Path directory;
  private DiskBlockStore disks;

  @BeforeEach
  void open() throws VdfsException {
    disks =
        StoreOpener.open(
            StoreConfig.of(
                UUID.randomUUID(),
                NodeId.random(),
                GEOMETRY,
                List.of(directory.resolve("0"), directory.resolve("1")),
                directory.resolve("index")));
    byte[] bytes = new byte[LENGTH];
    new Random(1).nextBytes(bytes);
    for (int group = 0; group * GEOMETRY.groupSize() < LENGTH; group++) {
      int start = (int) (group * GEOMETRY.groupSize());
      BlockWriter writer = disks.openWriter(KEY, BlockRole.PRIMARY, 1, start, group);
      int length = (int) Math.min(GEOMETRY.groupSize(), LENGTH - start);
      ByteBuffer data = ByteBuffer.wrap(bytes, start, length);
      writer.append(start, VerifiedChunks.compute(data, GEOMETRY.chunkSize()));
      writer.close(true);
    }
  }

  @AfterEach
  void close() throws VdfsException {
    disks.close();
  }

  private StreamManager start(BlockStore store) {
    return StreamManager.start(store, 2, StreamSettings.DEFAULT);
  }

  private static void await(CompletableFuture<Void> warm) throws Exception {
    warm.get(20, TimeUnit.SECONDS);
  }

  /** The first so many blocks, each as a whole. */
  private static CompletableFuture<Void> warmAll(StreamManager streams, int blocks) {
    return CompletableFuture.allOf(
        IntStream.range(0, blocks)
            .mapToObj(block -> streams.warm(KEY, block, 0, GEOMETRY.blockSize()))
            .toArray(CompletableFuture[]::new));
  }

  private static ErrorCode failure(CompletableFuture<Void> warm) {
    ExecutionException failed =
        assertThrows(ExecutionException.class, () -> warm.get(20, TimeUnit.SECONDS));
    return ((VdfsException) failed.getCause()).code();
  }

  @Test
  void shouldWarmBlocksOfSeveralVolumesFromTheDisk() throws Exception {
    ForwardingStore cold = new ForwardingStore(disks);
    try (StreamManager streams = start(cold)) {
      await(warmAll(streams, BLOCKS));
      assertEquals(BLOCKS, streams.counters().get(StreamManagerCounter.REQUESTS));
      assertEquals(LENGTH, streams.counters().get(StreamManagerCounter.REQUEST_BYTES));
      assertTrue(streams.counters().get(StreamManagerCounter.DISK_BYTES) >= LENGTH);
      assertEquals(0, streams.counters().get(StreamManagerCounter.WAITING));
      for (int block = 0; block < BLOCKS; block++) {
        BlockLocation place = disks.locate(KEY, block).orElseThrow();
        assertTrue(cold.covered(place), "not read: block=" + block);
      }
    }
  }

  @Test
  void shouldHaveOneBufferForEachVolumeAsLongAsItIsRead() throws Exception {
    List<ByteBuf> taken = new ArrayList<>();
    BlockBuffers buffers =
        bytes -> {
          taken.add(Unpooled.directBuffer(bytes, bytes));
          return Optional.of(taken.get(taken.size() - 1));
        };
    StreamSettings settings = StreamSettings.DEFAULT;
    ForwardingStore cold = new ForwardingStore(disks);
    try (StreamManager streams = StreamManager.start(cold, 2, settings, buffers, told -> {})) {
      await(warmAll(streams, BLOCKS));
      assertEquals(
          List.of(settings.readSize(), settings.readSize()),
          taken.stream().map(ByteBuf::capacity).toList());
      assertEquals(List.of(1, 1), taken.stream().map(ByteBuf::refCnt).toList());
    }
    assertEquals(List.of(0, 0), taken.stream().map(ByteBuf::refCnt).toList());
  }

  @Test
  void shouldReadWhatIsGrantedBeforeItsTaskAsks() throws Exception {
    ForwardingStore cold = new ForwardingStore(disks);
    try (StreamManager streams = start(cold)) {
      streams.onGranted(KEY, 1);
      streams.onGranted(new FileKey(8, 1), 0);
      BlockLocation place = disks.locate(KEY, 1).orElseThrow();
      awaitThat(() -> cold.covered(place));
      assertEquals(0, streams.counters().get(StreamManagerCounter.REQUESTS), "nobody asked");
      assertFalse(cold.covered(disks.locate(KEY, 5).orElseThrow()), "no more than that");
    }
  }

  @Test
  void shouldReadNothingThatIsOnlyGrantedWhereNothingIsReadAhead() throws Exception {
    ForwardingStore cold = new ForwardingStore(disks);
    StreamSettings arrival =
        StreamSettings.of(StreamSettings.ReadOrder.ARRIVAL, 1 << 20, Duration.ofSeconds(3));
    try (StreamManager streams = StreamManager.start(cold, 2, arrival)) {
      streams.onGranted(KEY, 1);
      await(streams.warm(KEY, 0, 0, 1 << 20));
      assertFalse(cold.covered(disks.locate(KEY, 1).orElseThrow()));
    }
  }

  @Test
  void shouldLeaveTheDiskAloneForWhatIsInMemory() throws Exception {
    try (StreamManager streams = start(disks)) {
      await(warmAll(streams, BLOCKS));
      long before = streams.counters().get(StreamManagerCounter.DISK_READS);
      CompletableFuture<Void> again = streams.warm(KEY, 1, 5, 1 << 19);
      assertTrue(again.isDone());
      assertEquals(before, streams.counters().get(StreamManagerCounter.DISK_READS));
      assertTrue(streams.counters().get(StreamManagerCounter.MEMORY_HITS) >= 1);
    }
  }

  @Test
  void shouldTakeAheadOfReadersOnlyWhatIsInMemoryAsAWhole() {
    ForwardingStore store = new ForwardingStore(disks);
    try (StreamManager streams = start(store)) {
      assertFalse(streams.takeFromMemory(KEY, 1, 0, 1 << 20));
      store.setInMemory(true);
      assertFalse(streams.takeFromMemory(KEY, BLOCKS, 0, 1 << 20), "there is none");
      assertFalse(streams.takeFromMemory(KEY, BLOCKS - 1, 0, 1 << 20), "it is shorter");
      assertEquals(0, streams.counters().get(StreamManagerCounter.REQUESTS));

      assertTrue(streams.takeFromMemory(KEY, 1, 0, 1 << 20));

      assertEquals(1, streams.counters().get(StreamManagerCounter.REQUESTS));
      assertEquals(1, streams.counters().get(StreamManagerCounter.MEMORY_HITS));
      assertEquals(1 << 20, streams.counters().get(StreamManagerCounter.MEMORY_HIT_BYTES));
      assertEquals(0, streams.counters().get(StreamManagerCounter.DISK_READS));
    }
  }

  @Test
  void shouldTakeNothingAheadOfReadersWhileOthersWaitForTheDisk() throws Exception {
    ForwardingStore store = new ForwardingStore(disks);
    store.block();
    try (StreamManager streams = start(store)) {
      CompletableFuture<Void> waiting = warmAll(streams, BLOCKS);
      store.setInMemory(true);
      for (int block = 0; block < BLOCKS - 1; block++) {
        assertFalse(streams.takeFromMemory(KEY, block, 0, 1 << 20));
      }

      store.unblock();
      await(waiting);

      assertTrue(streams.takeFromMemory(KEY, 1, 0, 1 << 20));
    }
  }

  @Test
  void shouldReadAgainWhatTheStoreHasNoLongerInMemory() throws Exception {
    ForwardingStore forgetful = new ForwardingStore(disks);
    try (StreamManager streams = start(forgetful)) {
      await(streams.warm(KEY, 0, 0, 1 << 20));
      long before = streams.counters().get(StreamManagerCounter.DISK_BYTES);
      await(streams.warm(KEY, 0, 0, 1 << 20));
      assertTrue(streams.counters().get(StreamManagerCounter.DISK_BYTES) - before >= 1 << 20);
    }
  }

  @Test
  void shouldSayWhatTheNodeDoesNotHold() {
    try (StreamManager streams = start(disks)) {
      assertEquals(ErrorCode.NOT_FOUND, failure(streams.warm(new FileKey(8, 1), 0, 0, 1)));
      assertEquals(ErrorCode.NOT_FOUND, failure(streams.warm(KEY, BLOCKS, 0, 1)));
      assertEquals(ErrorCode.NOT_FOUND, failure(streams.warm(KEY, BLOCKS - 1, 1000, 1)));
    }
  }

  @Test
  void shouldFailReadersOfAFileThatIsDeletedMeanwhile() throws Exception {
    ForwardingStore store = new ForwardingStore(disks);
    store.block();
    try (StreamManager streams = start(store)) {
      CompletableFuture<Void> warm = warmAll(streams, 2);
      store.awaitReading();
      disks.delete(KEY);
      store.unblock();
      assertEquals(ErrorCode.NOT_FOUND, failure(warm));
      assertTrue(streams.counters().get(StreamManagerCounter.FAILED) > 0);
    }
  }

  @Test
  void shouldGoOnAfterAnUnexpectedFailure() throws Exception {
    shouldGoOnAfter(
        () -> {
          throw new IllegalStateException("planned");
        });
    shouldGoOnAfter(
        () -> {
          throw new InternalError("planned");
        });
  }

  private void shouldGoOnAfter(Runnable defect) throws Exception {
    ForwardingStore store = new ForwardingStore(disks);
    store.setDefect(defect);
    try (StreamManager streams = start(store)) {
      assertEquals(ErrorCode.INTERNAL, failure(streams.warm(KEY, 0, 0, 1 << 20)));
      assertEquals(ErrorCode.INTERNAL, failure(streams.warm(KEY, 2, 0, 1000)));
      store.setDefect(() -> {});
      await(warmAll(streams, 4));
      await(streams.warm(KEY, 2, 0, 1000));
    }
  }

  @Test
  void shouldFailAllReadsAndTellWhenADefectEndsTheReader() throws Exception {
    AtomicBoolean broken = new AtomicBoolean();
    LongSupplier clock =
        () -> {
          if (broken.get() && Thread.currentThread().getName().equals("vdfs-read-0")) {
            throw new InternalError("planned");
          }
          return System.nanoTime();
        };
    Counters<StreamManagerCounter> counters = new Counters<>(StreamManagerCounter.class);
    CompletableFuture<Throwable> told = new CompletableFuture<>();
    ForwardingStore store = new ForwardingStore(disks);
    store.block();
    Extent small = extent(0, 1000);
    try (VolumeReader reader =
        VolumeReader.start(
            0, store, StreamSettings.DEFAULT, BlockBuffers.NONE, counters, clock, told::complete)) {
      CompletableFuture<Void> inHand = reader.ask(small, Demand.By.READER);
      store.awaitReading();
      CompletableFuture<Void> waiting = reader.ask(extent(2, 1 << 20), Demand.By.READER);
      broken.set(true);
      store.unblock();

      assertEquals(ErrorCode.UNAVAILABLE, failure(inHand));
      assertEquals(ErrorCode.UNAVAILABLE, failure(waiting));
      assertEquals("planned", told.get(20, TimeUnit.SECONDS).getMessage());
      assertEquals(ErrorCode.UNAVAILABLE, failure(reader.ask(small, Demand.By.READER)));
      assertEquals(0, counters.get(StreamManagerCounter.WAITING));
    }
  }

  /** The first bytes of a block. */
  private Extent extent(long block, int length) {
    BlockLocation place = disks.locate(KEY, block).orElseThrow();
    return new Extent(place.file(), place.position(), place.position() + length);
  }

  @Test
  void shouldGiveUpWhatAReaderNoLongerWants() throws Exception {
    ForwardingStore store = new ForwardingStore(disks);
    store.block();
    try (StreamManager streams = start(store)) {
      CompletableFuture<Void> first = streams.warm(KEY, 0, 0, 1 << 20);
      store.awaitReading();
      List<CompletableFuture<Void>> others = new ArrayList<>();
      for (int block = 1; block < 4; block++) {
        others.add(streams.warm(KEY, block, 0, 1 << 20));
      }
      others.forEach(other -> assertTrue(other.cancel(false)));
      assertEquals(3, streams.counters().get(StreamManagerCounter.CANCELLED));
      assertEquals(1, streams.counters().get(StreamManagerCounter.WAITING));
      store.unblock();
      await(first);
      assertEquals(0, streams.counters().get(StreamManagerCounter.WAITING));
    }
  }

  @Test
  void shouldRefuseThoseThatWaitWhenItCloses() throws Exception {
    ForwardingStore store = new ForwardingStore(disks);
    store.block();
    StreamManager streams = start(store);
    CompletableFuture<Void> reading = streams.warm(KEY, 0, 0, 1 << 20);
    store.awaitReading();
    CompletableFuture<Void> waiting = streams.warm(KEY, 3, 0, 1 << 20);
    assertFalse(waiting.isDone());
    Thread closing = new Thread(streams::close);
    closing.start();
    assertEquals(ErrorCode.UNAVAILABLE, failure(waiting));
    store.unblock();
    closing.join(TimeUnit.SECONDS.toMillis(20));
    assertFalse(closing.isAlive());
    assertTrue(reading.isDone());
    assertEquals(ErrorCode.UNAVAILABLE, failure(streams.warm(KEY, 0, 0, 1)));
  }

  /** A thread that looked again and again whether it may read would keep a core busy. */
  @Test
  void shouldSleepWhileWhatWasReadAheadWaitsForReaders() throws Exception {
    Counters<StreamManagerCounter> counters = new Counters<>(StreamManagerCounter.class);
    AtomicLong looks = new AtomicLong();
    LongSupplier clock =
        () -> {
          if (Thread.currentThread().getName().equals("vdfs-read-0")) {
            looks.incrementAndGet();
          }
          return System.nanoTime();
        };
    int budget = 1 << 20;
    ForwardingStore cold = new ForwardingStore(disks);
    try (VolumeReader reader =
        VolumeReader.start(
            0, cold, readingAhead(budget), BlockBuffers.NONE, counters, clock, told -> {})) {
      for (int block = 0; block < 2; block++) {
        BlockLocation place = disks.locate(KEY, block).orElseThrow();
        long end = place.position() + place.length();
        await(reader.ask(new Extent(place.file(), place.position(), end), Demand.By.READER));
      }
      int full = budget - READ_SIZE;
      awaitThat(() -> counters.get(StreamManagerCounter.READ_AHEAD_UNTAKEN) > full);
      long before = looks.get();

      awaitThat(() -> counters.get(StreamManagerCounter.READ_AHEAD_WASTED) > full);

      assertTrue(before > 0, "the clock is looked at in each round");
      long rounds = looks.get() - before;
      assertTrue(rounds < 50, "looks in a second of doing nothing: " + rounds);
    }
  }

  /** So many bytes, given up when no reader has taken them for a second. */
  private static StreamSettings readingAhead(long budget) {
    StreamSettings d = StreamSettings.DEFAULT;
    return new StreamSettings(
        d.order(),
        budget,
        READ_SIZE,
        READ_SIZE,
        d.maxRun(),
        d.round(),
        d.smallRead(),
        d.smallPatience(),
        Duration.ofSeconds(1),
        d.maxWaiting());
  }
}
