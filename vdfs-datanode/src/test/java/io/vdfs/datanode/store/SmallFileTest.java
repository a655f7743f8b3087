package io.vdfs.datanode.store;

import static io.vdfs.datanode.store.StoreFixture.BLANKS;
import static io.vdfs.datanode.store.StoreFixture.BLOCK;
import static io.vdfs.datanode.store.StoreFixture.CHUNK;
import static io.vdfs.datanode.store.StoreFixture.GROUP;
import static io.vdfs.datanode.store.StoreFixture.ONE_VOLUME;
import static io.vdfs.datanode.store.StoreFixture.append;
import static io.vdfs.datanode.store.StoreFixture.assertCode;
import static io.vdfs.datanode.store.StoreFixture.content;
import static io.vdfs.datanode.store.StoreFixture.open;
import static io.vdfs.datanode.store.StoreFixture.readGroup;
import static io.vdfs.datanode.store.StoreFixture.smallWriter;
import static io.vdfs.datanode.store.StoreFixture.writeSmall;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.InodeIds;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.ForwardingDisk;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.disk.SimulatedDisk.Fault;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.volume.BlankFiles;
import io.vdfs.datanode.store.volume.CombinedFileName;
import io.vdfs.datanode.store.volume.WriteBack;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Small files in files that were made ahead: what they cost, and what a power cut leaves. */
@Timeout(120)
class SmallFileTest {
  private static final int CUTS = 40;
  private static final int SIZE = 1300;

  /** Of a file in another directory than those of {@link #key}. */
  private static final FileKey ELSEWHERE = new FileKey(InodeIds.file(300, 3), 1);

  private static FileKey key(int number) {
    return new FileKey(InodeIds.file(number + 1L, 3), 1);
  }

  private static byte[] bytes(int number) {
    return content(number, SIZE);
  }

  /** A store with blank files at hand. */
  private static DiskBlockStore ready(Machine machine) throws VdfsException {
    DiskBlockStore store = machine.start();
    writeSmall(store, key(0), bytes(0));
    store.writeBack();
    return store;
  }

  private static List<String> since(SimulatedDisk disk, int operations) {
    return disk.trace().subList(operations, disk.operations());
  }

  private static long forces(List<String> trace) {
    return trace.stream().filter(line -> line.contains(" force ")).count();
  }

  private static List<Path> inBlanks(SimulatedDisk disk) {
    Path directory = BlankFiles.directoryOf(ONE_VOLUME.get(0));
    return disk.files().stream().filter(file -> file.startsWith(directory)).toList();
  }

  private static List<Path> dataFiles(SimulatedDisk disk) {
    return inBlanks(disk).stream()
        .filter(file -> file.toString().endsWith(CombinedFileName.DATA_SUFFIX))
        .toList();
  }

  private static void cutAndCheck(DiskBlockStore store, SimulatedDisk disk, int files)
      throws VdfsException {
    for (int seed = 0; seed < CUTS; seed++) {
      cutAndCheck(disk.fork(), files, seed);
    }
    assertEquals(0, store.report().problems().size());
  }

  private static void cutAndCheck(SimulatedDisk disk, int files, int seed) throws VdfsException {
    try (Machine machine = new Machine(ONE_VOLUME, disk)) {
      machine.cutPower(seed);
      DiskBlockStore store = machine.start();
      for (int number = 0; number < files; number++) {
        assertArrayEquals(bytes(number), readGroup(store, key(number), 0), "cut " + seed);
      }
      assertEquals(List.of(), inBlanks(disk), "cut " + seed);
    }
  }

  @Test
  void shouldForceOneFileOnceBytesAndNameTogether() throws VdfsException {
    try (Machine machine = new Machine(ONE_VOLUME)) {
      DiskBlockStore store = ready(machine);
      int before = machine.disk().operations();

      writeSmall(store, key(1), bytes(1));

      assertEquals(1, forces(since(machine.disk(), before)));
      assertEquals(1, store.counters().get(StoreCounter.BLANKS_USED));
      assertEquals(1, store.counters().get(StoreCounter.BLANKS_MISSED));
      cutAndCheck(store, machine.disk(), 2);
    }
  }

  @Test
  void shouldNameManyFilesWithOneForceOfTheirDirectory() throws VdfsException {
    try (Machine machine = new Machine(ONE_VOLUME)) {
      DiskBlockStore store = ready(machine);
      for (int number = 1; number <= BLANKS; number++) {
        writeSmall(store, key(number), bytes(number));
      }
      int before = machine.disk().operations();

      store.writeBack();

      List<String> trace = since(machine.disk(), before);
      assertEquals(2, forces(trace), trace::toString);
      assertEquals(BLANKS, store.counters().get(StoreCounter.BLANKS_NAMED));
      for (int number = 1; number <= BLANKS; number++) {
        Path own = new CombinedFileName(key(number), BlockRole.PRIMARY).data(ONE_VOLUME.get(0));
        assertTrue(machine.disk().files().contains(own), machine.disk().files()::toString);
      }
      cutAndCheck(store, machine.disk(), BLANKS + 1);
    }
  }

  @Test
  void shouldKeepFilesThroughAPowerCutAnywhereWhileTheyGetTheirNames() throws VdfsException {
    int last = 0;
    boolean crashed = true;
    for (int step = 0; crashed; step++) {
      try (Machine machine = new Machine(ONE_VOLUME)) {
        DiskBlockStore store = ready(machine);
        for (int number = 1; number <= BLANKS; number++) {
          writeSmall(store, key(number), bytes(number));
        }
        machine.disk().planNext(step, step % 2 == 0 ? Fault.CRASH : Fault.CRASH_MIDWAY);
        store.writeBack();
        crashed = machine.disk().hasCrashed();
        last = step;
        for (int seed = 0; seed < CUTS; seed++) {
          cutAndCheck(machine.disk().fork(), BLANKS + 1, seed);
        }
      }
    }
    assertTrue(last > 10, "steps=" + last);
  }

  /** A disk where a writer wants a blank file while a force of a directory fails. */
  private static final class AskedMeanwhile extends ForwardingDisk {
    private Optional<DiskBlockStore> asked = Optional.empty();

    private AskedMeanwhile(Disk disk) {
      super(disk);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
      try {
        super.forceDirectory(directory);
      } catch (IOException e) {
        if (asked.isPresent()) {
          smallWriter(asked.get(), key(BLANKS + 1), SIZE).abandon();
        }
        throw e;
      }
    }
  }

  @Test
  void shouldKeepFilesWhereAForceLosesTheirNames() throws VdfsException {
    int lost = 0;
    boolean fired = true;
    for (int step = 0; fired; step++) {
      SimulatedDisk simulated = new SimulatedDisk();
      AskedMeanwhile disk = new AskedMeanwhile(simulated);
      try (DiskBlockStore store = open(disk)) {
        writeSmall(store, key(0), bytes(0));
        store.writeBack();
        for (int number = 1; number <= BLANKS; number++) {
          writeSmall(store, key(number), bytes(number));
        }
        disk.asked = Optional.of(store);
        int planned = simulated.operations() + step;
        simulated.planNext(step, Fault.LOSE);
        store.writeBack();
        fired = simulated.fired() > 0;
        store.writeBack();
        lost += fired && simulated.trace().get(planned).contains("force directory") ? 1 : 0;
        for (int seed = 0; seed < CUTS; seed++) {
          cutAndCheck(simulated.fork(), BLANKS + 1, seed);
        }
      }
    }
    assertTrue(lost > 1, "lost=" + lost);
  }

  /** A file closed without force may be lost or cut short, but never be anything else. */
  @Test
  void shouldLoseInAPowerCutOnlyWhatWasClosedWithoutForce() throws VdfsException {
    int lost = 0;
    int kept = 0;
    for (boolean blank : List.of(false, true)) {
      try (Machine machine = new Machine(ONE_VOLUME)) {
        DiskBlockStore store = ready(machine);
        writeSmall(store, key(1), bytes(1));
        int before = machine.disk().operations();
        BlockWriter writer = smallWriter(store, key(2), blank ? SIZE : 0);
        append(writer, bytes(2), 0, SIZE);
        writer.close(false);
        assertEquals(0, forces(since(machine.disk(), before)));
        assertArrayEquals(bytes(2), readGroup(store, key(2), 0));
        writeSmall(store, key(3), bytes(3));
        for (int seed = 0; seed < CUTS; seed++) {
          try (Machine after = new Machine(ONE_VOLUME, machine.disk().fork())) {
            after.cutPower(seed);
            DiskBlockStore again = after.start();
            for (int number : List.of(0, 1, 3)) {
              assertArrayEquals(bytes(number), readGroup(again, key(number), 0), "cut " + seed);
            }
            byte[] held = readGroup(again, key(2), 0);
            assertArrayEquals(Arrays.copyOf(bytes(2), held.length), held, "cut " + seed);
            if (held.length < SIZE) {
              lost++;
              int from = held.length;
              assertCode(
                  ErrorCode.NOT_FOUND,
                  () -> StoreFixture.read(again, key(2), 0, from, SIZE - from));
            } else {
              kept++;
            }
          }
        }
      }
    }
    assertTrue(lost > 0 && kept > 0, "lost=" + lost + ", kept=" + kept);
  }

  @Test
  void shouldForceLaterWhatWasClosedWithoutForce() throws VdfsException {
    try (Machine machine = new Machine(ONE_VOLUME)) {
      DiskBlockStore store = ready(machine);
      BlockWriter writer = smallWriter(store, key(1), SIZE);
      append(writer, bytes(1), 0, SIZE);
      writer.close(false);
      store.writeBack();
      cutAndCheck(store, machine.disk(), 2);
    }
  }

  /** Each file that waits is open: those who close files faster than the disk forces them wait. */
  @Test
  void shouldForceAtOnceWhereTooManyFilesWait() throws VdfsException {
    try (Machine machine = new Machine(ONE_VOLUME)) {
      DiskBlockStore store = machine.start();
      int started = machine.disk().operations();
      for (int number = 0; number < WriteBack.MOST_WAITING; number++) {
        closeUnforced(store, number);
      }
      int before = machine.disk().operations();
      assertEquals(0, forces(since(machine.disk(), started)));
      closeUnforced(store, WriteBack.MOST_WAITING);
      assertTrue(forces(since(machine.disk(), before)) > 0);

      store.writeBack();
      int after = machine.disk().operations();
      closeUnforced(store, WriteBack.MOST_WAITING + 1);
      assertEquals(0, forces(since(machine.disk(), after)));
    }
  }

  private static void closeUnforced(DiskBlockStore store, int number) throws VdfsException {
    BlockWriter writer = smallWriter(store, key(number), 0);
    append(writer, bytes(number), 0, SIZE);
    writer.close(false);
  }

  @Test
  void shouldNotBringARemovedFileBack() throws VdfsException {
    for (boolean named : List.of(false, true)) {
      try (Machine machine = new Machine(ONE_VOLUME)) {
        DiskBlockStore store = ready(machine);
        writeSmall(store, key(1), bytes(1));
        writeSmall(store, key(2), bytes(2));
        if (named) {
          store.writeBack();
        }
        store.delete(key(1));
        store.forceRemovals(1);
        for (int seed = 0; seed < CUTS; seed++) {
          try (Machine after = new Machine(ONE_VOLUME, machine.disk().fork())) {
            after.cutPower(seed);
            DiskBlockStore again = after.start();
            assertEquals(0, again.group(key(1), 0).length(), "cut " + seed);
            assertArrayEquals(bytes(2), readGroup(again, key(2), 0), "cut " + seed);
          }
        }
      }
    }
  }

  @Test
  void shouldNotBringBackWhatAnEarlierProcessRemovedWithoutForcingIt() throws VdfsException {
    try (Machine machine = new Machine(ONE_VOLUME)) {
      DiskBlockStore store = ready(machine);
      writeSmall(store, key(1), bytes(1));
      store.delete(key(1));
      machine.kill();
      DiskBlockStore again = machine.start();
      again.delete(key(1));
      again.forceRemovals(1);
      for (int seed = 0; seed < CUTS; seed++) {
        try (Machine after = new Machine(ONE_VOLUME, machine.disk().fork())) {
          after.cutPower(seed);
          assertEquals(0, after.start().group(key(1), 0).length(), "cut " + seed);
        }
      }
    }
  }

  @Test
  void shouldNotBringBackWhatWasDiscardedInPlaceOfANewFile() throws VdfsException {
    for (boolean named : List.of(false, true)) {
      for (boolean restarted : List.of(false, true)) {
        try (Machine machine = new Machine(ONE_VOLUME)) {
          DiskBlockStore store = ready(machine);
          writeSmall(store, key(1), bytes(1));
          if (named) {
            store.writeBack();
          }
          assertTrue(store.discard(key(1), BlockStore.ANY_EPOCH, 50).isPresent());
          if (restarted) {
            machine.kill();
            store = machine.start();
            writeSmall(store, ELSEWHERE, bytes(0));
            store.writeBack();
          }
          writeSmall(store, key(1), bytes(2));
          assertSurvives(machine.disk(), key(1), bytes(2));
        }
      }
    }
  }

  private static void assertSurvives(SimulatedDisk disk, FileKey key, byte[] file)
      throws VdfsException {
    for (int seed = 0; seed < CUTS; seed++) {
      try (Machine after = new Machine(ONE_VOLUME, disk.fork())) {
        after.cutPower(seed);
        assertArrayEquals(file, readGroup(after.start(), key, 0), "cut " + seed);
      }
    }
  }

  @Test
  void shouldUseABlankFileWhereNothingCanComeBack() throws VdfsException {
    try (Machine machine = new Machine(ONE_VOLUME)) {
      DiskBlockStore store = ready(machine);
      writeSmall(store, key(1), bytes(1));
      assertEquals(1, store.counters().get(StoreCounter.BLANKS_USED));
      assertTrue(store.discard(key(1), BlockStore.ANY_EPOCH, 50).isPresent());
      store.forceRemovals(1);
      writeSmall(store, key(1), bytes(2));
      assertEquals(2, store.counters().get(StoreCounter.BLANKS_USED));
      assertSurvives(machine.disk(), key(1), bytes(2));
      store.writeBack();
      machine.kill();

      DiskBlockStore again = machine.start();
      writeSmall(again, ELSEWHERE, bytes(0));
      again.writeBack();
      writeSmall(again, key(2), bytes(2));
      assertEquals(0, again.counters().get(StoreCounter.BLANKS_USED));
      writeSmall(again, key(3), bytes(3));
      assertEquals(1, again.counters().get(StoreCounter.BLANKS_USED));
    }
  }

  @Test
  void shouldKeepAFenceThatOnlyTheIndexOfABlankFileHas() throws VdfsException {
    try (Machine machine = new Machine(ONE_VOLUME)) {
      DiskBlockStore store = ready(machine);
      smallWriter(store, key(1), SIZE);
      store.fence(key(1), 0, 7);
      for (int seed = 0; seed < CUTS; seed++) {
        try (Machine after = new Machine(ONE_VOLUME, machine.disk().fork())) {
          after.cutPower(seed);
          assertEquals(7, after.start().group(key(1), 0).fenceEpoch(), "cut " + seed);
        }
      }
    }
  }

  @Test
  void shouldTakeMoreBytesThanWereToldOf() throws VdfsException {
    try (Machine machine = new Machine(ONE_VOLUME)) {
      DiskBlockStore store = ready(machine);
      byte[] file = content(9, GROUP);
      BlockWriter writer = smallWriter(store, key(1), 10);
      append(writer, file, 0, CHUNK + 1);
      append(writer, file, CHUNK, GROUP);
      writer.close(true);
      assertEquals(1, store.counters().get(StoreCounter.BLANKS_USED));
      machine.cutPower(3);
      assertArrayEquals(file, readGroup(machine.start(), key(1), 0));
    }
  }

  @Test
  void shouldNotPutALargerFileIntoABlankOne() throws VdfsException {
    try (Machine machine = new Machine(ONE_VOLUME)) {
      DiskBlockStore store = ready(machine);
      byte[] file = content(9, BLOCK + 1);
      writeSmall(store, key(1), file);
      assertEquals(0, store.counters().get(StoreCounter.BLANKS_USED));
      assertArrayEquals(file, readGroup(store, key(1), 0));
    }
  }

  @Test
  void shouldGiveUpUnusedRoomOfABlankFile() throws VdfsException {
    try (Machine machine = new Machine(ONE_VOLUME)) {
      DiskBlockStore store = ready(machine);
      writeSmall(store, key(1), content(1, 10));
      writeSmall(store, key(2), bytes(2));
      int blank = machine.disk().bytes(dataFiles(machine.disk()).get(0)).length;
      store.writeBack();
      Path own = new CombinedFileName(key(1), BlockRole.PRIMARY).data(ONE_VOLUME.get(0));
      assertTrue(machine.disk().bytes(own).length < blank, "size");
      assertEquals(BLANKS, store.counters().get(StoreCounter.BLANKS_NAMED));
      assertArrayEquals(content(1, 10), readGroup(store, key(1), 0));
      machine.cutPower(1);
      assertArrayEquals(content(1, 10), readGroup(machine.start(), key(1), 0));
    }
  }

  /** A disk where each opening of a blank file comes after it got another name. */
  private static final class RenamedMeanwhile extends ForwardingDisk {
    private final List<Runnable> before = new ArrayList<>();

    private RenamedMeanwhile(Disk disk) {
      super(disk);
    }

    @Override
    public DiskFile open(Path file) throws IOException {
      if (file.toString().contains(BlankFiles.DIRECTORY) && !before.isEmpty()) {
        before.remove(0).run();
      }
      return super.open(file);
    }
  }

  @Test
  void shouldServeAFileThatGetsItsNameWhileItIsBeingOpened() throws VdfsException {
    RenamedMeanwhile disk = new RenamedMeanwhile(new SimulatedDisk());
    try (DiskBlockStore store = open(disk)) {
      writeSmall(store, key(0), bytes(0));
      store.writeBack();
      writeSmall(store, key(1), bytes(1));
      writeSmall(store, key(2), bytes(2));
      for (int number = 10; number < 30; number++) {
        StoreFixture.write(store, key(number), 0, bytes(number), 1);
      }
      disk.before.add(store::writeBack);
      // as the file is no longer open
      assertArrayEquals(bytes(1), readGroup(store, key(1), 0));
      assertTrue(disk.before.isEmpty());
      assertEquals(BLANKS, store.counters().get(StoreCounter.BLANKS_NAMED));
    }
  }

  @Test
  void shouldDoWithoutBlankFilesWhereAFileHasOneNameOnly() throws VdfsException {
    ForwardingDisk disk =
        new ForwardingDisk(new SimulatedDisk()) {
          @Override
          public void link(Path name, Path file) {
            throw new UnsupportedOperationException("planned: no links");
          }
        };
    try (DiskBlockStore store = open(disk)) {
      writeSmall(store, key(0), bytes(0));
      store.writeBack();
      writeSmall(store, key(1), bytes(1));
      assertEquals(0, store.counters().get(StoreCounter.BLANKS_USED));
      assertArrayEquals(bytes(1), readGroup(store, key(1), 0));
    }
  }

  @Test
  void shouldPutAsideAFileOfUnknownOrigin() throws VdfsException {
    try (Machine machine = new Machine(ONE_VOLUME)) {
      DiskBlockStore store = ready(machine);
      writeSmall(store, key(1), bytes(1));
      Path used = dataFiles(machine.disk()).get(0);
      machine.kill();
      byte[] damaged = machine.disk().bytes(used);
      new Random(1).nextBytes(damaged);
      machine.disk().setBytes(used, damaged);
      Path index = Path.of(used.toString().replace(".vcf", ".idx"));
      machine.disk().setBytes(index, new byte[0]);

      DiskBlockStore again = machine.start();

      assertEquals(1, again.counters().get(StoreCounter.PUT_ASIDE));
      assertFalse(again.report().problems().isEmpty());
      assertEquals(0, again.group(key(1), 0).length());
      Path aside = Path.of(used + CombinedFileName.DAMAGED_SUFFIX);
      assertArrayEquals(damaged, machine.disk().bytes(aside));
    }
  }
}
