package io.vdfs.datanode.store;

import static io.vdfs.datanode.store.StoreFixture.CHUNK;
import static io.vdfs.datanode.store.StoreFixture.KEY;
import static io.vdfs.datanode.store.StoreFixture.ONE_VOLUME;
import static io.vdfs.datanode.store.StoreFixture.append;
import static io.vdfs.datanode.store.StoreFixture.assertCode;
import static io.vdfs.datanode.store.StoreFixture.content;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.ForwardingDisk;
import io.vdfs.datanode.store.disk.ForwardingFile;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.index.HeapBlockIndex;
import io.vdfs.datanode.store.load.StoreOpener;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.ThreadingMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Blocks that are read back in several windows. */
@Timeout(120)
class LargeBlockTest {
  private static final int WINDOW = 256 << 10;
  private static final int LARGE = 8 << 20;
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(LARGE, 2, CHUNK, 12);

  /** In the second block, some chunks into its third window. */
  private static final int DAMAGED = 2 * WINDOW + 5 * CHUNK;

  private final SimulatedDisk disk = new SimulatedDisk();
  private final AtomicInteger opened = new AtomicInteger();
  private final AtomicInteger largestRead = new AtomicInteger();
  private final byte[] file = content(1, 2 * LARGE);
  private DiskBlockStore store;

  @BeforeEach
  void writeFile() throws VdfsException {
    StoreConfig config =
        new StoreConfig(
            StoreFixture.CLUSTER,
            StoreFixture.NODE,
            GEOMETRY,
            ONE_VOLUME,
            Path.of("/index"),
            0,
            Long.MAX_VALUE,
            1);
    store =
        StoreOpener.open(
            new StoreContext(config, watched(disk), ThreadingMode.CALLER),
            (directory, blocks) -> new HeapBlockIndex());
    write(KEY, file);
    largestRead.set(0);
  }

  private Disk watched(Disk watched) {
    return new ForwardingDisk(watched) {
      @Override
      public DiskFile open(Path path) throws IOException {
        opened.incrementAndGet();
        return new ForwardingFile(super.open(path)) {
          @Override
          public int read(ByteBuffer target, long position) throws IOException {
            largestRead.accumulateAndGet(target.remaining(), Math::max);
            return super.read(target, position);
          }
        };
      }
    };
  }

  private void write(FileKey key, byte[] bytes) throws VdfsException {
    BlockWriter writer = StoreFixture.writer(store, key, 0, 1, 0);
    append(writer, bytes, 0, bytes.length);
    writer.close(true);
  }

  @AfterEach
  void stop() throws VdfsException {
    store.close();
  }

  private void assertHeld(int length) throws VdfsException {
    assertEquals(length, store.group(KEY, 0).length());
    byte[] second = Arrays.copyOfRange(file, LARGE, length);
    assertArrayEquals(second, StoreFixture.read(store, KEY, 1, 0, second.length));
  }

  @Test
  void shouldReadBackInWindows() throws VdfsException {
    assertEquals(2L * LARGE, StoreFixture.verified(store, KEY, 0, 2));

    assertEquals(WINDOW, largestRead.get());
  }

  @Test
  void shouldTruncateInWindows() throws VdfsException {
    int length = LARGE + 5 * WINDOW + 100;

    store.truncateGroup(KEY, 0, length, 2);

    assertEquals(WINDOW, largestRead.get());
    assertHeld(length);
    store.truncateGroup(KEY, 0, LARGE + 2L * WINDOW, 3);
    assertHeld(LARGE + 2 * WINDOW);
    assertEquals(LARGE + 2L * WINDOW, StoreFixture.verified(store, KEY, 0, 4));
  }

  private void damage() {
    long position = store.locate(KEY, 1).orElseThrow().position();
    disk.flip(StoreFixture.file(disk, ".vcf"), (position + DAMAGED + 17) * 8);
  }

  @Test
  void shouldReadBackUpToADamagedChunkOfALaterWindow() throws VdfsException {
    damage();

    assertEquals((long) LARGE + DAMAGED, StoreFixture.verified(store, KEY, 0, 2));

    assertEquals(1, store.counters().get(StoreCounter.CORRUPT_CHUNKS));
  }

  @Test
  void shouldTruncateBeforeADamagedChunkButNotBehindIt() throws VdfsException {
    damage();
    long before = disk.bytes(StoreFixture.file(disk, ".vcf")).length;

    VdfsException refused =
        assertCode(
            ErrorCode.CORRUPT, () -> store.truncateGroup(KEY, 0, LARGE + DAMAGED + CHUNK + 1L, 2));

    assertTrue(refused.getMessage().contains("chunk=" + DAMAGED / CHUNK), refused.getMessage());
    assertEquals(before, disk.bytes(StoreFixture.file(disk, ".vcf")).length, "nothing was copied");
    store.truncateGroup(KEY, 0, (long) LARGE + DAMAGED, 2);
    assertHeld(LARGE + DAMAGED);
  }

  @Test
  void shouldKeepNothingOpenOfACopyThatDidNotGetThrough() throws VdfsException {
    int length = LARGE + 4 * WINDOW;
    // the fence and its force, the first window, and here the second
    disk.planNext(3, SimulatedDisk.Fault.FULL);
    assertCode(ErrorCode.NO_SPACE, () -> store.truncateGroup(KEY, 0, length, 2));
    assertHeld(2 * LARGE);

    store.truncateGroup(KEY, 0, length, 2);

    assertHeld(length);
    // one file may stay open while it is not in use: the last one, if the first is not in use
    FileKey other = new FileKey(78, 1);
    write(other, content(2, CHUNK));
    opened.set(0);
    assertEquals(CHUNK, StoreFixture.read(store, other, 0, 0, CHUNK).length);
    assertEquals(0, opened.get());
  }
}
