package io.vdfs.datanode.store;

import static io.vdfs.datanode.store.StoreFixture.GROUP;
import static io.vdfs.datanode.store.StoreFixture.KEY;
import static io.vdfs.datanode.store.StoreFixture.content;
import static io.vdfs.datanode.store.StoreFixture.readGroup;
import static io.vdfs.datanode.store.StoreFixture.write;
import static io.vdfs.datanode.store.StoreFixture.writeSmall;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.ForwardingDisk;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.disk.TooManyOpenFilesException;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.status.StoreCounter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process that cannot open one more file for a moment, at each place where it opens one. */
@Timeout(60)
class ScarceDescriptorsTest {
  private static final byte[] FILE = content(3, GROUP);
  private static final byte[] SMALL = content(4, 300);

  /** Refuses one of the files that are to be opened. */
  private static final class ScarceDisk extends ForwardingDisk {
    private int left = Integer.MAX_VALUE;
    private String refused = "";

    ScarceDisk(Disk disk) {
      super(disk);
    }

    /**
     * @param skipped files that can be opened before
     */
    void refuse(int skipped) {
      left = skipped;
    }

    private void check(Path file) throws IOException {
      if (left-- == 0) {
        refused = file.toString();
        throw new TooManyOpenFilesException("planted: file=" + file);
      }
    }

    @Override
    public DiskFile open(Path file) throws IOException {
      check(file);
      return super.open(file);
    }

    @Override
    public DiskFile create(Path file) throws IOException {
      check(file);
      return super.create(file);
    }

    @Override
    public DiskFile createFilled(Path file, int size) throws IOException {
      check(file);
      return super.createFilled(file, size);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
      check(directory);
      super.forceDirectory(directory);
    }
  }

  @FunctionalInterface
  private interface Write {
    void run() throws VdfsException;
  }

  private static boolean isAcknowledged(Write write) {
    try {
      write.run();
      return true;
    } catch (VdfsException e) {
      assertEquals(ErrorCode.UNAVAILABLE, e.code(), e.getMessage());
      return false;
    }
  }

  @Test
  void shouldGoOnOnceFilesCanBeOpenedAgainAndLoseNothing() throws VdfsException {
    List<String> refused = new ArrayList<>();
    boolean fired = true;
    for (int step = 0; fired; step++) {
      SimulatedDisk disk = new SimulatedDisk();
      ScarceDisk scarce = new ScarceDisk(disk);
      DiskBlockStore store = StoreFixture.open(scarce);
      scarce.refuse(step);
      Map<FileKey, byte[]> written = writeFiles(store);
      scarce.refuse(Integer.MAX_VALUE);
      fired = !scarce.refused.isEmpty();
      refused.add(scarce.refused);
      assertNothingSuspect(store, scarce.refused);

      write(store, KEY, 0, FILE, 2);
      writeSmall(store, new FileKey(1_000, 1), SMALL);
      written.put(KEY, FILE);
      written.put(new FileKey(1_000, 1), SMALL);
      assertHolds(store, written, scarce.refused);

      disk.cutPower(new Random(step));
      assertHolds(StoreFixture.open(disk), written, scarce.refused + ", power cut");
    }
    for (String kind : List.of(".idx", ".vcf", "/blank")) {
      assertTrue(refused.stream().anyMatch(file -> file.contains(kind)), kind + ": " + refused);
    }
  }

  private static void assertNothingSuspect(DiskBlockStore store, String refused) {
    assertTrue(
        store.usage().stream().allMatch(volume -> volume.suspect().isEmpty()),
        "a volume is suspect after " + refused);
  }

  @Test
  void shouldGoOnWhereAnIndexFileCannotBeMadeAnew() throws VdfsException {
    int last = appendUntilTheIndexIsMadeAnew();
    List<String> refused = new ArrayList<>();
    boolean fired = true;
    for (int step = 0; fired; step++) {
      SimulatedDisk disk = new SimulatedDisk();
      ScarceDisk scarce = new ScarceDisk(disk);
      DiskBlockStore store = StoreFixture.open(scarce);
      for (int at = 0; at < last; at++) {
        appendByte(store, at, at + 1);
      }
      scarce.refuse(step);
      boolean done = isAcknowledged(() -> appendByte(store, last, last + 1));
      scarce.refuse(Integer.MAX_VALUE);
      fired = !scarce.refused.isEmpty();
      refused.add(scarce.refused);
      assertNothingSuspect(store, scarce.refused);

      int next = done ? last + 1 : last;
      appendByte(store, next, last + 2);
      disk.cutPower(new Random(step));
      DiskBlockStore again = StoreFixture.open(disk);
      assertArrayEquals(Arrays.copyOf(FILE, next + 1), readGroup(again, KEY, 0), scarce.refused);
      assertEquals(last + 3, again.group(KEY, 0).fenceEpoch(), scarce.refused);
    }
    assertTrue(refused.stream().anyMatch(file -> file.endsWith(".idx.tmp")), refused::toString);
  }

  private static int appendUntilTheIndexIsMadeAnew() throws VdfsException {
    DiskBlockStore store = StoreFixture.open(new SimulatedDisk());
    int at = 0;
    while (store.counters().get(StoreCounter.COMPACTED_INDEXES) == 0) {
      appendByte(store, at, at + 1);
      at++;
    }
    return at - 1;
  }

  /** As a client does that opens the file for it, and closes it. */
  private static void appendByte(DiskBlockStore store, int at, long epoch) throws VdfsException {
    int from = at - at % StoreFixture.CHUNK;
    BlockWriter writer = StoreFixture.writer(store, KEY, 0, epoch, from);
    StoreFixture.append(writer, FILE, from, at + 1);
    writer.close(true);
  }

  /**
   * Writes a large file, and more small ones than a batch of blank files is for.
   *
   * @return those that were acknowledged
   */
  private static Map<FileKey, byte[]> writeFiles(DiskBlockStore store) {
    Map<FileKey, byte[]> written = new LinkedHashMap<>();
    if (isAcknowledged(() -> write(store, KEY, 0, FILE, 1))) {
      written.put(KEY, FILE);
    }
    for (int id = 100; id < 100 + 3 * StoreFixture.BLANKS; id++) {
      FileKey key = new FileKey(id, 1);
      if (isAcknowledged(() -> writeSmall(store, key, SMALL))) {
        written.put(key, SMALL);
      }
      store.writeBack();
    }
    return written;
  }

  private static void assertHolds(DiskBlockStore store, Map<FileKey, byte[]> written, String when)
      throws VdfsException {
    for (Map.Entry<FileKey, byte[]> file : written.entrySet()) {
      assertArrayEquals(
          file.getValue(), readGroup(store, file.getKey(), 0), file.getKey() + " after " + when);
    }
  }
}
