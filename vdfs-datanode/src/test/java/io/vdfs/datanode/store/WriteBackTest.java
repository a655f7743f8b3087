package io.vdfs.datanode.store;

import static io.vdfs.datanode.Await.awaitThat;
import static io.vdfs.datanode.store.StoreFixture.BLOCK;
import static io.vdfs.datanode.store.StoreFixture.ONE_VOLUME;
import static io.vdfs.datanode.store.StoreFixture.append;
import static io.vdfs.datanode.store.StoreFixture.assertCode;
import static io.vdfs.datanode.store.StoreFixture.content;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.ForwardingDisk;
import io.vdfs.datanode.store.disk.ForwardingFile;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.index.HeapBlockIndex;
import io.vdfs.datanode.store.load.StoreOpener;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.ThreadingMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The background thread of a volume. */
@Timeout(120)
class WriteBackTest {
  private static final byte[] BYTES = content(1, BLOCK);

  private final SimulatedDisk disk = new SimulatedDisk();
  private final Queue<Throwable> faults = new ConcurrentLinkedQueue<>();

  /** A disk with a defect: its forces fail as no disk's should, once for each of the faults. */
  private DiskBlockStore start() throws VdfsException {
    ForwardingDisk defective =
        new ForwardingDisk(disk) {
          @Override
          public DiskFile open(Path opened) throws IOException {
            return new ForwardingFile(super.open(opened)) {
              @Override
              public void force() throws IOException {
                failIfDue();
                super.force();
              }
            };
          }
        };
    return StoreOpener.open(
        new StoreContext(StoreFixture.config(ONE_VOLUME), defective, ThreadingMode.OWN_THREADS),
        (directory, blocks) -> new HeapBlockIndex());
  }

  private void failIfDue() {
    Throwable fault = faults.poll();
    if (fault instanceof Error error) {
      throw error;
    } else if (fault instanceof RuntimeException defect) {
      throw defect;
    }
  }

  private static BlockWriter write(BlockStore store, FileKey key) throws VdfsException {
    BlockWriter writer = StoreFixture.writer(store, key, 0, 1, 0);
    append(writer, BYTES, 0, BLOCK);
    return writer;
  }

  private long indexWrites(FileKey key) {
    String file = "/" + key.fileId() + "." + key.generation() + ".p.idx at ";
    return disk.trace().stream().filter(line -> line.contains(file)).count();
  }

  @Test
  void shouldGoOnAfterWhatNoDiskShouldThrow() throws VdfsException {
    FileKey first = new FileKey(1, 1);
    FileKey second = new FileKey(2, 1);
    FileKey third = new FileKey(3, 1);
    try (DiskBlockStore store = start()) {
      BlockWriter firstWriter = write(store, first);
      BlockWriter secondWriter = write(store, second);
      BlockWriter thirdWriter = write(store, third);
      faults.add(new IllegalStateException("planned defect"));
      firstWriter.abandon();
      awaitThat(faults::isEmpty);
      faults.add(new AssertionError("planned defect"));
      secondWriter.abandon();
      awaitThat(faults::isEmpty);
      long written = indexWrites(third);

      thirdWriter.abandon();

      awaitThat(() -> indexWrites(third) > written);
      assertCode(ErrorCode.IO_ERROR, () -> StoreFixture.writer(store, first, 0, 2, BLOCK));
      assertCode(ErrorCode.IO_ERROR, () -> StoreFixture.writer(store, second, 0, 2, BLOCK));
      disk.cutPower(new Random(1));
    }
    try (DiskBlockStore store = start()) {
      assertArrayEquals(BYTES, StoreFixture.read(store, third, 0, 0, BLOCK));
      assertEquals(BLOCK, store.group(third, 0).length());
    }
  }
}
