package io.vdfs.datanode.machine;

import static io.vdfs.datanode.Await.awaitThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.datanode.loop.ServiceLoop;
import io.vdfs.datanode.loop.ThreadServiceLoop;
import io.vdfs.datanode.machine.DiskLoads.DiskLoad;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskLoadsTest {
  private static final long SECOND = 1_000_000_000;

  @TempDir private Path directory;

  /** A loop whose time the test tells. */
  private static final class HandLoop implements ServiceLoop {
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private long nanos;

    @Override
    public void execute(Runnable task) {
      tasks.add(task);
    }

    @Override
    public void schedule(Duration delay, Runnable task) {
      tasks.add(task);
    }

    @Override
    public long nanoTime() {
      return nanos;
    }

    void run(long later) {
      nanos += later;
      tasks.remove().run();
    }
  }

  /**
   * A device with the number of the device of the test's directory, as a partition or as a whole.
   */
  private Path devices(boolean part) throws IOException {
    long number = (Long) Files.getAttribute(directory, "unix:dev");
    Path disk = Files.createDirectories(directory.resolve("sys/disk"));
    Path known = part ? Files.createDirectories(disk.resolve("disk1")) : disk;
    if (part) {
      Files.createFile(known.resolve("partition"));
      Files.writeString(known.resolve("stat"), "0 0 0 0 0 0 0 0 0 0 0");
    }
    Path devices = Files.createDirectories(directory.resolve("sys/block"));
    Files.createSymbolicLink(
        devices.resolve(DiskDevice.major(number) + ":" + DiskDevice.minor(number)), known);
    stat(0, 0);
    return devices;
  }

  private void stat(long busy, long queued) throws IOException {
    Files.writeString(
        directory.resolve("sys/disk/stat"),
        "   9 1 8 7 6 5 4 3 2 " + busy + " " + queued + " 0 0 0 0 0 0\n");
  }

  @Test
  void shouldTellTheLoadOfTheWholeDiskOverTheLastPeriod() throws IOException {
    HandLoop loop = new HandLoop();
    DiskLoads disks = new DiskLoads(List.of(directory), devices(true), loop);
    disks.start();
    loop.run(0);
    assertEquals(Optional.empty(), disks.of(directory));
    stat(500, 3_000);
    loop.run(2 * SECOND);
    assertEquals(Optional.of(new DiskLoad(25, 150)), disks.of(directory));
    stat(1_600, 3_000);
    loop.run(SECOND);
    assertEquals(Optional.of(new DiskLoad(100, 0)), disks.of(directory), "never above all of it");
    Files.delete(directory.resolve("sys/disk/stat"));
    loop.run(SECOND);
    assertEquals(Optional.empty(), disks.of(directory), "a disk that is gone");
  }

  @Test
  void shouldTellNothingWhereTheKernelKnowsNoDisk() throws IOException {
    HandLoop loop = new HandLoop();
    DiskLoads disks = new DiskLoads(List.of(directory), directory, loop);
    disks.start();
    loop.run(0);
    loop.run(SECOND);
    assertEquals(Optional.empty(), disks.of(directory));
  }

  @Test
  void shouldDecodeNumbersOfDevices() {
    assertEquals(254, DiskDevice.major(0xfe00));
    assertEquals(0, DiskDevice.minor(0xfe00));
    assertEquals(259, DiskDevice.major(0x10301));
    assertEquals(1, DiskDevice.minor(0x10301));
    assertEquals(300, DiskDevice.minor(0x100000 + 44 + 0x800));
  }

  @Test
  void shouldMeasureThisMachineWhereItsDiskIsKnown() throws Exception {
    Path devices = Path.of("/sys/dev/block");
    Optional<DiskDevice> device = DiskDevice.of(directory, devices);
    try (ThreadServiceLoop loop = new ThreadServiceLoop("test-disk-loads")) {
      DiskLoads disks = new DiskLoads(List.of(directory), devices, loop);
      disks.start();
      if (device.isPresent()) {
        awaitThat(() -> disks.of(directory).isPresent());
        assertTrue(disks.of(directory).get().busyPercent() <= 100);
      }
    }
  }
}
