package io.vdfs.datanode.store;

import static io.vdfs.datanode.Await.awaitThat;
import static io.vdfs.datanode.store.StoreFixture.CHUNK;
import static io.vdfs.datanode.store.StoreFixture.KEY;
import static io.vdfs.datanode.store.StoreFixture.ONE_VOLUME;
import static io.vdfs.datanode.store.StoreFixture.append;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.index.HeapBlockIndex;
import io.vdfs.datanode.store.load.StoreOpener;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.status.StoreCounters;
import io.vdfs.datanode.store.turns.TurnGate;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.ThreadingMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A writer that is faster than its volume is forced beside a reader. */
@Timeout(120)
class HeldBackWriterTest {
  private static final int LARGE = 8 << 20;
  private static final int WRITE_BACK = 4 * LARGE;
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(LARGE, 9, CHUNK, 12);

  /** So long that nothing goes because its patience ends. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final StoreCounters counters;
  private final DiskBlockStore store;
  private final byte[] file = new byte[9 * LARGE];

  HeldBackWriterTest() throws VdfsException {
    StoreConfig config =
        new StoreConfig(
                StoreFixture.CLUSTER,
                StoreFixture.NODE,
                GEOMETRY,
                ONE_VOLUME,
                Path.of("/index"),
                0,
                WRITE_BACK,
                1)
            .withWritePatience(PATIENCE);
    StoreContext context = new StoreContext(config, new SimulatedDisk(), ThreadingMode.OWN_THREADS);
    counters = context.counters();
    store = StoreOpener.open(context, (directory, blocks) -> new HeapBlockIndex());
  }

  @Test
  void shouldBeToldLateOfWhatIsTooMuchAndGoOnWhenTheReaderIsDone() throws Exception {
    TurnGate gate = store.turnGate(0);
    BlockWriter writer = StoreFixture.writer(store, KEY, 0, 1, 0);
    gate.onReading();
    append(writer, file, 0, LARGE);
    awaitThat(gate::hasWriteBackWaiting);
    assertTrue(writer.room().isDone(), "a quarter of what is forced ahead waits, no more");
    append(writer, file, LARGE, 7 * LARGE);
    assertTrue(writer.room().isDone());
    append(writer, file, 7 * LARGE, 8 * LARGE);
    CompletableFuture<Void> room = writer.room();
    assertFalse(room.isDone());
    assertEquals(1, counters.get(StoreCounter.WRITES_HELD_BACK));

    gate.onIdle();
    room.get(20, TimeUnit.SECONDS);
    awaitThat(() -> counters.get(StoreCounter.FORCED_BYTES) >= 8 * LARGE);
    gate.onReading();
    assertTrue(writer.room().isDone());
    gate.onIdle();
    writer.abandon();
    store.close();
  }

  @Test
  void shouldForceNothingAheadSoonerWhereNothingIsRead() throws Exception {
    BlockWriter writer = StoreFixture.writer(store, KEY, 0, 1, 0);
    append(writer, file, 0, 3 * LARGE);
    assertTrue(writer.room().isDone());
    writer.sync();
    assertEquals(0, counters.get(StoreCounter.BACKGROUND_FORCES));
    append(writer, file, 3 * LARGE, 8 * LARGE);
    awaitThat(() -> counters.get(StoreCounter.BACKGROUND_FORCES) == 1);
    writer.abandon();
    store.close();
  }
}
