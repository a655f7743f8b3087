package io.vdfs.datanode.store;

import static io.vdfs.datanode.store.StoreFixture.CHUNK;
import static io.vdfs.datanode.store.StoreFixture.KEY;
import static io.vdfs.datanode.store.StoreFixture.ONE_VOLUME;
import static io.vdfs.datanode.store.StoreFixture.content;
import static io.vdfs.datanode.store.StoreFixture.readGroup;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.store.CombinedFileHeader;
import io.vdfs.common.store.CombinedFileLayout;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.ForwardingDisk;
import io.vdfs.datanode.store.disk.LocalDisk;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.disk.SimulatedDisk.Fault;
import io.vdfs.datanode.store.file.IndexFile;
import io.vdfs.datanode.store.file.IndexRecord;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.index.HeapBlockIndex;
import io.vdfs.datanode.store.load.StoreOpener;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.ThreadingMode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The index file that many appends to one file leave behind beside it. */
@Timeout(240)
class IndexGrowthTest {
  /** Appends to one file; {@code -Dvdfs.index.cycles=100000} makes as many as the limit is for. */
  private static final int CYCLES = Integer.getInteger("vdfs.index.cycles", 10_000);

  private static final long GIB = 1L << 30;

  private static StoreConfig config(Path volume) {
    return new StoreConfig(
        StoreFixture.CLUSTER,
        StoreFixture.NODE,
        ClusterGeometry.DEFAULT,
        List.of(volume),
        volume.resolve("index"),
        0,
        Long.MAX_VALUE,
        8,
        AcceptedLosses.NONE);
  }

  private static DiskBlockStore open(StoreConfig config, Disk disk) throws VdfsException {
    return StoreOpener.open(
        new StoreContext(config, disk, ThreadingMode.CALLER),
        (directory, blocks) -> new HeapBlockIndex());
  }

  /** Opens, appends a byte, closes. */
  private static void cycle(BlockStore store, int chunkSize, byte[] file, int held, long epoch)
      throws VdfsException {
    int from = held / chunkSize * chunkSize;
    BlockWriter writer = StoreFixture.writer(store, KEY, 0, epoch, from);
    ByteBuffer data = ByteBuffer.wrap(file, from, held + 1 - from);
    writer.append(from, VerifiedChunks.compute(data, chunkSize));
    writer.close(true);
  }

  private static Path only(Path directory, String suffix) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      List<Path> found = files.filter(file -> file.toString().endsWith(suffix)).toList();
      assertEquals(1, found.size(), found::toString);
      return found.get(0);
    }
  }

  private static CombinedFileHeader header() {
    return new CombinedFileHeader(
        CombinedFileHeader.Kind.INDEX,
        StoreFixture.CLUSTER,
        StoreFixture.NODE,
        new UUID(0, 0),
        KEY,
        BlockRole.PRIMARY,
        CombinedFileLayout.of(ClusterGeometry.DEFAULT));
  }

  @Test
  void shouldBoundTheIndexFileWhateverTheNumberOfAppends(@TempDir Path elsewhere)
      throws IOException {
    Path memory = Path.of("/dev/shm");
    Path volume =
        Files.isWritable(memory) ? Files.createTempDirectory(memory, "vdfs-index") : elsewhere;
    try {
      assertBounded(volume);
    } finally {
      try (Stream<Path> files = Files.walk(volume)) {
        for (Path file : files.sorted((one, other) -> other.compareTo(one)).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private static void assertBounded(Path volume) throws IOException {
    byte[] file = content(1, CYCLES);
    long largest = 0;
    try (DiskBlockStore store = open(config(volume), new LocalDisk())) {
      for (int held = 0; held < CYCLES; held++) {
        cycle(store, ClusterGeometry.DEFAULT.chunkSize(), file, held, held + 1);
        if (held % 100 == 0) {
          largest = Math.max(largest, Files.size(only(volume, ".idx")));
        }
      }
      assertTrue(store.counters().get(StoreCounter.COMPACTED_INDEXES) > 0, "never made anew");
    }
    // the last records of a cycle may come on top of what is looked at before the next one
    long bound = IndexFile.bound(header(), 1, 1) + 4096;
    assertTrue(largest < bound, "largest=" + largest + ", bound=" + bound);
    try (DiskBlockStore store = open(config(volume), new LocalDisk())) {
      assertEquals(List.of(), store.report().problems());
      assertEquals(CYCLES, store.group(KEY, 0).length());
      assertEquals(CYCLES + 1, store.group(KEY, 0).fenceEpoch());
      BlockData read = store.read(KEY, 0, 0, CYCLES, true);
      byte[] found = new byte[CYCLES];
      read.data().readBytes(found).release();
      assertArrayEquals(file, found);
      cycle(
          store,
          ClusterGeometry.DEFAULT.chunkSize(),
          Arrays.copyOf(file, CYCLES + 1),
          CYCLES,
          CYCLES + 1);
    }
  }

  @Test
  void shouldStartWithAnIndexFileOfThreeGibibytes(@TempDir Path volume) throws IOException {
    byte[] file = content(2, 5000);
    try (DiskBlockStore store = open(config(volume), new LocalDisk())) {
      BlockWriter writer = StoreFixture.writer(store, KEY, 0, 7, 0);
      ByteBuffer data = ByteBuffer.wrap(file);
      writer.append(0, VerifiedChunks.compute(data, ClusterGeometry.DEFAULT.chunkSize()));
      writer.close(true);
    }
    Path index = only(volume, ".idx");
    try (RandomAccessFile grown = new RandomAccessFile(index.toFile(), "rw")) {
      grown.setLength(3 * GIB);
    }

    try (DiskBlockStore store = open(config(volume), new LocalDisk())) {
      assertEquals(5000, store.group(KEY, 0).length());
      assertEquals(8, store.group(KEY, 0).fenceEpoch());
      assertEquals(1, store.report().rebuiltIndexes());
    }
    assertTrue(Files.size(index) < 1 << 20, "size=" + Files.size(index));
  }

  @Test
  void shouldMakeALargeIndexFileAnewAtTheStart() throws VdfsException {
    try (Machine machine = new Machine(ONE_VOLUME)) {
      byte[] file = content(3, 700);
      StoreFixture.write(machine.start(), KEY, 0, file, 4);
      Path index = StoreFixture.file(machine.disk(), ".idx");
      byte[] before = machine.disk().bytes(index);
      // the record of the block, over and over again
      int record = IndexRecord.settledSize(2);
      byte[] grown = Arrays.copyOf(before, before.length + 2000 * record);
      for (int at = before.length; at < grown.length; at += record) {
        System.arraycopy(before, before.length - record, grown, at, record);
      }
      machine.kill();
      machine.disk().setBytes(index, grown);

      DiskBlockStore store = machine.start();

      assertEquals(1, store.counters().get(StoreCounter.COMPACTED_INDEXES));
      assertEquals(0, store.report().rebuiltIndexes());
      assertArrayEquals(before, machine.disk().bytes(index));
      assertArrayEquals(Arrays.copyOf(file, 700), readGroup(store, KEY, 0));
    }
  }

  @Test
  void shouldStartWithoutAFileWhoseLoadingEndsInADefect() throws IOException {
    SimulatedDisk disk = new SimulatedDisk();
    FileKey bad = new FileKey(78, 1);
    byte[] file = content(4, 900);
    DiskBlockStore first = StoreFixture.open(disk, ONE_VOLUME);
    StoreFixture.write(first, KEY, 0, file, 1);
    StoreFixture.write(first, bad, 0, file, 1);
    first.close();
    disk.kill();
    Disk failing =
        new ForwardingDisk(disk) {
          @Override
          public DiskFile open(Path path) throws IOException {
            if (path.getFileName().toString().startsWith(bad.toString())) {
              throw new IllegalStateException("planned defect");
            }
            return super.open(path);
          }
        };

    try (DiskBlockStore store = open(StoreFixture.config(ONE_VOLUME), failing)) {
      assertArrayEquals(file, readGroup(store, KEY, 0));
      assertEquals(0, store.group(bad, 0).length());
      assertTrue(store.report().problems().toString().contains("planned defect"));
    }
  }

  /** A disk on which the next cycle makes the index file anew, with the number of that cycle. */
  private record Prepared(SimulatedDisk disk, int held) {}

  private static Prepared prepare(byte[] file) throws VdfsException {
    int due = cyclesUntilDue(file);
    try (Machine machine = new Machine(ONE_VOLUME)) {
      DiskBlockStore store = machine.start();
      for (int held = 0; held < due; held++) {
        cycle(store, CHUNK, file, held, held + 1);
      }
      assertEquals(0, store.counters().get(StoreCounter.COMPACTED_INDEXES));
      return new Prepared(machine.disk().copy(), due);
    }
  }

  private static int cyclesUntilDue(byte[] file) throws VdfsException {
    try (Machine machine = new Machine(ONE_VOLUME)) {
      DiskBlockStore store = machine.start();
      int held = 0;
      while (store.counters().get(StoreCounter.COMPACTED_INDEXES) == 0) {
        cycle(store, CHUNK, file, held, held + 1);
        held++;
      }
      return held - 1;
    }
  }

  @Test
  void shouldLoseNothingWhateverHappensWhileTheIndexFileIsMadeAnew() throws VdfsException {
    byte[] file = content(5, StoreFixture.GROUP);
    Prepared prepared = prepare(file);
    List<Fault> faults =
        List.of(
            Fault.CRASH,
            Fault.CRASH_MIDWAY,
            Fault.FULL,
            Fault.ERROR,
            Fault.TORN,
            Fault.LOSE,
            Fault.DEFECT);
    int fired = 0;
    for (int at = 0; at < 16; at++) {
      for (Fault fault : faults) {
        for (int seed = 0; seed < 4; seed++) {
          fired += strike(prepared, file, at, fault, seed) ? 1 : 0;
        }
      }
    }
    assertTrue(fired > 250, "fired=" + fired);
  }

  /** Two cycles with a fault in them; what was acknowledged must be there afterwards. */
  private static boolean strike(Prepared prepared, byte[] file, int at, Fault fault, int seed)
      throws VdfsException {
    String when = fault + " at operation " + at + ", seed " + seed;
    try (Machine machine = new Machine(ONE_VOLUME, prepared.disk().copy())) {
      DiskBlockStore store = machine.start();
      int acknowledged = prepared.held();
      machine.disk().planNext(at, fault);
      for (int more = 0; more < 2; more++) {
        try {
          int held = (int) store.group(KEY, 0).length();
          cycle(store, CHUNK, file, held, prepared.held() + 1L + more);
          acknowledged = held + 1;
        } catch (VdfsException | InternalError e) {
          assertEquals(1, machine.disk().fired(), () -> when + ": " + e);
        }
      }
      boolean fired = machine.disk().fired() == 1;
      if (seed == 0) {
        machine.kill();
      } else {
        machine.cutPower(seed + 31L * at);
      }
      byte[] found = readGroup(machine.start(), KEY, 0);
      assertTrue(found.length >= acknowledged, when + ": found=" + found.length);
      assertArrayEquals(Arrays.copyOf(file, found.length), found, when);
      assertTrue(machine.store().group(KEY, 0).fenceEpoch() >= acknowledged, when + ": fence");
      return fired;
    }
  }
}
