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
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.disk.SimulatedDisk.Fault;
import io.vdfs.datanode.store.group.DiskBlockStore;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A disk that fills up where a footer is written, and the next writer in the same process. */
@Timeout(60)
class FullDiskTest {
  private static final int LAST_CHUNK = BLOCK - CHUNK;

  private final Machine machine = new Machine(ONE_VOLUME);
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

  private void restart() throws VdfsException {
    machine.kill();
    store = machine.start();
  }

  /** Group 0 up to its last chunk but one in slot 0, and group 1, whole and synced, behind it. */
  private BlockWriter writeBoth() throws VdfsException {
    BlockWriter first = writer(store, KEY, 0, 1, 0);
    append(first, file, 0, LAST_CHUNK);
    StoreFixture.write(store, KEY, 1, file, 1);
    return first;
  }

  /** The packet that fills the block comes through, both tries to write its footer do not. */
  private void failBothFooters(BlockWriter writer) {
    int before = machine.disk().fired();
    machine.disk().planNext(1, Fault.FULL);
    machine.disk().planNext(2, Fault.FULL);
    assertCode(ErrorCode.NO_SPACE, () -> append(writer, file, LAST_CHUNK, BLOCK));
    assertEquals(2, machine.disk().fired() - before, "faults");
  }

  private void assertNeighbourIsThere(String when) throws VdfsException {
    assertArrayEquals(Arrays.copyOfRange(file, GROUP, 2 * GROUP), readGroup(store, KEY, 1), when);
  }

  @Test
  void shouldGoOnInItsOwnSlotAfterTheFootersOfAWholeBlockFailed() throws VdfsException {
    failBothFooters(writeBoth());

    BlockWriter next = writer(store, KEY, 0, 2, LAST_CHUNK);
    append(next, file, LAST_CHUNK, BLOCK);
    append(next, file, BLOCK, BLOCK + CHUNK);
    next.sync();

    assertArrayEquals(Arrays.copyOf(file, BLOCK + CHUNK), readGroup(store, KEY, 0));
    assertNeighbourIsThere("in the same process");
    restart();
    assertArrayEquals(Arrays.copyOf(file, BLOCK + CHUNK), readGroup(store, KEY, 0));
    assertNeighbourIsThere("after a restart");
  }

  @Test
  void shouldGoOnWithOtherBytesAfterTheFootersOfAWholeBlockFailed() throws VdfsException {
    failBothFooters(writeBoth());
    byte[] other = file.clone();
    Arrays.fill(other, LAST_CHUNK, GROUP, (byte) 9);

    BlockWriter next = writer(store, KEY, 0, 2, LAST_CHUNK);
    append(next, other, LAST_CHUNK, GROUP);
    next.close(true);

    assertArrayEquals(Arrays.copyOf(other, GROUP), readGroup(store, KEY, 0));
    assertNeighbourIsThere("in the same process");
    restart();
    assertArrayEquals(Arrays.copyOf(other, GROUP), readGroup(store, KEY, 0));
    assertNeighbourIsThere("after a restart");
  }

  @Test
  void shouldCutToTheLengthAskedForAfterAFooterFailed() throws VdfsException {
    failBothFooters(writeBoth());

    store.truncateGroup(KEY, 0, LAST_CHUNK, 2);

    assertArrayEquals(Arrays.copyOf(file, LAST_CHUNK), readGroup(store, KEY, 0));
    assertNeighbourIsThere("in the same process");
    restart();
    assertArrayEquals(Arrays.copyOf(file, LAST_CHUNK), readGroup(store, KEY, 0));
    assertNeighbourIsThere("after a restart");
  }

  @Test
  void shouldAnswerAFenceWithWhatARestartFinds() throws VdfsException {
    failBothFooters(writeBoth());

    long answered = store.fence(KEY, 0, 2).length();

    restart();
    assertEquals(answered, store.group(KEY, 0).length());
  }

  @Test
  void shouldAnswerAFenceOnADiskThatIsStillFullWithWhatARestartFinds() throws VdfsException {
    BlockWriter first = writer(store, KEY, 0, 1, 0);
    append(first, file, 0, BLOCK + CHUNK);
    machine.disk().planNext(0, Fault.FULL);
    machine.disk().planNext(1, Fault.FULL);
    assertCode(ErrorCode.NO_SPACE, first::checkpoint);
    machine.disk().planNext(0, Fault.FULL);

    long answered = store.fence(KEY, 0, 2).length();

    assertEquals(3, machine.disk().fired(), "faults");
    assertEquals(answered, store.group(KEY, 0).length());
    restart();
    assertEquals(answered, store.group(KEY, 0).length());
    assertEquals(BLOCK, answered);
  }

  @Test
  void shouldSayThatThereIsNoRoomToAWriterThatFollowsOneWithoutAFooter() throws VdfsException {
    failBothFooters(writeBoth());
    machine.disk().planNext(0, Fault.FULL);

    VdfsException refused =
        assertCode(ErrorCode.NO_SPACE, () -> writer(store, KEY, 0, 2, LAST_CHUNK));

    assertTrue(refused.getMessage().contains("/d0"), refused.getMessage());
    writer(store, KEY, 0, 3, LAST_CHUNK).close(true);
    restart();
    assertEquals(BLOCK, store.group(KEY, 0).length());
  }

  @Test
  void shouldNotAcknowledgeTheBytesOfAWriterWithoutAFooter() throws VdfsException {
    failBothFooters(writeBoth());

    BlockWriter next = writer(store, KEY, 0, 2, LAST_CHUNK);
    next.close(true);
    long held = store.group(KEY, 0).length();

    assertTrue(held >= LAST_CHUNK, "held=" + held);
    restart();
    assertEquals(held, store.group(KEY, 0).length());
  }

  @Test
  void shouldLetGoOfTheFileOnceTheFooterIsWritten() throws VdfsException {
    BlockWriter first = writeBoth();
    failBothFooters(first);
    first.abandon();
    store.writeBack();
    int operations = machine.disk().operations();
    store.fence(KEY, 0, 2);
    store.writeBack();

    // the record of the fence, and its force; nothing else is left to be made durable
    assertEquals(operations + 2, machine.disk().operations(), () -> "" + machine.disk().trace());
  }

  @Test
  void shouldLetGoOfASlotWhoseBlockWasCopiedToAnother() throws VdfsException {
    BlockWriter first = writer(store, KEY, 0, 1, 0);
    append(first, file, 0, LAST_CHUNK);
    byte[] other = file.clone();
    Arrays.fill(other, CHUNK, GROUP, (byte) 9);
    BlockWriter next = writer(store, KEY, 0, 2, CHUNK);
    append(next, other, CHUNK, LAST_CHUNK);
    next.close(true);
    store.writeBack();
    int operations = machine.disk().operations();

    store.fence(KEY, 0, 3);

    assertEquals(operations + 2, machine.disk().operations(), () -> "" + machine.disk().trace());
  }

  @Test
  void shouldKeepABlockWhoseCutFailed() throws VdfsException {
    StoreFixture.write(store, KEY, 0, file, 1);
    store.writeBack();
    int before = machine.disk().fired();
    // behind the records of the fence and of the slot's reopening, and the force of each
    machine.disk().planNext(4, Fault.FULL);

    assertCode(ErrorCode.NO_SPACE, () -> store.truncateGroup(KEY, 0, GROUP - BLOCK, 2));

    assertEquals(1, machine.disk().fired() - before);
    assertEquals(GROUP, store.fence(KEY, 0, 3).length());
    restart();
    assertArrayEquals(Arrays.copyOf(file, GROUP), readGroup(store, KEY, 0));
    store.truncateGroup(KEY, 0, GROUP - BLOCK, 4);
    restart();
    assertArrayEquals(Arrays.copyOf(file, GROUP - BLOCK), readGroup(store, KEY, 0));
  }

  @Test
  void shouldNotLeaveAGroupBeingWrittenWhenAStepEndsInAnError() throws VdfsException {
    BlockWriter first = writeBoth();
    machine.disk().planNext(0, Fault.DEFECT);
    machine.disk().planNext(1, Fault.DEFECT);

    assertThrows(InternalError.class, () -> append(first, file, LAST_CHUNK, BLOCK));

    assertEquals(2, machine.disk().fired());
    assertFalse(store.isWriting(KEY, 0));
    BlockWriter next = writer(store, KEY, 0, 1, LAST_CHUNK);
    append(next, file, LAST_CHUNK, BLOCK);
    next.close(true);
    restart();
    assertArrayEquals(Arrays.copyOf(file, BLOCK), readGroup(store, KEY, 0));
  }

  private BlockCopy copyOfTheFirstBlock(long epoch) throws VdfsException {
    BlockCopy copy = store.openCopy(KEY, BlockRole.REPLICA, 0, epoch);
    copy.append(VerifiedChunks.compute(ByteBuffer.wrap(file, 0, BLOCK), CHUNK));
    return copy;
  }

  @Test
  void shouldCopyABlockThatGetsItsFooterMeanwhileFromAnEarlierEpoch() throws VdfsException {
    failBothFooters(writeBoth());
    try (BlockCopy copy = copyOfTheFirstBlock(2)) {
      assertEquals(LAST_CHUNK + CHUNK, StoreFixture.verified(store, KEY, 0, 2));
      copy.finish();
    }
    assertEquals(2, store.locate(KEY, 0).orElseThrow().writeEpoch());
    restart();
    assertArrayEquals(Arrays.copyOf(file, BLOCK), readGroup(store, KEY, 0));
    assertEquals(2, store.locate(KEY, 0).orElseThrow().writeEpoch());
  }

  /** Of two footers of one epoch and sequence it could not be told which counts. */
  @Test
  void shouldRefuseACopyOfABlockThatGetsItsFooterMeanwhileFromTheSameEpoch() throws VdfsException {
    failBothFooters(writeBoth());
    try (BlockCopy copy = copyOfTheFirstBlock(1)) {
      StoreFixture.verified(store, KEY, 0, 1);
      assertCode(ErrorCode.LEASE_CONFLICT, copy::finish);
    }
    long held = store.group(KEY, 0).length();
    restart();
    assertEquals(held, store.group(KEY, 0).length());
  }
}
