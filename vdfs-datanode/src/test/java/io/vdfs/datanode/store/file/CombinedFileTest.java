package io.vdfs.datanode.store.file;

import static io.vdfs.datanode.store.StoreFixture.BLOCK;
import static io.vdfs.datanode.store.StoreFixture.CHUNK;
import static io.vdfs.datanode.store.StoreFixture.KEY;
import static io.vdfs.datanode.store.StoreFixture.TWO_VOLUMES;
import static io.vdfs.datanode.store.StoreFixture.assertCode;
import static io.vdfs.datanode.store.StoreFixture.content;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.StoreFixture;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.index.BlockEntry;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.ThreadingMode;
import io.vdfs.datanode.store.volume.Volume;
import io.vdfs.datanode.store.volume.VolumeDirectory;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class CombinedFileTest {
  private static final byte[] BYTES = content(1, 2 * BLOCK);

  private final SimulatedDisk disk = new SimulatedDisk();
  private final StoreContext context =
      new StoreContext(StoreFixture.config(TWO_VOLUMES), disk, ThreadingMode.CALLER);

  private CombinedFile create(int volume, BlockRole role) throws VdfsException {
    VolumeDirectory directory =
        new VolumeDirectory(TWO_VOLUMES.get(volume), new UUID(5, volume), true, () -> {});
    CombinedFile made =
        new CombinedFile(context, new Volume(volume, directory, context), KEY, role, 0);
    made.files().create();
    return made;
  }

  /** A slot that no writer writes any more. */
  private static OpenSlot fill(CombinedFile combined, int block) throws VdfsException {
    OpenSlot slot = combined.newSlot(block, 1, 0);
    ByteBuffer data = ByteBuffer.wrap(BYTES, block * BLOCK, CHUNK);
    slot.extend(0, data, ChunkChecksums.compute(data, CHUNK));
    slot.finish();
    return slot;
  }

  private void assertRefused(CombinedFile by, long block, BlockEntry entry) {
    int operations = disk.operations();
    VdfsException refused = assertCode(ErrorCode.INTERNAL, () -> by.reopen(block, entry, 2));
    String said = refused.getMessage();
    assertTrue(said.contains(", block=" + block + ", slot=" + entry.slot()), said);
    assertTrue(said.contains(", volume=" + entry.volume() + ", "), said);
    assertTrue(said.contains(", role=" + entry.role() + ", "), said);
    assertEquals(operations, disk.operations());
  }

  @Test
  void shouldGoOnOnlyWithBlocksThatLieInIt() throws VdfsException {
    CombinedFile here = create(0, BlockRole.PRIMARY);
    OpenSlot own = fill(here, 0);
    BlockEntry before = own.entry();
    BlockEntry ofVolume = fill(create(1, BlockRole.PRIMARY), 0).entry();
    BlockEntry ofRole = fill(create(0, BlockRole.REPLICA), 0).entry();

    assertRefused(here, 0, ofVolume);
    assertRefused(here, 0, ofRole);
    assertRefused(here, 1, before);

    assertEquals(before, own.entry());
    assertTrue(own.isFinished());
    here.reopen(0, before, 2);
    assertFalse(own.isFinished());
  }
}
