package io.vdfs.datanode.stream;

import static io.vdfs.datanode.Await.awaitThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.Uninterruptibles;
import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.load.StoreOpener;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.turns.TurnGate;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A volume's reader gives forces their turn where it leaves its place, or when they are due. */
@Timeout(60)
class WriteTurnsTest {
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(64 << 10, 16, 4096, 12);
  private static final int FILE_SIZE = 8 * (64 << 10);

  @TempDir Path directory;

  private final Semaphore mayRead = new Semaphore(0);
  private final Semaphore reads = new Semaphore(0);
  private DiskBlockStore disks;
  private StreamManager streams;
  private TurnGate gate;

  @BeforeEach
  void open() throws VdfsException {
    open(Duration.ofHours(1));
  }

  private void open(Duration patience) throws VdfsException {
    mayRead.drainPermits();
    reads.drainPermits();
    StoreConfig config =
        StoreConfig.of(
            new UUID(1, 2),
            new NodeId(new UUID(3, 4)),
            GEOMETRY,
            List.of(directory.resolve("volume")),
            directory.resolve("index"));
    disks = StoreOpener.open(config.withWritePatience(patience));
    gate = disks.turnGate(0);
    ForwardingStore store = new ForwardingStore(disks);
    store.setDefect(
        () -> {
          reads.release();
          mayRead.acquireUninterruptibly();
        });
    StreamSettings usual = StreamSettings.DEFAULT;
    streams =
        StreamManager.start(
            store,
            1,
            new StreamSettings(
                usual.order(),
                0,
                64 << 10,
                64 << 10,
                usual.maxRun(),
                usual.round(),
                0,
                usual.smallPatience(),
                usual.idle(),
                usual.maxWaiting()));
  }

  @AfterEach
  void close() throws VdfsException {
    mayRead.release(1000);
    streams.close();
    disks.close();
  }

  private BlockWriter write(int id, int length) throws VdfsException {
    BlockWriter writer = disks.openWriter(new FileKey(id, 1), BlockRole.PRIMARY, 1, 0, 0);
    ByteBuffer data = ByteBuffer.allocate(length);
    writer.append(0, VerifiedChunks.compute(data, GEOMETRY.chunkSize()));
    return writer;
  }

  private Thread sync(BlockWriter writer) {
    Thread thread =
        new Thread(
            () -> {
              try {
                writer.sync();
              } catch (VdfsException e) {
                throw new AssertionError(e);
              }
            });
    thread.start();
    return thread;
  }

  private CompletableFuture<Void> warm(int id, int block) {
    return streams.warm(new FileKey(id, 1), block, 0, 64 << 10);
  }

  private void awaitRead() {
    assertTrue(Uninterruptibles.tryAcquireUninterruptibly(reads, Duration.ofSeconds(20)));
  }

  @Test
  void shouldForceAtOnceWhereNothingIsRead() throws Exception {
    write(1, FILE_SIZE).close(true);
    assertEquals(0, disks.counters().get(StoreCounter.WRITE_TURNS));
    assertEquals(0, disks.counters().get(StoreCounter.WRITES_OUT_OF_PATIENCE));
  }

  @Test
  void shouldGiveOneTurnToManyWhereTheDiskLeavesItsPlace() throws Exception {
    write(1, FILE_SIZE).close(true);
    write(2, FILE_SIZE).close(true);
    List<BlockWriter> writers = List.of(write(11, 5000), write(12, 5000), write(13, 5000));
    CompletableFuture<Void> first = warm(1, 0);
    awaitRead();
    CompletableFuture<Void> second = warm(2, 0);
    List<Thread> syncs = writers.stream().map(this::sync).toList();
    awaitThat(() -> gate.waiting() == 3);

    mayRead.release();
    first.get();
    awaitRead();

    for (Thread sync : syncs) {
      sync.join();
    }
    assertEquals(1, disks.counters().get(StoreCounter.WRITE_TURNS));
    assertEquals(3, disks.counters().get(StoreCounter.WRITES_IN_TURNS));
    mayRead.release();
    second.get();
  }

  @Test
  void shouldNotWaitForTheEndOfALongRun() throws Exception {
    close();
    open(Duration.ofSeconds(2));
    write(1, FILE_SIZE).close(true);
    BlockWriter writer = write(11, 5000);
    CompletableFuture<Void> whole = streams.warm(new FileKey(1, 1), 0, 0, 64 << 10);
    awaitRead();
    CompletableFuture<Void> next = warm(1, 1);
    Thread sync = sync(writer);
    awaitThat(gate::isDue);
    mayRead.release();
    whole.get();
    sync.join();
    assertEquals(1, disks.counters().get(StoreCounter.WRITES_IN_TURNS));
    mayRead.release(3);
    next.get();
  }

  @Test
  void shouldLetForcesGoWhenTheReaderHasNothingMoreToRead() throws Exception {
    write(1, FILE_SIZE).close(true);
    BlockWriter writer = write(11, 5000);
    CompletableFuture<Void> only = warm(1, 0);
    awaitRead();
    Thread sync = sync(writer);
    awaitThat(() -> gate.waiting() == 1);
    mayRead.release();
    only.get();
    sync.join();
    assertEquals(0, disks.counters().get(StoreCounter.WRITES_OUT_OF_PATIENCE));
  }
}
