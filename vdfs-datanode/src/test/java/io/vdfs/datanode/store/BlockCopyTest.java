package io.vdfs.datanode.store;

import static io.vdfs.datanode.store.StoreFixture.BLOCK;
import static io.vdfs.datanode.store.StoreFixture.CHUNK;
import static io.vdfs.datanode.store.StoreFixture.GROUP;
import static io.vdfs.datanode.store.StoreFixture.KEY;
import static io.vdfs.datanode.store.StoreFixture.assertCode;
import static io.vdfs.datanode.store.StoreFixture.readGroup;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.checksum.Crc32c;
import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.datanode.store.group.DiskBlockStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reading a group back, and copies of blocks that other nodes hold. */
class BlockCopyTest {
  private final byte[] file = StoreFixture.content(1, GROUP);
  private final Machine machine = new Machine(StoreFixture.ONE_VOLUME);
  private DiskBlockStore store;

  @BeforeEach
  void start() throws VdfsException {
    store = machine.start();
  }

  @AfterEach
  void close() throws VdfsException {
    machine.close();
  }

  private void write(long epoch, int length) throws VdfsException {
    StoreFixture.write(store, KEY, 0, Arrays.copyOf(file, length), epoch);
  }

  private void damage(int block, int at) {
    BlockLocation place = store.locate(KEY, block).orElseThrow();
    machine.disk().flip(place.path(), (place.position() + at) * 8);
  }

  private VerifiedGroup verify(Long... marks) throws VdfsException {
    return store.verify(KEY, 0, LeaseBound.NONE, List.of(marks), ReadPace.AT_ONCE);
  }

  private int crc(int from, int to) {
    return Crc32c.of(ByteBuffer.wrap(file, from, to - from));
  }

  private void copy(int block, int length, long epoch) throws VdfsException {
    copy(BlockRole.REPLICA, block, length, epoch);
  }

  private void copy(BlockRole role, int block, int length, long epoch) throws VdfsException {
    try (BlockCopy copy = store.openCopy(KEY, role, block, epoch)) {
      append(copy, block * BLOCK, block * BLOCK + length);
      copy.finish();
    }
  }

  private void append(BlockCopy copy, int from, int to) throws VdfsException {
    ByteBuffer data = ByteBuffer.wrap(file, from, to - from);
    copy.append(VerifiedChunks.compute(data, CHUNK));
  }

  @Test
  void shouldSumUpWhatVerifiesAndPrefixesOfIt() throws VdfsException {
    write(3, 2 * BLOCK + 700);
    VerifiedGroup sound = verify(0L, 100L, 2L * BLOCK + 600, 9_999_999L);
    assertEquals(2 * BLOCK + 700, sound.verified());
    assertFalse(sound.isDamaged());
    assertEquals(crc(0, BLOCK), sound.blocks().get(0).crc());
    assertEquals(3, sound.blocks().get(0).writeEpoch());
    assertEquals(crc(0, 100), sound.blocks().get(0).prefixes().get(100));
    assertEquals(crc(2 * BLOCK, 2 * BLOCK + 600), sound.blocks().get(2).prefixes().get(600));

    damage(1, CHUNK + 3);
    VerifiedGroup damaged = verify();
    assertEquals(BLOCK + CHUNK, damaged.verified());
    assertEquals(2 * BLOCK + 700, damaged.claimed());
    assertTrue(damaged.isDamaged());
    assertEquals(crc(BLOCK, BLOCK + CHUNK), damaged.blocks().get(1).crc());
    assertEquals(OptionalInt.empty(), sound.firstDifference(damaged));
    assertEquals(1, sound.sameWholeBlocks(damaged, BLOCK));
  }

  @Test
  void shouldCountOnlyWhatThePresentLeaseWrote() throws VdfsException {
    write(3, 2 * BLOCK + 700);
    assertEquals(
        0,
        store.verify(KEY, 0, new LeaseBound(0, 4), List.of(), ReadPace.AT_ONCE).claimed(),
        "an earlier writer's");
    VerifiedGroup upTo =
        store.verify(KEY, 0, new LeaseBound(BLOCK + 100, 4), List.of(), ReadPace.AT_ONCE);
    assertEquals(BLOCK + 100, upTo.verified());
    assertEquals(crc(BLOCK, BLOCK + 100), upTo.blocks().get(1).crc());
    assertEquals(0, store.group(KEY, 0, new LeaseBound(0, 4)).length());
    assertEquals(2 * BLOCK + 700, store.group(KEY, 0, new LeaseBound(0, 3)).length());
  }

  @Test
  void shouldTakeThePlaceOfADamagedBlockDurably() throws VdfsException {
    write(1, 2 * BLOCK + 700);
    damage(1, 5);
    store.fence(KEY, 0, 4);
    copy(1, BLOCK, 4);
    assertEquals(2 * BLOCK + 700, verify().verified());
    assertEquals(4, store.locate(KEY, 1).orElseThrow().writeEpoch());

    machine.cutPower(7);
    store = machine.start();
    assertArrayEquals(Arrays.copyOf(file, 2 * BLOCK + 700), readGroup(store, KEY, 0));
    assertCode(ErrorCode.FENCED, () -> StoreFixture.writer(store, KEY, 0, 3, 0));
  }

  private void copyBoth() throws VdfsException {
    copy(BlockRole.PRIMARY, 0, BLOCK, 4);
    copy(BlockRole.PRIMARY, 1, 700, 4);
    assertEquals(BLOCK + 700, verify().verified());
    for (int start = 0; start < 2; start++) {
      assertArrayEquals(Arrays.copyOf(file, BLOCK + 700), readGroup(store, KEY, 0));
      machine.cutPower(7);
      store = machine.start();
    }
  }

  @Test
  void shouldTakeThePlaceOfBlocksWhoseFileIsAnothers() throws VdfsException {
    write(1, BLOCK + 700);
    Path data = StoreFixture.file(machine.disk(), ".vcf");
    byte[] foreign = new byte[machine.disk().bytes(data).length];
    machine.kill();
    machine.disk().setBytes(data, foreign);
    store = machine.start();
    assertEquals(0, verify().verified());

    copyBoth();

    assertArrayEquals(foreign, machine.disk().bytes(data));
  }

  @Test
  void shouldTakeThePlaceOfBlocksWhoseFileCannotBeOpened() throws VdfsException {
    write(1, BLOCK + 700);
    Path data = StoreFixture.file(machine.disk(), ".vcf");
    machine.kill();
    machine.disk().spoil(data, 0, machine.disk().bytes(data).length);
    store = machine.start();
    assertEquals(0, verify().verified());

    copyBoth();
  }

  @Test
  void shouldTakeThePlaceOfBlocksWhoseFileWasNotLoaded() throws VdfsException {
    write(1, BLOCK + 700);
    Path data = StoreFixture.file(machine.disk(), ".vcf");
    machine.kill();
    machine.disk().spoil(data, 0, machine.disk().bytes(data).length);
    machine.disk().setBytes(StoreFixture.file(machine.disk(), ".idx"), new byte[0]);
    store = machine.start();
    assertEquals(0, store.group(KEY, 0).length());

    copyBoth();
  }

  @Test
  void shouldGoOnFromAShortBlockAndBehindIt() throws VdfsException {
    write(1, 700);
    copy(0, BLOCK, 4);
    copy(1, 900, 4);
    assertArrayEquals(Arrays.copyOf(file, BLOCK + 900), readGroup(store, KEY, 0));
    store.truncateGroup(KEY, 0, BLOCK + 900, 4);
    machine.cutPower(8);
    store = machine.start();
    assertArrayEquals(Arrays.copyOf(file, BLOCK + 900), readGroup(store, KEY, 0));
  }

  @Test
  void shouldKeepWhatItHoldsWhenACopyIsGivenUp() throws VdfsException {
    write(1, BLOCK + 700);
    try (BlockCopy copy = store.openCopy(KEY, BlockRole.REPLICA, 1, 4)) {
      append(copy, BLOCK, BLOCK + CHUNK);
      assertEquals(BLOCK + 700, store.group(KEY, 0).length());
      assertCode(ErrorCode.LEASE_CONFLICT, () -> store.openCopy(KEY, BlockRole.REPLICA, 1, 4));
    }
    assertArrayEquals(Arrays.copyOf(file, BLOCK + 700), readGroup(store, KEY, 0));
    machine.cutPower(9);
    store = machine.start();
    assertArrayEquals(Arrays.copyOf(file, BLOCK + 700), readGroup(store, KEY, 0));
    copy(1, 800, 5);
    assertArrayEquals(Arrays.copyOf(file, BLOCK + 800), readGroup(store, KEY, 0));
  }

  @Test
  void shouldRefuseACopyOnceALaterEpochWasSeen() throws VdfsException {
    write(1, 700);
    try (BlockCopy copy = store.openCopy(KEY, BlockRole.REPLICA, 0, 4)) {
      append(copy, 0, CHUNK);
      store.fence(KEY, 0, 5);
      assertCode(ErrorCode.FENCED, () -> append(copy, CHUNK, 2 * CHUNK));
      assertCode(ErrorCode.FENCED, copy::finish);
    }
    assertCode(ErrorCode.FENCED, () -> store.openCopy(KEY, BlockRole.REPLICA, 0, 4));
    assertArrayEquals(Arrays.copyOf(file, 700), readGroup(store, KEY, 0));
  }

  @Test
  void shouldRefuseACopyOfADeletedFile() throws VdfsException {
    write(1, 700);
    try (BlockCopy copy = store.openCopy(KEY, BlockRole.REPLICA, 0, 4)) {
      append(copy, 0, CHUNK);
      store.delete(KEY);
      assertCode(ErrorCode.NOT_FOUND, () -> append(copy, CHUNK, 2 * CHUNK));
      assertCode(ErrorCode.NOT_FOUND, copy::finish);
    }
    assertTrue(store.locate(KEY, 0).isEmpty());
  }

  /** Held are the first bytes of a block, and a copy of as many is about to be finished. */
  private BlockCopy copyOfTheHead(int held) throws VdfsException {
    write(1, held);
    BlockCopy copy = store.openCopy(KEY, BlockRole.REPLICA, 0, 4);
    append(copy, 0, held);
    return copy;
  }

  @Test
  void shouldLeaveWhatAWriterAddedWhileACopyWasMade() throws VdfsException {
    BlockCopy copy = copyOfTheHead(CHUNK);
    BlockWriter writer = StoreFixture.writer(store, KEY, 0, 4, CHUNK);
    StoreFixture.append(writer, file, CHUNK, 2 * CHUNK);
    writer.sync();

    assertCode(ErrorCode.LEASE_CONFLICT, copy::finish);
    copy.close();

    assertArrayEquals(Arrays.copyOf(file, 2 * CHUNK), readGroup(store, KEY, 0));
    StoreFixture.append(writer, file, 2 * CHUNK, BLOCK + 700);
    writer.close(true);
    assertArrayEquals(Arrays.copyOf(file, BLOCK + 700), readGroup(store, KEY, 0));
    machine.cutPower(10);
    store = machine.start();
    assertArrayEquals(Arrays.copyOf(file, BLOCK + 700), readGroup(store, KEY, 0));
  }

  @Test
  void shouldTakeNoMoreBytesOfACopyOnceAWriterIsOpen() throws VdfsException {
    BlockCopy copy = copyOfTheHead(CHUNK);
    BlockWriter writer = StoreFixture.writer(store, KEY, 0, 4, CHUNK);

    assertCode(ErrorCode.LEASE_CONFLICT, () -> append(copy, CHUNK, 2 * CHUNK));

    StoreFixture.append(writer, file, CHUNK, 2 * CHUNK);
    writer.sync();
    machine.cutPower(12);
    store = machine.start();
    assertArrayEquals(Arrays.copyOf(file, 2 * CHUNK), readGroup(store, KEY, 0));
  }

  @Test
  void shouldNotPutACopyBehindWhatAWriterWroteAndLeft() throws VdfsException {
    write(1, CHUNK);
    try (BlockCopy copy = store.openCopy(KEY, BlockRole.REPLICA, 1, 4)) {
      append(copy, BLOCK, BLOCK + 700);
      BlockWriter writer = StoreFixture.writer(store, KEY, 0, 4, CHUNK);
      StoreFixture.append(writer, file, CHUNK, BLOCK);
      writer.sync();
      writer.abandon();

      assertCode(ErrorCode.LEASE_CONFLICT, copy::finish);
    }
    assertArrayEquals(Arrays.copyOf(file, BLOCK), readGroup(store, KEY, 0));
    assertTrue(store.locate(KEY, 1).isEmpty());
  }

  @Test
  void shouldLetABlockBeCopiedOnceAfterACopyWasOvertaken() throws VdfsException {
    BlockCopy overtaken = copyOfTheHead(CHUNK);
    StoreFixture.writer(store, KEY, 0, 4, CHUNK).abandon();
    try (BlockCopy next = store.openCopy(KEY, BlockRole.REPLICA, 0, 4)) {
      append(next, 0, BLOCK);
      assertCode(ErrorCode.LEASE_CONFLICT, overtaken::finish);
      overtaken.close();
      assertCode(ErrorCode.LEASE_CONFLICT, () -> store.openCopy(KEY, BlockRole.REPLICA, 0, 4));
      next.finish();
    }
    assertArrayEquals(Arrays.copyOf(file, BLOCK), readGroup(store, KEY, 0));
    copy(0, BLOCK, 4);
    assertArrayEquals(Arrays.copyOf(file, BLOCK), readGroup(store, KEY, 0));
  }

  @Test
  void shouldNotUndoACutOfTheSameEpoch() throws VdfsException {
    BlockCopy copy = copyOfTheHead(2 * CHUNK);
    store.truncateGroup(KEY, 0, CHUNK, 4);

    assertCode(ErrorCode.LEASE_CONFLICT, copy::finish);
    copy.close();

    assertArrayEquals(Arrays.copyOf(file, CHUNK), readGroup(store, KEY, 0));
    machine.cutPower(11);
    store = machine.start();
    assertArrayEquals(Arrays.copyOf(file, CHUNK), readGroup(store, KEY, 0));
    copy(0, BLOCK, 4);
    assertArrayEquals(Arrays.copyOf(file, BLOCK), readGroup(store, KEY, 0));
  }
}
