package io.vdfs.datanode.store.load;

import static io.vdfs.datanode.store.StoreFixture.BLOCK;
import static io.vdfs.datanode.store.StoreFixture.KEY;
import static io.vdfs.datanode.store.StoreFixture.ONE_VOLUME;
import static io.vdfs.datanode.store.StoreFixture.append;
import static io.vdfs.datanode.store.StoreFixture.assertCode;
import static io.vdfs.datanode.store.StoreFixture.content;
import static io.vdfs.datanode.store.StoreFixture.readGroup;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.StoreFixture;
import io.vdfs.datanode.store.disk.PackedDisk;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.index.HeapBlockIndex;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.ThreadingMode;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Starts on a disk that is full to the last byte. */
@Timeout(60)
class CombinedFileLoaderTest {
  private final SimulatedDisk simulated = new SimulatedDisk();
  private final PackedDisk disk = new PackedDisk(simulated);
  private final byte[] file = content(1, BLOCK + 700);
  private DiskBlockStore store;
  private Path index;

  @BeforeEach
  void writeFile() throws VdfsException {
    start();
    StoreFixture.write(store, KEY, 0, file, 3);
    store.fence(KEY, 0, 4);
    index = StoreFixture.file(simulated, ".idx");
  }

  @AfterEach
  void close() throws VdfsException {
    store.close();
  }

  private void start() throws VdfsException {
    store =
        StoreOpener.open(
            new StoreContext(StoreFixture.config(ONE_VOLUME), disk, ThreadingMode.CALLER),
            (directory, blocks) -> new HeapBlockIndex());
  }

  private void kill() throws VdfsException {
    simulated.kill();
    store.close();
  }

  private void assertServedWithoutRoom() throws VdfsException {
    assertArrayEquals(file, readGroup(store, KEY, 0));
    assertCode(ErrorCode.NO_SPACE, () -> store.fence(KEY, 0, 7));
    assertFalse(store.usage().get(0).suspect().isPresent());
    assertArrayEquals(file, readGroup(store, KEY, 0));
  }

  private void assertGoesOnWithRoom() throws VdfsException {
    disk.giveRoom();
    store.fence(KEY, 0, 8);
    simulated.cutPower(new Random(1));
    store.close();
    start();
    assertEquals(0, store.report().rebuiltIndexes());
    assertArrayEquals(file, readGroup(store, KEY, 0));
    assertEquals(8, store.group(KEY, 0).fenceEpoch());
  }

  @Test
  void shouldServeAFileWhoseIndexThereIsNoRoomToMakeAnew() throws VdfsException {
    kill();
    simulated.setBytes(index, new byte[0]);
    disk.fillUp();

    start();

    assertEquals(1, store.report().rebuiltIndexes());
    assertServedWithoutRoom();
    assertGoesOnWithRoom();
  }

  @Test
  void shouldServeAFileWithoutAnIndexWhereThereIsNoRoomForOne() throws Exception {
    kill();
    simulated.delete(index);
    disk.fillUp();

    start();

    assertServedWithoutRoom();
    assertGoesOnWithRoom();
  }

  @Test
  void shouldServeABlockForWhoseRecordThereIsNoRoom() throws VdfsException {
    BlockWriter writer = StoreFixture.writer(store, KEY, 0, 5, BLOCK + 512);
    byte[] longer = content(1, BLOCK + 900);
    System.arraycopy(file, 0, longer, 0, file.length);
    append(writer, longer, BLOCK + 512, longer.length);
    writer.checkpoint();
    kill();
    disk.fillUp();

    start();

    assertEquals(1, store.report().recoveredBlocks());
    assertArrayEquals(longer, readGroup(store, KEY, 0));
    disk.giveRoom();
    kill();
    start();
    assertEquals(1, store.report().recoveredBlocks());
    assertArrayEquals(longer, readGroup(store, KEY, 0));
  }
}
