package io.vdfs.datanode.store;

import static io.vdfs.datanode.store.StoreFixture.BLOCK;
import static io.vdfs.datanode.store.StoreFixture.CHUNK;
import static io.vdfs.datanode.store.StoreFixture.GROUP;
import static io.vdfs.datanode.store.StoreFixture.KEY;
import static io.vdfs.datanode.store.StoreFixture.THREE_VOLUMES;
import static io.vdfs.datanode.store.StoreFixture.append;
import static io.vdfs.datanode.store.StoreFixture.assertCode;
import static io.vdfs.datanode.store.StoreFixture.content;
import static io.vdfs.datanode.store.StoreFixture.read;
import static io.vdfs.datanode.store.StoreFixture.readGroup;
import static io.vdfs.datanode.store.StoreFixture.write;
import static io.vdfs.datanode.store.StoreFixture.writer;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.group.DiskBlockStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups whose blocks lie on more than one volume, and how they come to lie on one. */
class SplitGroupTest {
  /** Two blocks, and some of a third one. */
  private static final int PARTIAL = 2 * BLOCK + 700;

  /** On a chunk boundary, as writers begin. */
  private static final int LAST_CHUNK = PARTIAL / CHUNK * CHUNK;

  private final byte[] file = content(1, GROUP);
  private final Machine machine = new Machine(THREE_VOLUMES);
  private final SimulatedDisk disk = machine.disk();
  private DiskBlockStore store;

  @AfterEach
  void stop() throws VdfsException {
    machine.close();
  }

  private byte[] upTo(int length) {
    return Arrays.copyOf(file, length);
  }

  /** The directory of the volume that a block lies on. */
  private Path place(int block) {
    Path path = store.locate(KEY, block).orElseThrow().path();
    return Path.of("/").resolve(path.getName(0));
  }

  private Set<Path> places(int blocks) {
    return IntStream.range(0, blocks).mapToObj(this::place).collect(Collectors.toSet());
  }

  private void copy(int block, int length, long epoch) throws VdfsException {
    try (BlockCopy copy = store.openCopy(KEY, BlockRole.REPLICA, block, epoch)) {
      ByteBuffer data = ByteBuffer.wrap(file, block * BLOCK, length);
      copy.append(VerifiedChunks.compute(data, CHUNK));
      copy.finish();
    }
  }

  private void breakDown(Path volume) {
    disk.breakDown(volume);
    assertTrue(
        store.usage().stream()
            .anyMatch(usage -> usage.directory().equals(volume) && usage.suspect().isPresent()));
  }

  private void restart() throws VdfsException {
    machine.kill();
    THREE_VOLUMES.forEach(disk::mend);
    store = machine.start();
  }

  /** Starts with a group on one volume, which breaks down. */
  private Path startBroken(int length) throws VdfsException {
    store = machine.start();
    write(store, KEY, 0, upTo(length), 1);
    Path broken = place(0);
    breakDown(broken);
    return broken;
  }

  /** Starts with a group of three blocks on three volumes, two of them first in their file. */
  private void startSplit(int length) throws VdfsException {
    startBroken(length);
    copy(0, BLOCK, 2);
    breakDown(place(0));
    copy(1, Math.min(BLOCK, length - BLOCK), 2);
    restart();
    assertEquals((length + BLOCK - 1) / BLOCK, places((length + BLOCK - 1) / BLOCK).size());
    assertArrayEquals(upTo(length), readGroup(store, KEY, 0));
    HeldRecount.assertExact(store, List.of(new ModelGroup(KEY, 0)), "split");
  }

  private void appendAll(long epoch, int start) throws VdfsException {
    BlockWriter writer = writer(store, KEY, 0, epoch, start);
    append(writer, file, start, GROUP);
    writer.close(true);
    assertArrayEquals(file, readGroup(store, KEY, 0));
    machine.cutPower(5);
    store = machine.start();
    assertArrayEquals(file, readGroup(store, KEY, 0));
  }

  @Test
  void shouldTakeCopiesOfAllBlocksOfAGroupToOneVolume() throws VdfsException {
    Path broken = startBroken(PARTIAL);
    copy(0, BLOCK, 2);
    copy(1, BLOCK, 2);
    copy(2, 700, 2);
    assertEquals(1, places(3).size());
    assertFalse(places(3).contains(broken));
    appendAll(3, LAST_CHUNK);
  }

  @Test
  void shouldTakeACopyToWhereAnotherOneIsBeingMade() throws VdfsException {
    startBroken(PARTIAL);
    try (BlockCopy first = store.openCopy(KEY, BlockRole.REPLICA, 0, 2)) {
      copy(1, BLOCK, 2);
      first.append(VerifiedChunks.compute(ByteBuffer.wrap(file, 0, BLOCK), CHUNK));
      first.finish();
    }
    assertEquals(1, places(2).size());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldGoOnCopyingToTheSameVolumeAfterARestart(boolean mended) throws VdfsException {
    Path broken = startBroken(PARTIAL);
    copy(0, BLOCK, 2);
    Path taken = place(0);
    machine.kill();
    if (mended) {
      disk.mend(broken);
    }
    store = machine.start();
    assertEquals(mended ? 2 : 0, mended ? places(3).size() : 0);
    copy(1, BLOCK, 2);
    copy(2, 700, 2);
    assertEquals(Set.of(taken), places(3));
    appendAll(3, LAST_CHUNK);
  }

  @ParameterizedTest
  @ValueSource(ints = {BLOCK + 700, 2 * BLOCK, PARTIAL})
  void shouldAppendToAGroupThatIsSplit(int length) throws VdfsException {
    startSplit(length);
    appendAll(3, length / CHUNK * CHUNK);
  }

  @Test
  void shouldForceWhatAWriterPutOnAnyVolume() throws VdfsException {
    startSplit(PARTIAL);
    byte[] before = file.clone();
    Arrays.fill(file, 2 * CHUNK, GROUP, (byte) 9);
    appendAll(3, 0);
    assertArrayEquals(Arrays.copyOf(before, 2 * CHUNK), read(store, KEY, 0, 0, 2 * CHUNK));
  }

  @Test
  void shouldForceWhatAnEarlierWriterLeftOnAnotherVolume() throws VdfsException {
    startSplit(BLOCK + 700);
    Path last = place(1);
    // in the place of the first block, and behind it what lay in another place
    BlockWriter earlier = writer(store, KEY, 0, 3, 0);
    Arrays.fill(file, CHUNK, GROUP, (byte) 9);
    append(earlier, file, 0, BLOCK + CHUNK);
    earlier.close(false);
    assertEquals(last, place(1));
    assertFalse(place(0).equals(last));
    appendAll(4, BLOCK);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 700, BLOCK, BLOCK + 700, 2 * BLOCK, PARTIAL - 1})
  void shouldCutAGroupThatIsSplit(int length) throws VdfsException {
    startSplit(PARTIAL);
    store.truncateGroup(KEY, 0, length, 3);
    assertArrayEquals(upTo(length), readGroup(store, KEY, 0));
    machine.cutPower(6);
    store = machine.start();
    assertArrayEquals(upTo(length), readGroup(store, KEY, 0));
    Arrays.fill(file, length, GROUP, (byte) 9);
    appendAll(4, length / CHUNK * CHUNK);
  }

  /** Bytes of which a force failed, the last of them without a footer. */
  private void writeUntilBroken() throws VdfsException {
    BlockWriter writer = writer(store, KEY, 0, 1, 0);
    append(writer, file, 0, PARTIAL);
    Path broken = place(0);
    disk.breakDown(broken);
    assertCode(ErrorCode.IO_ERROR, writer::sync);
    breakDown(broken);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldCutOffWhatLiesOnAVolumeThatIsLost(boolean written) throws VdfsException {
    if (written) {
      startBroken(PARTIAL);
    } else {
      store = machine.start();
      writeUntilBroken();
    }
    copy(0, BLOCK, 2);
    copy(1, BLOCK, 2);
    store.truncateGroup(KEY, 0, 2 * BLOCK, 2);
    assertFalse(store.isOnSuspectVolume(KEY, 0));
    assertEquals(2 * BLOCK, StoreFixture.verified(store, KEY, 0, 2));
    assertArrayEquals(upTo(2 * BLOCK), readGroup(store, KEY, 0));
    restart();
    assertArrayEquals(upTo(2 * BLOCK), readGroup(store, KEY, 0));
    assertTrue(store.locate(KEY, 2).isEmpty(), "the volume's word is outranked");
    appendAll(3, 2 * BLOCK);
  }

  @Test
  void shouldCutAllOfAGroupOfWhichAVolumeIsLost() throws VdfsException {
    startBroken(PARTIAL);
    copy(1, BLOCK, 2);
    copy(2, 700, 2);
    store.truncateGroup(KEY, 0, 0, 3);
    assertEquals(0, store.group(KEY, 0).length());
    restart();
    assertEquals(0, store.group(KEY, 0).length());
    assertTrue(store.locate(KEY, 1).isEmpty());
    assertCode(ErrorCode.FENCED, () -> writer(store, KEY, 0, 2, 0));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void shouldCutDurablyBeforeAWriterGoesOn(long seed) throws VdfsException {
    Path broken = startBroken(PARTIAL);
    copy(0, BLOCK, 2);
    copy(1, BLOCK, 2);
    LeaseBound lease = new LeaseBound(2L * BLOCK, 3);
    store.openWriter(KEY, BlockRole.PRIMARY, 3, 2L * BLOCK, 0, lease, Long.MAX_VALUE);
    disk.mend(broken);
    machine.cutPower(seed);
    store = machine.start();
    assertArrayEquals(upTo(2 * BLOCK), readGroup(store, KEY, 0));
    assertTrue(store.locate(KEY, 2).isEmpty(), "it came back");
  }

  @Test
  void shouldLoseNothingWhereACutFails() throws VdfsException {
    startBroken(PARTIAL);
    copy(1, BLOCK, 2);
    copy(2, 700, 2);
    assertCode(ErrorCode.IO_ERROR, () -> store.truncateGroup(KEY, 0, 700, 3));
    assertEquals(PARTIAL, store.group(KEY, 0).length());
    assertArrayEquals(Arrays.copyOfRange(file, BLOCK, 2 * BLOCK), read(store, KEY, 1, 0, BLOCK));
    restart();
    assertArrayEquals(upTo(PARTIAL), readGroup(store, KEY, 0));
  }

  @Test
  void shouldNotWriteBehindBlocksThatCannotBeTrusted() throws VdfsException {
    store = machine.start();
    writeUntilBroken();
    copy(0, BLOCK, 2);
    copy(2, 700, 2);
    assertCode(ErrorCode.IO_ERROR, () -> writer(store, KEY, 0, 3, LAST_CHUNK));
    assertCode(ErrorCode.IO_ERROR, () -> store.fence(KEY, 0, 3));
    restart();
    assertArrayEquals(upTo(PARTIAL), readGroup(store, KEY, 0));
    appendAll(3, LAST_CHUNK);
  }
}
