package io.vdfs.datanode.store;

import static io.vdfs.datanode.store.StoreFixture.GROUP;
import static io.vdfs.datanode.store.StoreFixture.KEY;
import static io.vdfs.datanode.store.StoreFixture.ONE_VOLUME;
import static io.vdfs.datanode.store.StoreFixture.assertCode;
import static io.vdfs.datanode.store.StoreFixture.content;
import static io.vdfs.datanode.store.StoreFixture.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.ForwardingDisk;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.disk.SimulatedDisk.Fault;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.group.RemovedFiles;
import io.vdfs.datanode.store.volume.RemovalMark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Removing files, and what must not make them again. */
class RemovalTest {
  private static final byte[] FILE = content(7, GROUP);

  private final Machine machine = new Machine(ONE_VOLUME);
  private final SimulatedDisk disk = machine.disk();

  @AfterEach
  void stop() throws VdfsException {
    machine.close();
  }

  private long blockFiles() {
    return disk.files().stream().filter(file -> file.startsWith("/d0/blocks")).count();
  }

  @Test
  void shouldTryAgainWhatCouldNotBeRemoved() throws VdfsException {
    DiskBlockStore store = machine.start();
    write(store, KEY, 0, FILE, 1);
    for (int skipped = 0; skipped < 2; skipped++) {
      disk.planNext(skipped, Fault.ERROR);
      int fired = disk.fired();
      assertCode(ErrorCode.IO_ERROR, () -> store.delete(KEY));
      assertEquals(fired + 1, disk.fired());
      assertTrue(blockFiles() > 0);
    }
    assertTrue(store.delete(KEY));
    assertEquals(0, blockFiles());
  }

  @Test
  void shouldNotMakeARemovedFileAgainForALateWriterOrFence() throws VdfsException {
    DiskBlockStore store = machine.start();
    write(store, KEY, 0, FILE, 1);
    assertTrue(store.delete(KEY));
    assertCode(ErrorCode.FENCED, () -> StoreFixture.writer(store, KEY, 0, 2, 0));
    assertCode(ErrorCode.FENCED, () -> store.fence(KEY, 0, 3));
    assertCode(ErrorCode.FENCED, () -> store.truncateGroup(KEY, 0, 0, 4));
    assertEquals(0, blockFiles());
  }

  @Test
  void shouldKeepForcedRemovalsInAPowerCut() throws VdfsException {
    int returned = 0;
    for (int seed = 0; seed < 20; seed++) {
      try (Machine other = new Machine(StoreFixture.TWO_VOLUMES)) {
        DiskBlockStore store = other.start();
        write(store, KEY, 0, FILE, 1);
        assertTrue(store.delete(KEY));
        boolean forced = seed >= 10;
        if (forced) {
          store.forceRemovals(1);
        }
        other.cutPower(seed);
        long length = other.start().group(KEY, 0).length();
        assertTrue(!forced || length == 0, "seed " + seed);
        returned += length > 0 ? 1 : 0;
      }
    }
    assertTrue(returned > 0, "without a force some come back");
  }

  @Test
  void shouldForceWhatAnEarlierProcessRemoved() throws VdfsException {
    for (int seed = 0; seed < 10; seed++) {
      try (Machine other = new Machine(ONE_VOLUME)) {
        DiskBlockStore store = other.start();
        write(store, KEY, 0, FILE, 1);
        assertTrue(store.delete(KEY));
        other.kill();
        store = other.start();
        assertFalse(store.delete(KEY));
        store.forceRemovals(1);
        other.cutPower(seed);
        assertEquals(0, other.start().group(KEY, 0).length(), "seed " + seed);
      }
    }
  }

  @Test
  void shouldForceEachDirectoryOnceForManyFiles() throws VdfsException {
    DiskBlockStore store = machine.start();
    for (int number = 0; number < 50; number++) {
      write(store, new FileKey(100 + number, 1), 0, FILE, 1);
    }
    int before = disk.trace().size();
    for (int number = 0; number < 50; number++) {
      assertTrue(store.delete(new FileKey(100 + number, 1)));
    }
    store.forceRemovals(1);
    assertEquals(1, forcesOfLeaves(before));
    store.delete(KEY);
    store.forceRemovals(1);
    assertEquals(1, forcesOfLeaves(before), "a clean directory was forced again");
  }

  private long forcesOfLeaves(int before) {
    return disk.trace().subList(before, disk.trace().size()).stream()
        .filter(operation -> operation.contains("force directory /d0/blocks"))
        .count();
  }

  @Test
  void shouldTrustNoForceAfterOneThatFailedUntilTheNextStart() throws VdfsException {
    DiskBlockStore store = machine.start();
    write(store, KEY, 0, FILE, 1);
    assertTrue(store.delete(KEY));
    disk.planNext(0, Fault.LOSE);
    int fired = disk.fired();
    assertCode(ErrorCode.IO_ERROR, () -> store.forceRemovals(1));
    assertEquals(fired + 1, disk.fired());
    VdfsException refused = assertCode(ErrorCode.IO_ERROR, () -> store.forceRemovals(1));
    assertTrue(refused.getMessage().contains("/d0/blocks/00/00"), refused.getMessage());
    assertTrue(refused.getMessage().contains("restart"), refused.getMessage());

    DiskBlockStore again = restarted();
    assertFalse(again.delete(KEY));
    again.forceRemovals(1);
    machine.cutPower(3);
    assertEquals(0, machine.start().group(KEY, 0).length());
  }

  /** A disk where all removals up to then are forced right before a file goes. */
  private static final class ForcedBefore extends ForwardingDisk {
    private Optional<DiskBlockStore> store = Optional.empty();

    private ForcedBefore(Disk disk) {
      super(disk);
    }

    @Override
    public void delete(Path file) throws IOException {
      if (store.isPresent() && file.startsWith("/d0/blocks")) {
        store.get().forceRemovals(1);
      }
      super.delete(file);
    }
  }

  @Test
  void shouldForceARemovalThatAnotherForceWasTooEarlyFor() throws VdfsException {
    for (boolean blank : List.of(false, true)) {
      SimulatedDisk simulated = new SimulatedDisk();
      ForcedBefore forcing = new ForcedBefore(simulated);
      try (DiskBlockStore store = StoreFixture.open(forcing)) {
        StoreFixture.writeSmall(store, new FileKey(KEY.fileId() + 1, 1), content(1, 100));
        store.writeBack();
        StoreFixture.smallWriter(store, KEY, blank ? 100 : 0).close(false);
        write(store, KEY, 0, content(2, 100), 2);
        forcing.store = Optional.of(store);
        assertTrue(store.delete(KEY));
        forcing.store = Optional.empty();

        store.forceRemovals(2);

        for (int seed = 0; seed < 20; seed++) {
          try (Machine after = new Machine(ONE_VOLUME, simulated.fork())) {
            after.cutPower(seed);
            assertEquals(0, after.start().group(KEY, 0).length(), "cut " + seed);
          }
        }
      }
    }
  }

  @Test
  void shouldNotCallRemovalsDoneWhileAVolumeIsNotServed() throws VdfsException {
    try (Machine other = new Machine(StoreFixture.TWO_VOLUMES)) {
      other.start();
      other.kill();
      other.disk().breakDown(Path.of("/d1"));
      DiskBlockStore store = other.start();
      assertFalse(store.delete(KEY));
      VdfsException refused = assertCode(ErrorCode.IO_ERROR, () -> store.forceRemovals(1));
      assertTrue(refused.getMessage().contains("/d1"), refused.getMessage());
    }
  }

  @Test
  void shouldAskAfterARestartWhetherAFileToBeFencedWasRemoved() throws VdfsException {
    FileKey kept = new FileKey(KEY.fileId() - 1, 1);
    DiskBlockStore store = restartAfterRemoval(kept);
    assertCode(ErrorCode.UNAVAILABLE, () -> store.fence(KEY, 0, 3));
    List<FileKey> asked = new ArrayList<>();
    store.ask(
        file -> {
          asked.add(file);
          return !file.equals(KEY);
        });
    assertCode(ErrorCode.FENCED, () -> store.fence(KEY, 0, 3));
    assertEquals(List.of(KEY), asked);
    // what is held needs no question
    assertEquals(GROUP, store.fence(kept, 0, 2).length());
    assertEquals(1, asked.size());
  }

  /** Removes the file by the seventh deletion, and leaves another one that is older. */
  private DiskBlockStore restartAfterRemoval(FileKey kept) throws VdfsException {
    DiskBlockStore store = machine.start();
    write(store, kept, 0, FILE, 1);
    write(store, KEY, 0, FILE, 1);
    assertTrue(store.delete(KEY));
    store.forceRemovals(7);
    machine.cutPower(1);
    return machine.start();
  }

  private static BlockWriter writer(BlockStore store, FileKey file, int epoch, long lastDeletion)
      throws VdfsException {
    return store.openWriter(file, BlockRole.PRIMARY, epoch, 0, 0, LeaseBound.NONE, lastDeletion);
  }

  @Test
  void shouldSendWritersBackWhoseFileMayHaveBeenRemovedWithoutAskingTheMetadata()
      throws VdfsException {
    FileKey kept = new FileKey(KEY.fileId() - 1, 1);
    FileKey older = new FileKey(KEY.fileId() - 2, 1);
    FileKey younger = new FileKey(KEY.fileId() + 1, 1);
    DiskBlockStore store = restartAfterRemoval(kept);
    store.ask(
        file -> {
          throw new AssertionError("asked for " + file);
        });
    VdfsException refused = assertCode(ErrorCode.STALE_TICKET, () -> writer(store, KEY, 2, 6));
    assertTrue(refused.getMessage().contains("carried out here=7"), refused.getMessage());
    assertCode(ErrorCode.STALE_TICKET, () -> writer(store, older, 1, 6));
    assertEquals(0, store.group(older, 0).length());
    // there when the seventh deletion was the last one; held; younger than all that was removed
    writer(store, older, 1, 7).abandon();
    writer(store, kept, 2, 0).abandon();
    writer(store, younger, 1, 0).abandon();
  }

  @Test
  void shouldAskForWritersToWhereItIsNotKnownWhatWasRemoved() throws VdfsException {
    restartAfterRemoval(new FileKey(KEY.fileId() - 1, 1));
    machine.kill();
    disk.flip(Path.of("/d0/vdfs-removed"), 3);
    DiskBlockStore again = machine.start();
    assertCode(ErrorCode.UNAVAILABLE, () -> writer(again, KEY, 2, 8));
    again.ask(file -> false);
    assertCode(ErrorCode.FENCED, () -> writer(again, KEY, 2, 8));
    again.ask(file -> true);
    writer(again, KEY, 2, 8).abandon();
    again.forceRemovals(9);
    assertCode(ErrorCode.UNAVAILABLE, () -> writer(restarted(), new FileKey(5, 1), 2, 10));
  }

  private DiskBlockStore restarted() throws VdfsException {
    machine.kill();
    return machine.start();
  }

  @Test
  void shouldForgetTheOldestButNotThatTheyMayHaveBeenRemoved() {
    RemovedFiles removed = new RemovedFiles(2, new RemovalMark(10, 3));
    removed.add(new FileKey(30, 1));
    removed.add(new FileKey(20, 1));
    removed.reached(5);
    assertFalse(removed.mayContain(new FileKey(25, 1)));
    assertTrue(removed.mayContain(new FileKey(9, 1)));
    assertTrue(removed.mustAsk(new FileKey(9, 1), 2));
    assertFalse(removed.mustAsk(new FileKey(9, 1), 3));
    removed.add(new FileKey(40, 1));
    assertFalse(removed.contains(new FileKey(30, 1)));
    assertTrue(removed.mayContain(new FileKey(30, 1)));
    assertTrue(removed.mustAsk(new FileKey(30, 1), 4));
    assertFalse(removed.mustAsk(new FileKey(30, 1), 5));
    assertTrue(removed.contains(new FileKey(20, 1)));
    assertFalse(removed.mustAsk(new FileKey(20, 1), 4), "known to be removed");
    assertFalse(removed.mayContain(new FileKey(31, 1)));
    assertEquals(new RemovalMark(40, 5), removed.mark());
  }
}
