package io.vdfs.datanode.store;

import static io.vdfs.datanode.Await.awaitThat;
import static io.vdfs.datanode.store.StoreFixture.GEOMETRY;
import static io.vdfs.datanode.store.StoreFixture.GROUP;
import static io.vdfs.datanode.store.StoreFixture.KEY;
import static io.vdfs.datanode.store.StoreFixture.TWO_VOLUMES;
import static io.vdfs.datanode.store.StoreFixture.assertCode;
import static io.vdfs.datanode.store.StoreFixture.content;
import static io.vdfs.datanode.store.StoreFixture.readGroup;
import static io.vdfs.datanode.store.StoreFixture.write;
import static io.vdfs.datanode.store.StoreFixture.writer;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.Iterators;
import com.google.common.util.concurrent.Uninterruptibles;
import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.store.CombinedFileLayout;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.ForwardingDisk;
import io.vdfs.datanode.store.disk.ForwardingFile;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.disk.SimulatedDisk.Fault;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.status.GarbageUsage;
import io.vdfs.datanode.store.status.StoreCounter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Taking files that are not needed out of use, keeping them, and finally removing them. */
class GarbageTest {
  private static final byte[] FILE = content(7, 2 * GROUP + 100);
  private static final FileKey SMALL = new FileKey(78, 1);

  private final Machine machine = new Machine(TWO_VOLUMES);
  private final SimulatedDisk disk = machine.disk();

  @AfterEach
  void stop() throws VdfsException {
    machine.close();
  }

  private static void writeAll(BlockStore store) throws VdfsException {
    for (int group = 0; group < 3; group++) {
      write(store, KEY, group, FILE, 1);
    }
  }

  private static byte[] groupOf(byte[] file, int group) {
    return Arrays.copyOfRange(file, group * GROUP, Math.min(file.length, (group + 1) * GROUP));
  }

  private static void assertHolds(BlockStore store) throws VdfsException {
    for (int group = 0; group < 3; group++) {
      assertArrayEquals(groupOf(FILE, group), readGroup(store, KEY, group));
    }
  }

  private List<Path> below(String directory) {
    return disk.files().stream().filter(file -> file.toString().contains(directory)).toList();
  }

  private DiskBlockStore startWithFile() throws VdfsException {
    DiskBlockStore store = machine.start();
    writeAll(store);
    store.writeBack();
    return store;
  }

  @Test
  void shouldKeepWhatIsDiscardedAndBeginAnewWithTheNextWriter() throws VdfsException {
    DiskBlockStore store = startWithFile();
    OptionalLong bytes = discard(store, KEY, 50);
    assertTrue(bytes.getAsLong() > FILE.length, bytes::toString);
    assertEquals(0, store.group(KEY, 0).length());
    assertFalse(store.files().hasNext());
    assertEquals(List.of(), below("77.1").stream().filter(f -> !isKept(f)).toList());
    assertEquals(bytes.getAsLong(), store.purgeGarbage(50).bytes());

    writeAll(store);
    assertHolds(store);
    assertEquals(1, Iterators.size(store.files()));
    machine.kill();
    assertHolds(machine.start());
  }

  private static OptionalLong discard(DiskBlockStore store, FileKey key, long second)
      throws VdfsException {
    return store.discard(key, BlockStore.ANY_EPOCH, second);
  }

  private static boolean isKept(Path file) {
    return file.toString().contains("/garbage/");
  }

  @Test
  void shouldRemoveForGoodWhatWasKeptLongEnough() throws VdfsException {
    DiskBlockStore store = startWithFile();
    discard(store, KEY, 50);
    writeAll(store);
    store.writeBack();
    discard(store, KEY, 60);
    GarbageUsage both = store.purgeGarbage(50);
    GarbageUsage later = store.purgeGarbage(51);
    assertEquals(both.files() / 2, later.files());
    assertTrue(later.files() > 0);
    assertEquals(GarbageUsage.NONE, store.purgeGarbage(61));
    assertEquals(List.of(), below("/garbage/"));
  }

  @Test
  void shouldRemoveTheOldestFirstWhereThereIsNoRoom() throws VdfsException {
    DiskBlockStore store = startWithFile();
    discard(store, KEY, 50);
    assertTrue(store.purgeGarbage(0).files() > 0);
    disk.setUsable(0);
    assertEquals(GarbageUsage.NONE, store.purgeGarbage(0));
  }

  @Test
  void shouldDropOneGroupAndGiveItsRoomBackLater() throws VdfsException {
    DiskBlockStore store = startWithFile();
    assertEquals(OptionalLong.of(GROUP), store.discardGroup(KEY, 1, 1, 50));
    assertEquals(OptionalLong.empty(), store.discardGroup(KEY, 1, 1, 50), "it is not held");
    assertEquals(0, store.group(KEY, 1).length());
    store.purgeGarbage(50);
    assertEquals(0, given(store));
    store.purgeGarbage(51);
    assertEquals(GROUP, given(store));
    assertOthersHeld(store);
    store.purgeGarbage(52);
    assertEquals(GROUP, given(store), "room is given back once");

    write(store, KEY, 1, FILE, 2);
    assertArrayEquals(groupOf(FILE, 1), readGroup(store, KEY, 1));
    machine.kill();
    DiskBlockStore again = machine.start();
    assertHolds(again);
    assertEquals(List.of(), again.report().problems());
  }

  @Test
  void shouldLetAWriterOfTheFileGoFirstWhileItsRoomIsGivenBack() throws VdfsException {
    AtomicReference<DiskBlockStore> store = new AtomicReference<>();
    Thread opening =
        new Thread(() -> assertDoesNotThrow(() -> writer(store.get(), KEY, 2, 2, 2L * GROUP)));
    AtomicInteger given = new AtomicInteger();
    Disk watched =
        new ForwardingDisk(disk) {
          @Override
          public DiskFile open(Path file) throws IOException {
            return new ForwardingFile(super.open(file)) {
              @Override
              public void deallocate(long position, long length) throws IOException {
                if (given.incrementAndGet() == 1) {
                  opening.start();
                  awaitThat(() -> opening.getState() == Thread.State.WAITING);
                } else {
                  Uninterruptibles.joinUninterruptibly(opening, 5, TimeUnit.SECONDS);
                  assertFalse(opening.isAlive(), "the writer waits still");
                }
                super.deallocate(position, length);
              }
            };
          }
        };
    store.set(StoreFixture.open(watched));
    writeAll(store.get());
    store.get().discardGroup(KEY, 1, 1, 50);
    store.get().purgeGarbage(51);
    assertEquals(GROUP, given(store.get()));
    assertTrue(given.get() > 1, "the group has one block only");
  }

  private static long given(BlockStore store) {
    return store.counters().get(StoreCounter.ROOM_GIVEN_BACK);
  }

  private static void assertOthersHeld(BlockStore store) throws VdfsException {
    assertArrayEquals(groupOf(FILE, 0), readGroup(store, KEY, 0));
    assertArrayEquals(groupOf(FILE, 2), readGroup(store, KEY, 2));
  }

  @Test
  void shouldKeepAGroupDroppedOverAPowerCut() throws VdfsException {
    for (int seed = 0; seed < 20; seed++) {
      Machine cut = new Machine(TWO_VOLUMES);
      DiskBlockStore store = cut.start();
      writeAll(store);
      store.writeBack();
      store.discardGroup(KEY, 1, 1, 50);
      store.purgeGarbage(seed % 2 == 0 ? 51 : 0);
      cut.cutPower(seed);
      DiskBlockStore again = cut.start();
      assertEquals(0, again.group(KEY, 1).length());
      assertOthersHeld(again);
      assertEquals(0, again.counters().get(StoreCounter.CORRUPT_CHUNKS));
      cut.close();
    }
  }

  @Test
  void shouldGiveRoomOfAnEarlierProcessBackWhenAVolumeIsFull() throws VdfsException {
    DiskBlockStore store = startWithFile();
    store.discardGroup(KEY, 1, 1, 50);
    machine.kill();
    DiskBlockStore again = machine.start();
    again.purgeGarbage(1_000);
    assertEquals(0, given(again));
    disk.setUsable(0);
    again.purgeGarbage(1_000);
    assertEquals(GROUP, given(again));
    assertOthersHeld(again);
  }

  @Test
  void shouldKeepRoomThatTheDiskDoesNotTakeBack() throws VdfsException {
    DiskBlockStore store = startWithFile();
    store.discardGroup(KEY, 1, 1, 50);
    disk.planNext(0, Fault.ERROR);
    store.purgeGarbage(51);
    assertEquals(1, disk.fired());
    assertEquals(0, given(store));
    assertEquals(1, store.counters().get(StoreCounter.ROOM_KEPT));
    assertOthersHeld(store);
    assertFalse(store.usage().stream().anyMatch(volume -> volume.suspect().isPresent()));
  }

  @Test
  void shouldDropAGroupWhoseFootersAreDamaged() throws VdfsException {
    DiskBlockStore store = startWithFile();
    CombinedFileLayout layout = CombinedFileLayout.of(GEOMETRY);
    for (Path path : below("77.1").stream().filter(GarbageTest::isData).toList()) {
      for (int slot = 0; slot < layout.slotCount(disk.bytes(path).length); slot++) {
        disk.flip(path, 8 * (layout.footerOffset(slot, 0) + 50));
        disk.flip(path, 8 * (layout.footerOffset(slot, 1) + 50));
      }
    }
    assertEquals(OptionalLong.of(GROUP), store.discardGroup(KEY, 1, 1, 50));
    assertEquals(0, store.group(KEY, 1).length());
    store.purgeGarbage(51);
    assertTrue(given(store) >= GROUP, "given back " + given(store));
    assertEquals(GROUP, store.group(KEY, 0).length());
    machine.kill();
    assertEquals(0, machine.start().group(KEY, 1).length());
  }

  private static boolean isData(Path file) {
    return file.toString().endsWith(".vcf");
  }

  @Test
  void shouldDropAGroupOfWhichACopyWasMadeUnderTheNextEpoch() throws VdfsException {
    DiskBlockStore store = startWithFile();
    BlockCopy copy = store.openCopy(KEY, BlockRole.REPLICA, GEOMETRY.groupBlocks(), 2);
    byte[] block = Arrays.copyOfRange(FILE, GROUP, GROUP + GEOMETRY.blockSize());
    copy.append(VerifiedChunks.compute(ByteBuffer.wrap(block), GEOMETRY.chunkSize()));
    copy.finish();
    assertEquals(2, store.group(KEY, 1).contentEpoch());
    assertEquals(OptionalLong.of(GROUP), store.discardGroup(KEY, 1, 1, 50));
    assertEquals(0, store.group(KEY, 1).length());
    assertOthersHeld(store);
  }

  @Test
  void shouldNotDropAGroupThatIsBeingWrittenOrCopied() throws VdfsException {
    DiskBlockStore store = startWithFile();
    BlockCopy copy = store.openCopy(KEY, BlockRole.REPLICA, GEOMETRY.groupBlocks(), 2);
    assertEquals(OptionalLong.empty(), store.discardGroup(KEY, 1, 1, 50));
    copy.close();
    BlockWriter writer = store.openWriter(KEY, BlockRole.PRIMARY, 3, 2 * GROUP, 1);
    assertEquals(OptionalLong.empty(), store.discardGroup(KEY, 1, 3, 50));
    writer.close(false);
    assertHolds(store);
    write(store, KEY, 1, FILE, 4);
    assertCode(ErrorCode.FENCED, () -> store.discardGroup(KEY, 1, 3, 50));
    assertHolds(store);
  }

  /** It wrote after the metadata had been asked whether the file is needed here. */
  @Test
  void shouldNotDiscardAFileToWhichALaterWriterAdded() throws VdfsException {
    DiskBlockStore store = startWithFile();
    write(store, KEY, 1, FILE, 4);
    store.writeBack();
    assertEquals(OptionalLong.empty(), store.discard(KEY, 2, 50));
    assertHolds(store);
    assertTrue(store.discard(KEY, 4, 50).isPresent());
  }

  @Test
  void shouldRemoveIndexFilesThatAnErrorLeftAlone() throws VdfsException {
    int alone = 0;
    for (int skipped = 0; skipped < 12; skipped++) {
      try (Machine other = new Machine(TWO_VOLUMES)) {
        DiskBlockStore store = other.start();
        writeAll(store);
        store.writeBack();
        other.disk().planNext(skipped, Fault.ERROR);
        try {
          discard(store, KEY, 50);
        } catch (VdfsException e) {
          assertEquals(ErrorCode.IO_ERROR, e.code());
        }
        List<String> kept =
            other.disk().files().stream().filter(GarbageTest::isKept).map(Path::toString).toList();
        alone +=
            (int)
                kept.stream()
                    .filter(name -> name.endsWith(".idx"))
                    .filter(name -> !kept.contains(name.replace(".idx", ".vcf")))
                    .count();
        store.purgeGarbage(0);
        assertEquals(
            0,
            other.disk().files().stream()
                .filter(GarbageTest::isKept)
                .filter(name -> name.toString().endsWith(".idx"))
                .filter(
                    name ->
                        !other
                            .disk()
                            .files()
                            .contains(Path.of(name.toString().replace(".idx", ".vcf"))))
                .count());
      }
    }
    assertTrue(alone > 0, "no error struck between the two names");
  }

  @Test
  void shouldPurgeOtherVolumesWhereOneFails() throws VdfsException {
    DiskBlockStore store = startWithFile();
    discard(store, KEY, 50);
    assertTrue(below("/d0/blocks/garbage/").size() > 0);
    assertTrue(below("/d1/blocks/garbage/").size() > 0);
    disk.breakDown(Path.of("/d0"));
    assertCode(ErrorCode.IO_ERROR, () -> store.purgeGarbage(60));
    assertEquals(List.of(), below("/d1/blocks/garbage/"));
    disk.mend(Path.of("/d0"));
    assertEquals(GarbageUsage.NONE, store.purgeGarbage(60));
  }

  @Test
  void shouldTakeNothingOutOfUseThatIsBeingWritten() throws VdfsException {
    DiskBlockStore store = startWithFile();
    BlockWriter writer = StoreFixture.writer(store, KEY, 2, 2, 2 * GROUP);
    assertEquals(OptionalLong.empty(), discard(store, KEY, 50));
    writer.abandon();
    store.writeBack();
    BlockCopy copy = store.openCopy(KEY, BlockRole.REPLICA, 0, 3);
    assertEquals(OptionalLong.empty(), discard(store, KEY, 50));
    copy.close();
    write(store, SMALL, 0, content(1, 10), 1);
    assertEquals(OptionalLong.empty(), discard(store, new FileKey(99, 1), 50), "not held");
    assertEquals(List.of(), below("/garbage/"));
    assertHolds(store);
  }

  @Test
  void shouldTakeASmallFileOutOfItsBlankFile() throws VdfsException {
    DiskBlockStore store = machine.start();
    store.writeBack();
    byte[] small = content(3, 300);
    StoreFixture.writeSmall(store, SMALL, small);
    store.writeBack();
    assertTrue(discard(store, SMALL, 50).isPresent());
    assertEquals(0, store.group(SMALL, 0).length());
    assertEquals(2, below("/garbage/50.78.1").size());
    machine.kill();
    assertEquals(0, machine.start().group(SMALL, 0).length(), "it came back");
  }

  @Test
  void shouldLoseNothingWhereItIsMovedBackWhileNoDaemonRuns() throws IOException {
    DiskBlockStore store = startWithFile();
    List<Path> names = below("77.1.");
    discard(store, KEY, 50);
    machine.kill();
    for (Path name : names) {
      List<Path> kept = below("/garbage/50." + name.getFileName());
      Path volume = name.subpath(0, 1);
      Path here =
          kept.stream().filter(file -> file.subpath(0, 1).equals(volume)).findFirst().orElseThrow();
      disk.link(name, here);
    }
    assertHolds(machine.start());
  }

  @Test
  void shouldHoldAllOrNothingWhateverFailsAndGoOn() throws VdfsException {
    int failed = 0;
    for (int skipped = 0; skipped < 30; skipped++) {
      try (Machine other = new Machine(TWO_VOLUMES)) {
        DiskBlockStore store = other.start();
        writeAll(store);
        store.writeBack();
        int planned = other.disk().operations() + skipped;
        other.disk().planNext(skipped, Fault.ERROR);
        int fired = other.disk().fired();
        boolean broken = false;
        try {
          discard(store, KEY, 50);
        } catch (VdfsException e) {
          assertEquals(ErrorCode.IO_ERROR, e.code());
          broken = true;
          failed++;
        }
        if (other.disk().fired() == fired) {
          continue;
        }
        if (broken && store.group(KEY, 0).length() > 0) {
          assertHolds(store);
        } else if (broken) {
          assertCode(ErrorCode.UNAVAILABLE, () -> StoreFixture.writer(store, KEY, 0, 2, 0));
        }
        boolean unforced = other.disk().trace().get(planned).contains("force directory");
        assertTrue(broken || !unforced);
        DiskBlockStore next = unforced ? restarted(other) : store;
        assertTrue(!broken || discard(next, KEY, 51).isPresent(), "step " + skipped);
        assertEquals(0, next.group(KEY, 0).length());
        writeAll(next);
        assertHolds(next);
      }
    }
    assertTrue(failed >= 6, "failed=" + failed);
  }

  private static DiskBlockStore restarted(Machine machine) throws VdfsException {
    machine.kill();
    return machine.start();
  }

  @Test
  void shouldKeepNothingBehindAForceThatFailed() throws VdfsException {
    int kept = 0;
    for (int skipped = 0; skipped < 12; skipped++) {
      try (Machine other = new Machine(TWO_VOLUMES)) {
        DiskBlockStore store = other.start();
        writeAll(store);
        store.writeBack();
        other.disk().planNext(skipped, Fault.LOSE);
        for (int second = 50; second < 52; second++) {
          try {
            discard(store, KEY, second);
          } catch (VdfsException e) {
            assertEquals(ErrorCode.IO_ERROR, e.code());
          }
        }
        for (int seed = 0; seed < 10; seed++) {
          kept += cutAndCheck(other.disk().fork(), seed) ? 1 : 0;
        }
      }
    }
    assertTrue(kept > 0);
  }

  /** Whether the garbage has the file, which is held otherwise. */
  private static boolean cutAndCheck(SimulatedDisk disk, int seed) throws VdfsException {
    try (Machine other = new Machine(TWO_VOLUMES, disk)) {
      other.cutPower(seed);
      DiskBlockStore store = other.start();
      if (disk.files().stream().filter(GarbageTest::isKept).count() >= 2L * TWO_VOLUMES.size()) {
        return true;
      }
      assertHolds(store);
      return false;
    }
  }

  @Test
  void shouldHoldAllOrNothingWhereThePowerFails() throws VdfsException {
    int held = 0;
    int kept = 0;
    for (int at = 0; at < 12; at++) {
      for (int seed = 0; seed < 4; seed++) {
        try (Machine other = new Machine(TWO_VOLUMES)) {
          DiskBlockStore store = other.start();
          writeAll(store);
          store.writeBack();
          other.disk().planNext(at, seed % 2 == 0 ? Fault.CRASH : Fault.CRASH_MIDWAY);
          try {
            discard(store, KEY, 50);
          } catch (VdfsException e) {
            assertTrue(other.disk().hasCrashed(), e::toString);
          }
          other.cutPower(seed);
          DiskBlockStore again = other.start();
          boolean whole = true;
          for (int group = 0; group < 3; group++) {
            long length = again.group(KEY, group).length();
            whole &= length == groupOf(FILE, group).length;
            assertTrue(
                length == 0 || Arrays.equals(groupOf(FILE, group), readGroup(again, KEY, group)));
          }
          boolean garbage =
              other.disk().files().stream().filter(GarbageTest::isKept).count()
                  == 2L * TWO_VOLUMES.size();
          assertTrue(
              whole || garbage, "neither held nor kept: step=%d, seed=%d".formatted(at, seed));
          held += whole ? 1 : 0;
          kept += garbage ? 1 : 0;
        }
      }
    }
    assertTrue(held > 5 && kept > 5, "held=%d, kept=%d".formatted(held, kept));
  }
}
