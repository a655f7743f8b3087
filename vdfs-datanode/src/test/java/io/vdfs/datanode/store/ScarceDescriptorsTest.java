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
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
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
      assertTrue(
          store.usage().stream().allMatch(volume -> volume.suspect().isEmpty()),
          "a volume is suspect after " + scarce.refused);

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
