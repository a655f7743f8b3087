package io.vdfs.datanode.store.load;

import static io.vdfs.datanode.store.StoreFixture.BLANKS;
import static io.vdfs.datanode.store.StoreFixture.ONE_VOLUME;
import static io.vdfs.datanode.store.StoreFixture.content;
import static io.vdfs.datanode.store.StoreFixture.readGroup;
import static io.vdfs.datanode.store.StoreFixture.writeSmall;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.InodeIds;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.store.CombinedFileHeader;
import io.vdfs.common.store.CombinedFileLayout;
import io.vdfs.datanode.store.StoreFixture;
import io.vdfs.datanode.store.disk.PackedDisk;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.index.HeapBlockIndex;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.volume.BlankFiles;
import io.vdfs.datanode.store.volume.CombinedFileName;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.ThreadingMode;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Starts on a volume with pairs of blank files that cannot be read, or get no names. */
@Timeout(60)
class BlankAdoptionTest {
  private static final Path VOLUME = ONE_VOLUME.get(0);
  private static final Path BLANK = BlankFiles.directoryOf(VOLUME);
  private static final CombinedFileLayout LAYOUT = CombinedFileLayout.of(StoreFixture.GEOMETRY);
  private static final int SIZE = 1300;

  /** Of all of them no two share a directory. */
  private static final int APART = 256;

  private final SimulatedDisk simulated = new SimulatedDisk();
  private final PackedDisk disk = new PackedDisk(simulated);
  private DiskBlockStore store;

  @BeforeEach
  void makeBlankFiles() throws VdfsException {
    start();
    write(0);
    store.writeBack();
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

  private void restart() throws VdfsException {
    kill();
    start();
  }

  private void kill() throws VdfsException {
    simulated.kill();
    store.close();
  }

  private void cutPower(int seed) throws VdfsException {
    simulated.cutPower(new Random(seed));
    store.close();
    start();
  }

  private static FileKey key(int number) {
    return new FileKey(InodeIds.file(1 + (long) number * APART, 3), 1);
  }

  private static Path own(int number) {
    return new CombinedFileName(key(number), BlockRole.PRIMARY).data(VOLUME);
  }

  private void write(int number) throws VdfsException {
    writeSmall(store, key(number), content(number, SIZE));
  }

  private void assertServed(int number) throws VdfsException {
    assertArrayEquals(content(number, SIZE), readGroup(store, key(number), 0), "file " + number);
  }

  private void assertReported(String what) {
    assertTrue(
        store.report().problems().stream().anyMatch(problem -> problem.contains(what)),
        () -> what + " in " + store.report().problems());
  }

  private List<Path> blankData() {
    return simulated.files().stream()
        .filter(file -> file.startsWith(BLANK))
        .filter(file -> file.toString().endsWith(CombinedFileName.DATA_SUFFIX))
        .toList();
  }

  @Test
  void shouldStartWithAnUnusedPairThatCannotBeRead() throws VdfsException {
    write(1);
    Path unused = blankData().get(1);
    simulated.spoil(unused, LAYOUT.dataOffset(0), 1);

    restart();

    assertServed(0);
    assertServed(1);
    assertReported("left as it is: file=" + unused);
    assertEquals(List.of(unused), blankData());
    write(2);
    store.writeBack();
    assertTrue(blankData().size() > BLANKS);
    write(3);
    restart();
    assertServed(2);
    assertServed(3);
  }

  @Test
  void shouldNameAPairThatOneOfItsPartsTellsOf() throws VdfsException {
    write(1);
    simulated.spoil(blankData().get(0), 0, CombinedFileHeader.SIZE);

    restart();

    assertServed(1);
    assertEquals(List.of(), blankData());
  }

  @Test
  void shouldKeepAPairForTheNextStartThatDoesNotTellWhoseItIs() throws VdfsException {
    write(1);
    write(2);
    Path used = blankData().get(0);
    Path index = Path.of(used.toString().replace(".vcf", ".idx"));
    simulated.spoil(used, 0, LAYOUT.dataOffset(0));
    simulated.spoil(index, 0, 1);

    restart();

    assertServed(2);
    assertEquals(0, store.group(key(1), 0).length());
    simulated.heal(used);
    simulated.heal(index);
    restart();
    assertServed(1);
    assertEquals(List.of(), store.report().problems());
  }

  @Test
  void shouldPutAPairAsideWhoseFileCameAnewMeanwhile() throws VdfsException {
    write(1);
    Path used = blankData().get(0);
    Path index = Path.of(used.toString().replace(".vcf", ".idx"));
    simulated.spoil(used, 0, LAYOUT.dataOffset(0));
    simulated.spoil(index, 0, 1);
    restart();
    byte[] newer = content(9, SIZE);
    StoreFixture.write(store, key(1), 0, newer, 7);
    simulated.heal(used);
    simulated.heal(index);
    byte[] bytes = simulated.bytes(used);

    restart();

    assertArrayEquals(newer, readGroup(store, key(1), 0));
    assertEquals(1, store.counters().get(StoreCounter.PUT_ASIDE));
    assertArrayEquals(bytes, simulated.bytes(Path.of(used + CombinedFileName.DAMAGED_SUFFIX)));
  }

  @Test
  void shouldNameUsedPairsInTheRoomThatUnusedOnesGive() throws VdfsException {
    write(1);
    kill();
    disk.fillUp();

    start();

    assertServed(1);
    assertEquals(List.of(), store.report().problems());
    assertTrue(simulated.files().contains(own(1)));
    assertEquals(List.of(), blankData());
  }

  private void startWithoutRoom() throws VdfsException {
    for (int number = 1; number <= BLANKS; number++) {
      write(number);
    }
    kill();
    disk.fillUp();
    start();
    assertEquals(BLANKS, blankData().size());
  }

  @Test
  void shouldServePairsForWhoseNamesThereIsNoRoom() throws VdfsException {
    startWithoutRoom();

    assertReported("left as it is: file=" + BLANK);
    for (int number = 0; number <= BLANKS; number++) {
      assertServed(number);
    }
    restart();
    assertServed(1);
  }

  @Test
  void shouldNamePairsOnceThereIsRoom() throws VdfsException {
    startWithoutRoom();
    disk.giveRoom();

    write(BLANKS + 1);
    store.writeBack();

    assertTrue(simulated.files().contains(own(1)));
    for (int number = 0; number <= BLANKS + 1; number++) {
      assertServed(number);
    }
    assertEquals(BLANKS, store.counters().get(StoreCounter.BLANKS_NAMED));
    for (int seed = 0; seed < 20; seed++) {
      cutPower(seed);
      assertServed(1);
    }
  }

  @Test
  void shouldNotBringAFileBackThatWasRemovedInAPair() throws VdfsException {
    startWithoutRoom();
    assertTrue(store.delete(key(1)));
    store.forceRemovals(1);
    disk.giveRoom();

    cutPower(1);

    assertEquals(0, store.group(key(1), 0).length());
    assertServed(2);
    assertFalse(simulated.files().contains(own(1)));
  }

  @Test
  void shouldServeAPairOnceOfWhichOnlyTheDataGotItsName() throws Exception {
    write(1);
    write(2);
    kill();
    simulated.createDirectories(own(1).getParent());
    simulated.link(own(1), blankData().get(0));
    disk.fillUp();

    start();

    assertServed(1);
    assertFalse(simulated.files().contains(own(1)));
    disk.giveRoom();
    restart();
    assertServed(1);
    assertTrue(simulated.files().contains(own(1)));
  }
}
