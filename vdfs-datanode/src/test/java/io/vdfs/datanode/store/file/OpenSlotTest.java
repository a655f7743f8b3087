package io.vdfs.datanode.store.file;

import static io.vdfs.datanode.store.StoreFixture.BLOCK;
import static io.vdfs.datanode.store.StoreFixture.CHUNK;
import static io.vdfs.datanode.store.StoreFixture.KEY;
import static io.vdfs.datanode.store.StoreFixture.assertCode;
import static io.vdfs.datanode.store.StoreFixture.content;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.StoreFixture;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.ThreadingMode;
import io.vdfs.datanode.store.volume.Volume;
import io.vdfs.datanode.store.volume.VolumeDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OpenSlotTest {
  private final SimulatedDisk disk = new SimulatedDisk();
  private final byte[] bytes = content(1, 2 * BLOCK);
  private OpenSlot slot;

  @BeforeEach
  void makeSlot() throws IOException {
    StoreContext context =
        new StoreContext(StoreFixture.config(StoreFixture.ONE_VOLUME), disk, ThreadingMode.CALLER);
    VolumeDirectory directory =
        new VolumeDirectory(StoreFixture.ONE_VOLUME.get(0), new UUID(5, 6), true, () -> {});
    CombinedFile part =
        new CombinedFile(context, new Volume(0, directory, context), KEY, BlockRole.PRIMARY, 0);
    part.files().create();
    slot = part.newSlot(0, 1, 0);
  }

  private void extend(int from, int length) throws VdfsException {
    ByteBuffer data = ByteBuffer.wrap(bytes, from, length);
    slot.extend(from, data, ChunkChecksums.compute(data, CHUNK));
  }

  @Test
  void shouldRefuseBytesThatDoNotBeginWhereThoseItHasEnd() throws VdfsException {
    extend(0, CHUNK);
    int operations = disk.operations();

    assertCode(ErrorCode.INTERNAL, () -> extend(2 * CHUNK, CHUNK));
    assertCode(ErrorCode.INTERNAL, () -> extend(0, CHUNK));

    assertEquals(operations, disk.operations());
    assertEquals(CHUNK, slot.length());
  }

  @Test
  void shouldRefuseBytesBeyondItsEnd() throws VdfsException {
    extend(0, BLOCK - CHUNK);
    int operations = disk.operations();

    assertCode(ErrorCode.INTERNAL, () -> extend(BLOCK - CHUNK, CHUNK + 1));

    assertEquals(operations, disk.operations());
    extend(BLOCK - CHUNK, CHUNK);
    assertEquals(BLOCK, slot.length());
  }
}
