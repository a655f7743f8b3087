package io.vdfs.datanode.store;

import static io.vdfs.datanode.store.StoreFixture.GROUP;
import static io.vdfs.datanode.store.StoreFixture.THREE_VOLUMES;
import static io.vdfs.datanode.store.StoreFixture.content;
import static io.vdfs.datanode.store.StoreFixture.readGroup;
import static io.vdfs.datanode.store.StoreFixture.write;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.Sets;
import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.index.BlockIndexFactory;
import io.vdfs.datanode.store.index.HeapBlockIndex;
import io.vdfs.datanode.store.load.StoreOpener;
import io.vdfs.datanode.store.status.FailedVolume;
import io.vdfs.datanode.store.status.VolumeUsage;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.ThreadingMode;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node of three volumes that loses one of them. */
class VolumeLossTest {
  private static final int FILES = 12;

  private final Machine machine = new Machine(THREE_VOLUMES);
  private final SimulatedDisk disk = machine.disk();

  @AfterEach
  void stop() throws VdfsException {
    machine.close();
  }

  private static FileKey key(int number) {
    return new FileKey(1_000 + number, 1);
  }

  private static byte[] bytes(int number) {
    return content(number, GROUP);
  }

  /** Writes files on all volumes; says on which each lies. */
  private Map<FileKey, Path> fill(DiskBlockStore store) throws VdfsException {
    Map<FileKey, Path> places = new TreeMap<>();
    for (int number = 0; number < FILES; number++) {
      write(store, key(number), 0, bytes(number), 1);
      places.put(key(number), store.locate(key(number), 0).orElseThrow().path().subpath(0, 1));
    }
    places.replaceAll((file, place) -> Path.of("/").resolve(place));
    assertEquals(3, places.values().stream().distinct().count(), "all volumes have files");
    return places;
  }

  private static void assertHolds(DiskBlockStore store, int number) throws VdfsException {
    assertArrayEquals(bytes(number), readGroup(store, key(number), 0));
  }

  private void assertServesAllBut(DiskBlockStore store, Map<FileKey, Path> places, Path lost)
      throws VdfsException {
    for (int number = 0; number < FILES; number++) {
      if (places.get(key(number)).equals(lost)) {
        assertEquals(0, store.group(key(number), 0).length());
      } else {
        assertHolds(store, number);
      }
    }
    for (int number = 100; number < 100 + FILES; number++) {
      write(store, key(number), 0, bytes(number), 1);
      assertHolds(store, number);
      assertFalse(store.locate(key(number), 0).orElseThrow().path().startsWith(lost));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/d0", "/d1", "/d2"})
  void shouldStartAndServeWithOneDiskThatFails(String dead) throws Exception {
    Map<FileKey, Path> places = fill(machine.start());
    machine.kill();
    disk.breakDown(Path.of(dead));
    DiskBlockStore store = machine.start();
    assertTrue(disk.refusedByBreakdown() > 0);
    assertServesAllBut(store, places, Path.of(dead));
    machine.kill();
    disk.mend(Path.of(dead));
    store = machine.start();
    for (int number = 0; number < FILES; number++) {
      assertHolds(store, number);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/d0", "/d1", "/d2"})
  void shouldNotMakeAnUnmountedDiskANewVolume(String gone) throws Exception {
    Map<FileKey, Path> places = fill(machine.start());
    machine.kill();
    disk.unmount(Path.of(gone));
    DiskBlockStore store = machine.start();
    assertEquals(List.of(), store.report().freshVolumes());
    assertTrue(disk.files().stream().noneMatch(file -> file.startsWith(gone)), "wrote below it");
    assertServesAllBut(store, places, Path.of(gone));
    machine.kill();
    disk.mount();
    store = machine.start();
    for (int number = 0; number < FILES; number++) {
      assertHolds(store, number);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/d0", "/d1", "/d2"})
  void shouldGoOnWithTheOthersWhenADiskDies(String dead) throws Exception {
    DiskBlockStore store = machine.start();
    Map<FileKey, Path> places = fill(store);
    disk.breakDown(Path.of(dead));
    for (int number = 0; number < FILES; number++) {
      int file = number;
      if (places.get(key(number)).equals(Path.of(dead))) {
        StoreFixture.assertCode(ErrorCode.IO_ERROR, () -> readGroup(store, key(file), 0));
        StoreFixture.assertCode(ErrorCode.IO_ERROR, () -> store.fence(key(file), 0, 2));
        StoreFixture.assertCode(ErrorCode.IO_ERROR, () -> store.truncateGroup(key(file), 0, 0, 3));
      } else {
        assertHolds(store, number);
        assertEquals(GROUP, store.fence(key(number), 0, 2).length());
      }
    }
    for (int number = 100; number < 100 + FILES; number++) {
      write(store, key(number), 0, bytes(number), 1);
      assertHolds(store, number);
    }
    List<VolumeUsage> usage = store.usage();
    assertEquals(THREE_VOLUMES, usage.stream().map(VolumeUsage::directory).toList());
    for (VolumeUsage volume : usage) {
      boolean lost = volume.directory().equals(Path.of(dead));
      assertEquals(lost, volume.suspect().isPresent(), volume.toString());
      assertEquals(!lost, volume.free() > 0, volume.toString());
    }
  }

  private void copyAnew(DiskBlockStore store, int number) throws VdfsException {
    for (int block = 0; block < StoreFixture.GROUP_BLOCKS; block++) {
      try (BlockCopy copy = store.openCopy(key(number), BlockRole.REPLICA, block, 2)) {
        ByteBuffer data =
            ByteBuffer.wrap(bytes(number), block * StoreFixture.BLOCK, StoreFixture.BLOCK);
        copy.append(VerifiedChunks.compute(data, StoreFixture.CHUNK));
        copy.finish();
      }
    }
    store.truncateGroup(key(number), 0, GROUP, 2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/d0", "/d1", "/d2"})
  void shouldTakeCopiesOfWhatLayOnADeadDiskToTheOthers(String dead) throws Exception {
    DiskBlockStore store = machine.start();
    Map<FileKey, Path> places = fill(store);
    disk.breakDown(Path.of(dead));
    assertEquals(1, store.usage().stream().filter(used -> used.suspect().isPresent()).count());
    for (int number = 0; number < FILES; number++) {
      boolean lost = places.get(key(number)).equals(Path.of(dead));
      assertEquals(lost, store.isOnSuspectVolume(key(number), 0));
      if (lost) {
        copyAnew(store, number);
        assertFalse(store.isOnSuspectVolume(key(number), 0));
        assertFalse(store.locate(key(number), 0).orElseThrow().path().startsWith(dead));
        assertEquals(
            GROUP,
            store.verify(key(number), 0, LeaseBound.NONE, List.of(), ReadPace.AT_ONCE).verified());
        assertHolds(store, number);
      }
    }
    machine.kill();
    disk.mend(Path.of(dead));
    store = machine.start();
    for (int number = 0; number < FILES; number++) {
      assertHolds(store, number);
      assertFalse(
          places.get(key(number)).equals(Path.of(dead))
              && store.locate(key(number), 0).orElseThrow().path().startsWith(dead),
          "the copy outranks what the disk has still");
    }
  }

  @Test
  void shouldTakeNothingForLostWhereNoDiskIsLeft() throws Exception {
    DiskBlockStore store = machine.start();
    fill(store);
    THREE_VOLUMES.forEach(disk::breakDown);
    assertEquals(3, store.usage().stream().filter(used -> used.suspect().isPresent()).count());
    for (int number = 0; number < FILES; number++) {
      assertFalse(store.isOnSuspectVolume(key(number), 0));
    }
    THREE_VOLUMES.forEach(disk::mend);
  }

  @Test
  void shouldNotStartWithoutAnyVolume() throws Exception {
    fill(machine.start());
    machine.kill();
    THREE_VOLUMES.forEach(disk::breakDown);
    VdfsException refused = StoreFixture.assertCode(ErrorCode.MISCONFIGURED, machine::start);
    for (Path volume : THREE_VOLUMES) {
      assertTrue(refused.getMessage().contains(volume.toString()), refused.getMessage());
    }
  }

  private DiskBlockStore startAccepting(Path... empty) throws VdfsException {
    AcceptedLosses accepted = new AcceptedLosses(Set.of(empty), AcceptedLosses.NONE.volumes());
    return StoreFixture.open(disk, StoreFixture.accepting(THREE_VOLUMES, accepted));
  }

  @Test
  void shouldMakeAnEmptyDirectoryANewVolumeWhenToldSo() throws Exception {
    Path gone = Path.of("/d1");
    Map<FileKey, Path> places = fill(machine.start());
    machine.kill();
    disk.unmount(gone);
    FailedVolume refused = machine.start().report().failedVolumes().get(0);
    assertEquals(gone, refused.directory());
    assertTrue(refused.why().contains("mount the disk; or, if it is lost, say"), refused.why());
    assertTrue(refused.why().contains("start once with --accept-empty /d1"), refused.why());
    machine.kill();
    try (DiskBlockStore store = startAccepting(gone)) {
      assertEquals(List.of(gone), store.report().freshVolumes());
      assertEquals(List.of(), store.report().failedVolumes());
    }
    DiskBlockStore store = machine.start();
    assertEquals(List.of(), store.report().freshVolumes());
    assertEquals(List.of(), store.report().failedVolumes());
    for (int number = 0; number < FILES; number++) {
      boolean lost = places.get(key(number)).equals(gone);
      assertEquals(lost ? 0 : GROUP, store.group(key(number), 0).length());
    }
  }

  private DiskBlockStore startWithout(List<Path> volumes, Set<UUID> givenUp) throws VdfsException {
    AcceptedLosses accepted =
        new AcceptedLosses(
            Set.of(),
            (missing, patient) -> {
              assertTrue(patient, "an empty directory might be taken");
              return Sets.intersection(missing, givenUp);
            });
    return StoreFixture.open(disk, StoreFixture.accepting(volumes, accepted));
  }

  private static String command(UUID... lost) {
    return "'vdfs node volume add %s %s'"
        .formatted(
            StoreFixture.NODE,
            Stream.of(lost).sorted().map(UUID::toString).collect(Collectors.joining(" ")));
  }

  private static UUID volumeAt(DiskBlockStore store, Path directory) {
    return store.usage().stream()
        .filter(volume -> volume.directory().equals(directory))
        .map(VolumeUsage::volume)
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/d0", "/d1", "/d2"})
  void shouldMakeAnEmptyDirectoryANewVolumeOnceTheOldOneIsGivenUp(String gone) throws Exception {
    Path place = Path.of(gone);
    DiskBlockStore first = machine.start();
    Map<FileKey, Path> places = fill(first);
    UUID old = volumeAt(first, place);
    UUID other = volumeAt(first, THREE_VOLUMES.get((THREE_VOLUMES.indexOf(place) + 1) % 3));
    machine.kill();
    disk.unmount(place);
    try (DiskBlockStore store = startWithout(THREE_VOLUMES, Set.of(other, UUID.randomUUID()))) {
      FailedVolume refused = store.report().failedVolumes().get(0);
      assertEquals(place, refused.directory());
      assertTrue(refused.why().contains(command(old)), refused.why());
      assertEquals(Map.of(old, place), store.report().unserved());
    }
    try (DiskBlockStore store = startWithout(THREE_VOLUMES, Set.of(old))) {
      assertEquals(List.of(place), store.report().freshVolumes());
      assertEquals(Map.of(), store.report().unserved());
    }
    DiskBlockStore store = machine.start();
    assertEquals(List.of(), store.report().failedVolumes());
    for (int number = 0; number < FILES; number++) {
      boolean lost = places.get(key(number)).equals(place);
      assertEquals(lost ? 0 : GROUP, store.group(key(number), 0).length());
    }
  }

  @Test
  void shouldServeAVolumeThatWasGivenUpAndIsThere() throws Exception {
    DiskBlockStore first = machine.start();
    fill(first);
    UUID volume = volumeAt(first, Path.of("/d1"));
    machine.kill();
    DiskBlockStore store = startWithout(THREE_VOLUMES, Set.of(volume));
    assertEquals(Map.of(), store.report().unserved());
    assertEquals(volume, volumeAt(store, Path.of("/d1")));
    for (int number = 0; number < FILES; number++) {
      assertHolds(store, number);
    }
    store.close();
  }

  @Test
  void shouldTellOfVolumesThatAreNoLongerConfiguredUntilTheyAreGivenUp() throws Exception {
    DiskBlockStore first = machine.start();
    UUID second = volumeAt(first, Path.of("/d1"));
    UUID third = volumeAt(first, Path.of("/d2"));
    machine.kill();
    List<Path> one = List.of(Path.of("/d0"));
    try (DiskBlockStore store = StoreFixture.open(disk, one)) {
      assertEquals(List.of(), store.report().failedVolumes());
      assertEquals(
          Map.of(second, Path.of("/d1"), third, Path.of("/d2")), store.report().unserved());
    }
    List<Path> swapped = List.of(Path.of("/d0"), Path.of("/d4"));
    try (DiskBlockStore store = StoreFixture.open(disk, swapped)) {
      String why = store.report().failedVolumes().get(0).why();
      assertTrue(why.contains(command(second, third)), why);
    }
    try (DiskBlockStore store = startWithout(swapped, Set.of(second))) {
      String why = store.report().failedVolumes().get(0).why();
      assertTrue(why.contains(command(third)), why);
      assertEquals(Map.of(third, Path.of("/d2")), store.report().unserved());
    }
    try (DiskBlockStore store = startWithout(swapped, Set.of(third))) {
      assertEquals(List.of(Path.of("/d4")), store.report().freshVolumes());
      assertEquals(Map.of(), store.report().unserved());
    }
  }

  @Test
  void shouldTellOfAVolumeWhoseDiskFails() throws Exception {
    UUID dead = volumeAt(machine.start(), Path.of("/d1"));
    machine.kill();
    disk.breakDown(Path.of("/d1"));
    assertEquals(Map.of(dead, Path.of("/d1")), machine.start().report().unserved());
    machine.kill();
    disk.mend(Path.of("/d1"));
    disk.breakDown(Path.of("/d1/blocks"));
    assertEquals(Map.of(dead, Path.of("/d1")), machine.start().report().unserved());
  }

  @Test
  void shouldTakeAnotherEmptyDirectoryIntoUseUnlessAVolumeIsMissing() throws Exception {
    Path added = Path.of("/d3");
    machine.start();
    machine.kill();
    List<Path> more = Stream.concat(THREE_VOLUMES.stream(), Stream.of(added)).toList();
    try (DiskBlockStore store = StoreFixture.open(disk, more)) {
      assertEquals(List.of(added), store.report().freshVolumes());
    }
    List<Path> swapped = List.of(Path.of("/d0"), Path.of("/d1"), Path.of("/d4"));
    try (DiskBlockStore store = StoreFixture.open(disk, swapped)) {
      assertEquals(List.of(), store.report().freshVolumes());
      assertEquals(Path.of("/d4"), store.report().failedVolumes().get(0).directory());
    }
    AcceptedLosses accepted =
        new AcceptedLosses(Set.of(Path.of("/d4")), AcceptedLosses.NONE.volumes());
    StoreConfig told = StoreFixture.accepting(swapped, accepted);
    try (DiskBlockStore store = StoreFixture.open(disk, told)) {
      assertEquals(List.of(Path.of("/d4")), store.report().freshVolumes());
    }
    try (DiskBlockStore store = StoreFixture.open(disk, swapped)) {
      assertEquals(List.of(), store.report().failedVolumes());
    }
  }

  @Test
  void shouldRefuseToAcceptADirectoryThatIsNotConfigured() {
    VdfsException refused =
        StoreFixture.assertCode(
            ErrorCode.MISCONFIGURED, () -> startAccepting(Path.of("/elsewhere")));
    assertTrue(refused.getMessage().contains("/elsewhere"), refused.getMessage());
  }

  @Test
  void shouldServeTheOthersWhenAVolumeCannotBeListed() throws Exception {
    Map<FileKey, Path> places = fill(machine.start());
    machine.kill();
    disk.breakDown(Path.of("/d2/blocks"));
    DiskBlockStore store = machine.start();
    assertTrue(disk.refusedByBreakdown() > 0);
    assertEquals(Path.of("/d2"), store.report().failedVolumes().get(0).directory());
    assertServesAllBut(store, places, Path.of("/d2"));
  }

  @Test
  void shouldMakeTheIndexOnAVolumeThatServes() throws Exception {
    fill(machine.start());
    machine.kill();
    StoreConfig config =
        new StoreConfig(
            StoreFixture.CLUSTER,
            StoreFixture.NODE,
            StoreFixture.GEOMETRY,
            THREE_VOLUMES,
            Path.of("/d0/metadata/index"),
            0,
            Long.MAX_VALUE,
            8);
    List<Path> places = new ArrayList<>();
    BlockIndexFactory indexes =
        (directory, blocks) -> {
          places.add(directory);
          if (directory.startsWith("/d1")) {
            throw new VdfsException(ErrorCode.MISCONFIGURED, "can't be written: " + directory);
          }
          return new HeapBlockIndex();
        };
    StoreContext context = new StoreContext(config, disk, ThreadingMode.CALLER);
    StoreOpener.open(context, indexes).close();
    assertEquals(List.of(Path.of("/d0/metadata/index")), places);
    places.clear();
    disk.breakDown(Path.of("/d0"));
    StoreOpener.open(context, indexes).close();
    assertEquals(List.of(Path.of("/d1/cache/index"), Path.of("/d2/cache/index")), places);
  }
}
