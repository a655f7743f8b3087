package io.vdfs.datanode.store;

import static io.vdfs.datanode.store.StoreFixture.BLOCK;
import static io.vdfs.datanode.store.StoreFixture.CHUNK;
import static io.vdfs.datanode.store.StoreFixture.GROUP;
import static io.vdfs.datanode.store.StoreFixture.KEY;
import static io.vdfs.datanode.store.StoreFixture.ONE_VOLUME;
import static io.vdfs.datanode.store.StoreFixture.append;
import static io.vdfs.datanode.store.StoreFixture.assertCode;
import static io.vdfs.datanode.store.StoreFixture.content;
import static io.vdfs.datanode.store.StoreFixture.readGroup;
import static io.vdfs.datanode.store.StoreFixture.writer;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.status.StoreCounter;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class BlockWriterTest {
  private final Machine machine = new Machine(ONE_VOLUME);
  private final SimulatedDisk disk = machine.disk();
  private final byte[] file = content(1, 2 * GROUP);
  private DiskBlockStore store;

  @BeforeEach
  void openStore() throws VdfsException {
    store = machine.start();
  }

  @AfterEach
  void closeStore() throws VdfsException {
    machine.close();
  }

  private void reopen() throws VdfsException {
    machine.kill();
    store = machine.start();
  }

  private void assertHeld(byte[] expected) throws VdfsException {
    assertArrayEquals(expected, readGroup(store, KEY, 0));
  }

  @Test
  void shouldReadBackWhatWasAppendedInPacketsOfAnySize() throws VdfsException {
    for (long seed = 0; seed < 12; seed++) {
      Random random = new Random(seed);
      long epoch = seed + 1;
      BlockWriter writer = writer(store, KEY, 0, epoch, 0);
      int end = 0;
      while (end < GROUP) {
        int from = end / CHUNK * CHUNK;
        end = Math.min(GROUP, end + 1 + random.nextInt(3 * CHUNK));
        append(writer, file, from, end);
        assertEquals(end, writer.visibleLength());
        assertHeld(Arrays.copyOf(file, end));
      }
      writer.close(random.nextBoolean());
      assertHeld(Arrays.copyOf(file, GROUP));
      store.truncateGroup(KEY, 0, 0, epoch + 1);
      assertHeld(new byte[0]);
    }
  }

  @Test
  void shouldRefuseItsOwnEpochOnceTheGroupIsEnded() throws VdfsException {
    // within a block, at its end, and after all of it was flushed
    for (int end : new int[] {700, BLOCK, GROUP}) {
      for (boolean flushed : new boolean[] {false, true}) {
        try (Machine other = new Machine(ONE_VOLUME)) {
          BlockStore ended = other.start();
          BlockWriter writer = writer(ended, KEY, 0, 1, 0);
          append(writer, file, 0, end);
          if (flushed) {
            writer.checkpoint();
          }
          writer.close(true);
          assertCode(ErrorCode.FENCED, () -> writer(ended, KEY, 0, 1, 0));
          other.cutPower(end);
          BlockStore again = other.start();
          assertCode(ErrorCode.FENCED, () -> writer(again, KEY, 0, 1, 0));
          assertEquals(end, again.group(KEY, 0).length());
          writer(again, KEY, 0, 2, 0).abandon();
        }
      }
    }
  }

  @Test
  void shouldKeepAFenceThroughAPowerCutThoughTheGroupsEndIsNotForced() throws VdfsException {
    for (int seed = 0; seed < 8; seed++) {
      try (Machine other = new Machine(ONE_VOLUME)) {
        BlockStore ended = other.start();
        BlockWriter writer = writer(ended, KEY, 0, 1, 0);
        append(writer, file, 0, 700);
        writer.close(false);
        ended.fence(KEY, 0, 2);
        other.cutPower(seed);
        BlockStore again = other.start();
        assertCode(ErrorCode.FENCED, () -> writer(again, KEY, 0, 1, 0));
      }
    }
  }

  @Test
  void shouldForceTheEndOfAGroupAsOneThing() throws VdfsException {
    BlockWriter writer = writer(store, KEY, 0, 1, 0);
    append(writer, file, 0, 700);
    int before = disk.trace().size();
    writer.close(true);
    List<String> forces =
        disk.trace().subList(before, disk.trace().size()).stream()
            .filter(operation -> operation.contains("force"))
            .filter(operation -> !operation.contains("force directory"))
            .toList();
    assertEquals(1, forces.size(), forces::toString);
  }

  @Test
  void shouldSumOnlyChunksThatRepeatWhatIsHeld() throws VdfsException {
    BlockWriter writer = writer(store, KEY, 0, 1, 0);
    append(writer, file, 0, 2 * CHUNK);
    append(writer, file, 2 * CHUNK, 3 * CHUNK + 100);
    assertEquals(0, store.counters().get(StoreCounter.SUMMED_CHUNKS));

    append(writer, file, 3 * CHUNK, 5 * CHUNK);

    assertEquals(1, store.counters().get(StoreCounter.SUMMED_CHUNKS));
    assertHeld(Arrays.copyOf(file, 5 * CHUNK));
  }

  @Test
  void shouldRefusePacketsThatDoNotFit() throws VdfsException {
    BlockWriter writer = writer(store, KEY, 0, 1, 0);
    assertCode(ErrorCode.INVALID_ARGUMENT, () -> append(writer, file, 1, CHUNK));
    assertCode(ErrorCode.INVALID_ARGUMENT, () -> append(writer, file, CHUNK, 2 * CHUNK));
    assertCode(ErrorCode.INVALID_ARGUMENT, () -> append(writer, file, 0, GROUP + 1));
    assertCode(ErrorCode.INVALID_ARGUMENT, () -> append(writer, file, 0, 0));
    assertCode(
        ErrorCode.INVALID_ARGUMENT,
        () ->
            writer.append(
                0, VerifiedChunks.compute(ByteBuffer.wrap(file, 0, 2 * CHUNK), 2 * CHUNK)));
    append(writer, file, 0, CHUNK);
    assertHeld(Arrays.copyOf(file, CHUNK));
  }

  @Test
  void shouldRefuseOtherBytesForThoseOfTheSameWriter() throws VdfsException {
    BlockWriter writer = writer(store, KEY, 0, 1, 0);
    append(writer, file, 0, 700);
    append(writer, file, 0, 700);
    append(writer, file, 0, 600);
    assertEquals(700, writer.visibleLength());
    byte[] other = file.clone();
    other[600] ^= 1;
    assertCode(ErrorCode.INVALID_ARGUMENT, () -> append(writer, other, CHUNK, 650));
    assertCode(ErrorCode.INVALID_ARGUMENT, () -> append(writer, other, CHUNK, 800));
    append(writer, file, CHUNK, 800);
    assertHeld(Arrays.copyOf(file, 800));
  }

  @Test
  void shouldKeepBytesOfTheWriterBeforeUntilTheyAreSentAgain() throws VdfsException {
    BlockWriter first = writer(store, KEY, 0, 1, 0);
    append(first, file, 0, 3000);
    first.checkpoint();
    BlockWriter second = writer(store, KEY, 0, 2, 2 * CHUNK);
    assertCode(ErrorCode.FENCED, () -> append(first, file, 2560, 3100));
    assertEquals(3000, second.visibleLength());
    append(second, file, 2 * CHUNK, 1500);
    assertHeld(Arrays.copyOf(file, 3000));
    append(second, file, 1024, 5000);
    second.close(true);
    assertHeld(Arrays.copyOf(file, 5000));
    assertEquals(new GroupState(5000, 2, 3), store.group(KEY, 0));
  }

  @Test
  void shouldReplaceBytesOfTheWriterBeforeWhereOthersAreSent() throws VdfsException {
    BlockWriter first = writer(store, KEY, 0, 1, 0);
    append(first, file, 0, 5000);
    first.close(true);
    BlockLocation seen = store.locate(KEY, 1).orElseThrow();
    byte[] other = file.clone();
    Arrays.fill(other, 2600, 3300, (byte) 9);
    BlockWriter second = writer(store, KEY, 0, 2, 4 * CHUNK);
    append(second, other, 4 * CHUNK, 3300);
    second.close(true);
    assertHeld(Arrays.copyOf(other, 3300));
    assertUnchanged(seen);
    reopen();
    assertHeld(Arrays.copyOf(other, 3300));
  }

  private void assertUnchanged(BlockLocation seen) {
    byte[] bytes = disk.bytes(seen.path());
    ByteBuffer there = ByteBuffer.wrap(bytes, (int) seen.position(), seen.length());
    assertEquals(-1, seen.checksums().firstMismatch(there, CHUNK), "bytes a reader was told of");
  }

  @Test
  void shouldCutAtCloseWhatTheWriterDidNotSendAgain() throws VdfsException {
    BlockWriter first = writer(store, KEY, 0, 1, 0);
    append(first, file, 0, 3000);
    first.close(true);
    BlockWriter silent = writer(store, KEY, 0, 2, 1024);
    silent.close(true);
    assertHeld(Arrays.copyOf(file, 3000));
    BlockWriter second = writer(store, KEY, 0, 3, 1024);
    append(second, file, 1024, 1300);
    second.close(true);
    assertHeld(Arrays.copyOf(file, 1300));
  }

  @Test
  void shouldRefuseASecondWriterOfTheSameEpoch() throws VdfsException {
    BlockWriter first = writer(store, KEY, 0, 5, 0);
    assertCode(ErrorCode.LEASE_CONFLICT, () -> writer(store, KEY, 0, 5, 0));
    assertCode(ErrorCode.FENCED, () -> writer(store, KEY, 0, 4, 0));
    writer(store, KEY, 1, 5, GROUP).abandon();
    first.abandon();
    writer(store, KEY, 0, 5, 0).abandon();
  }

  @Test
  void shouldRefuseAWriterBehindTheEndOfWhatIsHeld() throws VdfsException {
    writer(store, KEY, 0, 1, 0).abandon();
    assertCode(ErrorCode.FILE_CHANGED, () -> writer(store, KEY, 0, 2, CHUNK));
    assertCode(ErrorCode.INVALID_ARGUMENT, () -> writer(store, KEY, 0, 2, 1));
    assertCode(ErrorCode.INVALID_ARGUMENT, () -> writer(store, KEY, 1, 2, 0));
  }

  @Test
  void shouldKeepCheckpointedBytesWhenTheProcessDies() throws VdfsException {
    BlockWriter writer = writer(store, KEY, 0, 1, 0);
    append(writer, file, 0, 700);
    writer.checkpoint();
    append(writer, file, 512, 900);
    writer.checkpoint();
    append(writer, file, 512, 1000);
    reopen();
    assertHeld(Arrays.copyOf(file, 900));
    assertEquals(1, store.report().recoveredBlocks());
  }

  @Test
  void shouldKeepSyncedBytesInAPowerCutWhateverCameAfter() throws VdfsException {
    for (long seed = 0; seed < 100; seed++) {
      try (Machine machine = new Machine(ONE_VOLUME)) {
        BlockWriter writer = writer(machine.start(), KEY, 0, 1, 0);
        append(writer, file, 0, 700);
        writer.sync();
        for (int end = 720; end < 900; end += 20) {
          append(writer, file, 512, end);
          writer.checkpoint();
        }
        machine.cutPower(seed);
        byte[] held = readGroup(machine.start(), KEY, 0);
        assertTrue(held.length >= 700, "seed=" + seed + ", held=" + held.length);
        assertArrayEquals(Arrays.copyOf(file, held.length), held);
      }
    }
  }

  @Test
  void shouldNeverMixOldAndNewBlocksInAPowerCut() throws VdfsException {
    byte[] other = content(2, GROUP);
    System.arraycopy(file, 0, other, 0, 1024);
    for (long seed = 0; seed < 100; seed++) {
      try (Machine machine = new Machine(ONE_VOLUME)) {
        DiskBlockStore before = machine.start();
        StoreFixture.write(before, KEY, 0, Arrays.copyOf(file, GROUP), 1);
        BlockWriter writer = writer(before, KEY, 0, 2, 1024);
        append(writer, other, 1024, 4000);
        append(writer, other, 7 * CHUNK, 7000);
        writer.checkpoint();
        machine.cutPower(seed);
        byte[] held = readGroup(machine.start(), KEY, 0);
        boolean old = Arrays.equals(held, Arrays.copyOf(file, held.length));
        boolean changed = Arrays.equals(held, Arrays.copyOf(other, held.length));
        assertTrue(held.length >= 1024 && (old || changed), "seed=" + seed + ", " + held.length);
      }
    }
  }

  @Test
  void shouldFenceAcrossRestarts() throws VdfsException {
    BlockWriter writer = writer(store, KEY, 0, 3, 0);
    append(writer, file, 0, 700);
    assertEquals(new GroupState(700, 3, 7), store.fence(KEY, 0, 7));
    assertCode(ErrorCode.FENCED, writer::checkpoint);
    assertCode(ErrorCode.FENCED, () -> writer.close(true));
    assertEquals(new GroupState(0, 0, 9), store.fence(new FileKey(5, 1), 2, 9));
    assertEquals(
        700, store.verify(KEY, 0, LeaseBound.NONE, List.of(), ReadPace.AT_ONCE).verified());
    machine.cutPower(1);
    store = machine.start();
    assertCode(ErrorCode.FENCED, () -> writer(store, KEY, 0, 6, 0));
    assertCode(ErrorCode.FENCED, () -> store.fence(KEY, 0, 6));
    assertCode(ErrorCode.FENCED, () -> store.truncateGroup(KEY, 0, 0, 6));
    assertCode(ErrorCode.FENCED, () -> writer(store, new FileKey(5, 1), 2, 8, 2 * GROUP));
    assertHeld(Arrays.copyOf(file, 700));
    writer(store, KEY, 0, 7, 512).abandon();
  }

  @Test
  void shouldReadBackVerifiedBytesOnly() throws VdfsException {
    BlockWriter writer = writer(store, KEY, 0, 1, 0);
    append(writer, file, 0, 3000);
    writer.close(true);
    BlockLocation second = store.locate(KEY, 1).orElseThrow();
    disk.flip(second.path(), (second.position() + 600) * 8);
    assertEquals(3000, store.fence(KEY, 0, 2).length());
    assertEquals(BLOCK + CHUNK, StoreFixture.verified(store, KEY, 0, 2));
  }

  @Test
  void shouldTruncateWithoutTouchingWhatReadersWereTold() throws VdfsException {
    for (int length : new int[] {0, 1, 512, 700, BLOCK, BLOCK + 1, 5000}) {
      long epoch = 2L * length + 1;
      BlockWriter writer = writer(store, KEY, 0, epoch, 0);
      append(writer, file, 0, 5000);
      writer.close(true);
      BlockLocation[] seen = new BlockLocation[3];
      for (int block = 0; block < 3; block++) {
        seen[block] = store.locate(KEY, block).orElseThrow();
      }
      store.truncateGroup(KEY, 0, length, epoch + 1);
      assertHeld(Arrays.copyOf(file, length));
      assertEquals(length == 0 ? 0 : epoch + 1, store.group(KEY, 0).contentEpoch());
      for (BlockLocation location : seen) {
        assertUnchanged(location);
      }
      machine.cutPower(length);
      store = machine.start();
      assertHeld(Arrays.copyOf(file, length));
      assertCode(ErrorCode.FILE_CHANGED, () -> store.truncateGroup(KEY, 0, length + 1L, epoch + 1));
    }
  }

  @Test
  void shouldEndWritersOfADeletedFile() throws VdfsException {
    BlockWriter writer = writer(store, KEY, 0, 1, 0);
    append(writer, file, 0, 3000);
    assertTrue(store.delete(KEY));
    assertCode(ErrorCode.NOT_FOUND, () -> append(writer, file, 2560, 3100));
    assertCode(ErrorCode.NOT_FOUND, writer::sync);
    writer.abandon();
    store.writeBack();
    assertEquals(0, store.group(KEY, 0).length());
    assertTrue(disk.files().stream().noneMatch(path -> path.toString().contains("blocks")));
    byte[] other = content(2, 900);
    FileKey next = new FileKey(KEY.fileId(), KEY.generation() + 1);
    StoreFixture.write(store, next, 0, other, 1);
    assertArrayEquals(other, StoreFixture.readGroup(store, next, 0));
    assertEquals(0, store.usage().stream().filter(usage -> usage.suspect().isPresent()).count());
  }
}
