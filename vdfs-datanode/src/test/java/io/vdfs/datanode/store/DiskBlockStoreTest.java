package io.vdfs.datanode.store;

import static io.vdfs.datanode.store.StoreFixture.BLOCK;
import static io.vdfs.datanode.store.StoreFixture.CHUNK;
import static io.vdfs.datanode.store.StoreFixture.GROUP;
import static io.vdfs.datanode.store.StoreFixture.GROUP_BLOCKS;
import static io.vdfs.datanode.store.StoreFixture.KEY;
import static io.vdfs.datanode.store.StoreFixture.THREE_VOLUMES;
import static io.vdfs.datanode.store.StoreFixture.TWO_VOLUMES;
import static io.vdfs.datanode.store.StoreFixture.append;
import static io.vdfs.datanode.store.StoreFixture.assertCode;
import static io.vdfs.datanode.store.StoreFixture.content;
import static io.vdfs.datanode.store.StoreFixture.readGroup;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.InodeIds;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.disk.SimulatedDisk.Fault;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.status.VolumeUsage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class DiskBlockStoreTest {
  private static final FileKey OTHER = new FileKey(78, 1);

  private final Machine machine = new Machine(TWO_VOLUMES);
  private final byte[] file = content(1, 4 * GROUP);
  private DiskBlockStore store;

  @BeforeEach
  void start() throws VdfsException {
    store = machine.start();
  }

  @AfterEach
  void stop() throws VdfsException {
    machine.close();
  }

  private static List<GroupHolding> holdings(BlockStore store) {
    List<GroupHolding> found = new ArrayList<>();
    store.holdings().forEachRemaining(found::add);
    return found;
  }

  @Test
  void shouldDealGroupsOverVolumesInOneFileEach() throws VdfsException {
    for (int group = 0; group < 4; group++) {
      StoreFixture.write(store, KEY, group, file, 1);
    }
    int first = volumeOf(KEY);
    for (int round = 0; round < 2; round++) {
      Set<Path> paths = new HashSet<>();
      for (long block = 0; block < 4 * GROUP_BLOCKS; block++) {
        BlockLocation found = store.locate(KEY, block).orElseThrow();
        assertEquals((first + block / GROUP_BLOCKS) % 2, found.volume(), "block " + block);
        paths.add(found.path());
      }
      assertEquals(2, paths.size());
      List<GroupHolding> expected = new ArrayList<>();
      for (int group = 0; group < 4; group++) {
        int volume = (first + group) % 2;
        expected.add(new GroupHolding(KEY, group, BlockRole.PRIMARY, volume, GROUP, 1));
        assertArrayEquals(
            Arrays.copyOfRange(file, group * GROUP, (group + 1) * GROUP),
            readGroup(store, KEY, group));
      }
      assertEquals(expected, holdings(store));
      machine.kill();
      store = machine.start();
    }
    assertTrue(store.delete(KEY));
    assertFalse(store.delete(KEY));
    assertEquals(List.of(), holdings(store));
    machine.kill();
    assertEquals(0, machine.start().report().files());
  }

  /** Where the first group of a file lies. */
  private int volumeOf(FileKey key) {
    return store.locate(key, 0).orElseThrow().volume();
  }

  @Test
  void shouldSpreadFilesOfOneGroupEvenlyOverTheVolumes() throws VdfsException {
    try (Machine large = new Machine(THREE_VOLUMES)) {
      store = large.start();
      byte[] small = content(1, 100);
      int[] files = new int[3];
      for (long sequence = 1; sequence <= 300; sequence++) {
        FileKey key = new FileKey(InodeIds.file(sequence, 0x37), 1);
        StoreFixture.write(store, key, 0, small, 1);
        files[volumeOf(key)]++;
      }
      for (int on : files) {
        assertTrue(on >= 75 && on <= 125, () -> Arrays.toString(files));
      }
    }
  }

  @Test
  void shouldSpreadEachThirdGroupOfAFileEvenlyOverThreeVolumes() throws VdfsException {
    try (Machine large = new Machine(THREE_VOLUMES)) {
      store = large.start();
      byte[] bytes = content(1, 27 * GROUP);
      for (int group = 0; group < 27; group += 3) {
        StoreFixture.write(store, KEY, group, bytes, 1);
      }
      large.kill();
      store = large.start();
      Map<Integer, Long> groups =
          holdings(store).stream()
              .collect(Collectors.groupingBy(GroupHolding::volume, Collectors.counting()));
      assertEquals(Map.of(0, 3L, 1, 3L, 2, 3L), groups);
    }
  }

  @Test
  void shouldLeaveAGroupWhereItIsWhereverTheNextOneWouldGo() throws VdfsException {
    StoreFixture.write(store, KEY, 0, file, 1);
    BlockWriter begun = StoreFixture.writer(store, KEY, 1, 1, GROUP);
    append(begun, file, GROUP, GROUP + 100);
    begun.close(true);
    int second = store.locate(KEY, GROUP_BLOCKS).orElseThrow().volume();
    StoreFixture.write(store, KEY, 1, file, 2);
    StoreFixture.write(store, KEY, 0, file, 2);
    assertEquals(second, store.locate(KEY, 2 * GROUP_BLOCKS - 1).orElseThrow().volume());
    assertEquals(1 - second, volumeOf(KEY));
  }

  @Test
  void shouldForceANewFileOnceAndTheNamesAboveItSeldom() throws VdfsException {
    int before = machine.disk().trace().size();
    int files = 1000;
    for (long sequence = 0; sequence < files; sequence++) {
      StoreFixture.write(
          store, new FileKey(InodeIds.file(1000 + sequence, 0x37), 1), 0, this.file, 1);
    }
    Map<String, Long> forces =
        machine.disk().trace().stream()
            .skip(before)
            .map(line -> line.substring(line.indexOf(' ') + 1))
            .filter(what -> what.startsWith("force "))
            .map(what -> what.replaceAll("/[0-9.p]*\\.(vcf|idx)", "/*.$1"))
            .map(what -> what.replaceAll("/d[01]", "/d*"))
            .collect(Collectors.groupingBy(what -> what, Collectors.counting()));
    assertEquals(2, forces.remove("force directory /d*"));
    assertEquals(2, forces.remove("force directory /d*/blocks"));
    assertEquals(2L * (files / 256 + 2), forces.remove("force directory /d*/blocks/00"));
    assertEquals(Set.of(), indexes(forces), forces.toString());
    long all = forces.values().stream().mapToLong(Long::longValue).sum();
    assertEquals(2L * files, all, "the data of each file, and its directory: " + forces);
  }

  private static Set<String> indexes(Map<String, Long> forces) {
    return forces.keySet().stream()
        .filter(what -> what.contains(".idx"))
        .collect(Collectors.toSet());
  }

  @Test
  void shouldForceTheIndexForALaterWritersFence() throws VdfsException {
    StoreFixture.write(store, KEY, 0, file, 1);
    int before = machine.disk().trace().size();
    StoreFixture.write(store, KEY, 0, file, 2);
    assertTrue(
        machine.disk().trace().stream()
            .skip(before)
            .anyMatch(line -> line.contains("force") && line.endsWith("77.1.p.idx")));
  }

  @Test
  void shouldRefuseAnEpochBelowTheFirst() {
    StoreFixture.assertCode(
        ErrorCode.INVALID_ARGUMENT, () -> store.openWriter(KEY, BlockRole.PRIMARY, 0, 0, 0));
  }

  @Test
  void shouldKeepPrimariesAndReplicasApart() throws VdfsException {
    StoreFixture.write(store, KEY, 0, file, 1);
    BlockWriter replica = store.openWriter(KEY, BlockRole.REPLICA, 1, 2 * GROUP, 2);
    append(replica, file, 2 * GROUP, 2 * GROUP + 100);
    replica.close(true);
    assertTrue(store.locate(KEY, 0).orElseThrow().path().toString().endsWith("77.1.p.vcf"));
    BlockLocation found = store.locate(KEY, 2 * GROUP_BLOCKS).orElseThrow();
    assertTrue(found.path().toString().endsWith("77.1.r.vcf"));
    assertEquals(BlockRole.REPLICA, found.role());
    BlockWriter again = store.openWriter(KEY, BlockRole.PRIMARY, 2, 2 * GROUP, 2);
    append(again, file, 2 * GROUP, 2 * GROUP + 200);
    again.close(true);
    assertEquals(found.path(), store.locate(KEY, 2 * GROUP_BLOCKS).orElseThrow().path());
    assertArrayEquals(
        Arrays.copyOfRange(file, 2 * GROUP, 2 * GROUP + 200), readGroup(store, KEY, 2));
  }

  @Test
  void shouldServeWholeChunksUpToWhatIsHeld() throws VdfsException {
    BlockWriter writer = StoreFixture.writer(store, KEY, 0, 1, 0);
    append(writer, file, 0, 3 * CHUNK + 10);
    assertArrayEquals(
        Arrays.copyOfRange(file, CHUNK, 3 * CHUNK),
        StoreFixture.read(store, KEY, 0, CHUNK + 5, CHUNK));
    assertArrayEquals(
        Arrays.copyOfRange(file, 3 * CHUNK, 3 * CHUNK + 10),
        StoreFixture.read(store, KEY, 0, 3 * CHUNK + 9, Integer.MAX_VALUE));
    assertCode(ErrorCode.NOT_FOUND, () -> StoreFixture.read(store, KEY, 0, 3 * CHUNK + 10, 1));
    assertCode(ErrorCode.NOT_FOUND, () -> StoreFixture.read(store, KEY, 1, 0, 1));
    assertCode(ErrorCode.NOT_FOUND, () -> StoreFixture.read(store, OTHER, 0, 0, 1));
    assertCode(ErrorCode.INVALID_ARGUMENT, () -> StoreFixture.read(store, KEY, 0, 0, 0));
  }

  @Test
  void shouldRefuseCleanlyWhenDisksAreFull() throws VdfsException {
    StoreFixture.write(store, OTHER, 0, file, 1);
    BlockWriter writer = StoreFixture.writer(store, KEY, 0, 1, 0);
    append(writer, file, 0, 700);
    machine.disk().planNext(0, Fault.FULL);
    VdfsException full = assertCode(ErrorCode.NO_SPACE, () -> append(writer, file, CHUNK, 2000));
    assertTrue(full.getMessage().contains("/d" + volumeOf(KEY)), full.getMessage());
    assertEquals(700, store.group(KEY, 0).length());
    machine.disk().setUsable(0);
    VdfsException none =
        assertCode(ErrorCode.NO_SPACE, () -> StoreFixture.writer(store, OTHER, 1, 1, GROUP));
    assertTrue(none.getMessage().contains("/d0, /d1"), none.getMessage());
    assertTrue(none.getMessage().contains("vdfs.volume.reserve"), none.getMessage());
    assertTrue(store.usage().stream().noneMatch(VolumeUsage::takesGroups), "full");
    assertArrayEquals(Arrays.copyOf(file, GROUP), readGroup(store, OTHER, 0));
    assertArrayEquals(Arrays.copyOf(file, 700), readGroup(store, KEY, 0));
    assertTrue(store.delete(OTHER));
    machine.disk().setUsable(1 << 20);
    assertTrue(store.usage().stream().allMatch(VolumeUsage::takesGroups), "room again");
    BlockWriter next = StoreFixture.writer(store, KEY, 0, 2, CHUNK);
    append(next, file, CHUNK, 2000);
    next.close(true);
    machine.cutPower(1);
    store = machine.start();
    assertArrayEquals(Arrays.copyOf(file, 2000), readGroup(store, KEY, 0));
    assertTrue(store.usage().stream().allMatch(usage -> usage.suspect().isEmpty()));
  }

  @Test
  void shouldKeepAReserveFree() throws VdfsException {
    machine.kill();
    StoreConfig config = StoreFixture.config(TWO_VOLUMES);
    StoreConfig reserving =
        new StoreConfig(
            config.cluster(),
            config.node(),
            config.geometry(),
            config.volumes(),
            config.indexDirectory(),
            100_000,
            config.writeBackBytes(),
            config.maxOpenFiles());
    machine.disk().setUsable(100_000 + 7 * BLOCK);
    try (DiskBlockStore small = StoreFixture.open(machine.disk(), reserving)) {
      assertEquals(7 * BLOCK, small.usage().get(0).free());
      BlockWriter writer = StoreFixture.writer(small, KEY, 0, 1, 0);
      machine.disk().setUsable(100_000 + 5 * BLOCK - 1);
      assertCode(ErrorCode.NO_SPACE, () -> StoreFixture.writer(small, OTHER, 0, 1, 0));
      writer.abandon();
    }
  }

  @Test
  void shouldPassOverAFullOrSuspectVolume() throws VdfsException {
    BlockWriter writer = StoreFixture.writer(store, OTHER, 0, 1, 0);
    append(writer, file, 0, 700);
    machine.disk().planNext(0, Fault.ERROR);
    VdfsException broken = assertCode(ErrorCode.IO_ERROR, writer::sync);
    int suspect = volumeOf(OTHER);
    assertTrue(broken.getMessage().contains("/d" + suspect), broken.getMessage());
    assertCode(ErrorCode.IO_ERROR, writer::sync);
    assertTrue(store.usage().get(suspect).suspect().isPresent());
    assertTrue(store.usage().get(1 - suspect).suspect().isEmpty());
    for (long id = 100; id < 120; id++) {
      FileKey next = new FileKey(id, 1);
      StoreFixture.write(store, next, 0, file, 1);
      assertEquals(1 - suspect, volumeOf(next));
    }
    assertCode(ErrorCode.IO_ERROR, () -> StoreFixture.writer(store, OTHER, 0, 2, 0));
    assertCode(ErrorCode.IO_ERROR, () -> store.fence(OTHER, 0, 2));
  }

  @Test
  void shouldNeverSyncAFileAgainWhoseForceFailed() throws VdfsException {
    BlockWriter writer = StoreFixture.writer(store, KEY, 0, 1, 0);
    append(writer, file, 0, 700);
    writer.checkpoint();
    machine.disk().planNext(0, Fault.LOSE);
    assertCode(ErrorCode.IO_ERROR, writer::sync);
    assertCode(ErrorCode.IO_ERROR, writer::sync);
    assertCode(ErrorCode.IO_ERROR, () -> writer.close(true));
    assertArrayEquals(Arrays.copyOf(file, 700), readGroup(store, KEY, 0));
  }

  @Test
  void shouldNotTrustAFileWhoseForceFoundTheDiskFull() throws VdfsException {
    BlockWriter writer = StoreFixture.writer(store, KEY, 0, 1, 0);
    append(writer, file, 0, 700);
    writer.checkpoint();
    machine.disk().planNext(0, Fault.FULL);
    assertCode(ErrorCode.NO_SPACE, writer::sync);
    assertCode(ErrorCode.IO_ERROR, () -> StoreFixture.writer(store, KEY, 0, 2, 0));
    assertCode(ErrorCode.IO_ERROR, () -> store.fence(KEY, 0, 3));
    assertTrue(store.usage().get(volumeOf(KEY)).suspect().isPresent());
  }

  @Test
  void shouldForceAheadOfTheWriter() throws VdfsException {
    BlockWriter writer = StoreFixture.writer(store, KEY, 0, 1, 0);
    append(writer, file, 0, 3000);
    writer.close(false);
    store.writeBack();
    assertEquals(1, store.counters().get(StoreCounter.BACKGROUND_FORCES));
    machine.kill();
    assertEquals(
        0, machine.start().report().recoveredBlocks(), "the index says that all is forced");
    machine.cutPower(3);
    store = machine.start();
    assertArrayEquals(Arrays.copyOf(file, 3000), readGroup(store, KEY, 0));
  }

  @Test
  void shouldTellAWriterOfABackgroundForceThatFailed() throws VdfsException {
    BlockWriter first = StoreFixture.writer(store, KEY, 0, 1, 0);
    BlockWriter second = StoreFixture.writer(store, KEY, 2, 1, 2 * GROUP);
    append(first, file, 0, 3000);
    append(second, file, 2 * GROUP, 2 * GROUP + 3000);
    assertEquals(volumeOf(KEY), store.locate(KEY, 2 * GROUP_BLOCKS).orElseThrow().volume());
    first.close(false);
    machine.disk().planNext(0, Fault.LOSE);
    store.writeBack();
    assertCode(ErrorCode.IO_ERROR, second::sync);
  }

  @Test
  void shouldRefuseEverythingOnceClosed() throws VdfsException {
    StoreFixture.write(store, KEY, 0, file, 1);
    store.close();
    assertCode(ErrorCode.UNAVAILABLE, () -> StoreFixture.read(store, KEY, 0, 0, 1));
    assertCode(ErrorCode.UNAVAILABLE, () -> store.fence(KEY, 0, 1));
  }

  @Test
  void shouldReadRawBytesOfACombinedFileUpToItsEnd() throws VdfsException {
    StoreFixture.write(store, KEY, 0, file, 1);
    BlockLocation place = store.locate(KEY, 1).orElseThrow();
    ByteBuffer bytes = ByteBuffer.allocate(BLOCK);
    assertEquals(BLOCK, store.readRaw(place.file(), place.position(), bytes));
    assertArrayEquals(Arrays.copyOfRange(file, BLOCK, 2 * BLOCK), bytes.array());
    int size = machine.disk().bytes(place.path()).length;
    assertEquals(10, store.readRaw(place.file(), size - 10, ByteBuffer.allocate(100)));
    assertEquals(0, store.readRaw(place.file(), size, ByteBuffer.allocate(100)));
    store.delete(KEY);
    assertCode(ErrorCode.NOT_FOUND, () -> store.readRaw(place.file(), 0, bytes.clear()));
    assertFalse(store.isCached(place.file(), 0, 1));
  }

  @Test
  void shouldFinishReadsOfAFileBeingDeletedOrFail() throws Exception {
    for (int round = 0; round < 30; round++) {
      FileKey key = new FileKey(KEY.fileId(), 2 * round + 1);
      StoreFixture.write(store, key, 0, file, 1);
      List<CompletableFuture<BlockData>> reads = new ArrayList<>();
      for (int block = 0; block < GROUP_BLOCKS; block++) {
        int wanted = block;
        reads.add(CompletableFuture.supplyAsync(() -> readBlock(key, wanted)));
      }
      store.delete(key);
      FileKey next = new FileKey(KEY.fileId(), 2 * round + 2);
      StoreFixture.write(store, next, 0, content(round, GROUP), 1);
      for (int block = 0; block < GROUP_BLOCKS; block++) {
        byte[] before = Arrays.copyOfRange(file, block * BLOCK, (block + 1) * BLOCK);
        reads
            .get(block)
            .handle((data, failure) -> check(before, data, failure))
            .get(20, TimeUnit.SECONDS);
      }
      store.delete(next);
    }
  }

  private BlockData readBlock(FileKey key, int block) {
    try {
      return store.read(key, block, 0, BLOCK, true);
    } catch (VdfsException e) {
      throw new CompletionException(e);
    }
  }

  private static Object check(byte[] before, BlockData data, Throwable failure) {
    if (failure != null && failure.getCause() instanceof VdfsException e) {
      assertEquals(ErrorCode.NOT_FOUND, e.code(), e.getMessage());
      return e;
    }
    byte[] found = new byte[data.data().readableBytes()];
    data.data().readBytes(found).release();
    assertArrayEquals(before, found);
    return found;
  }
}
