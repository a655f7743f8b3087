package io.vdfs.datanode.machine;

import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The disk below a directory, as the kernel counts what it does. Immutable.
 *
 * @param statistics file of the kernel
 */
record DiskDevice(Path statistics) {
  private static final Splitter FIELDS = Splitter.on(CharMatcher.whitespace()).omitEmptyStrings();
  private static final int BUSY_MILLIS = 9;
  private static final int QUEUED_MILLIS = 10;

  /**
   * The disk's work since the machine was started.
   *
   * @param busyMillis time in which it had a request
   * @param queuedMillis time that requests were with it, all of them together
   */
  record Counters(long busyMillis, long queuedMillis) {}

  /**
   * @param devices {@code /sys/dev/block}
   * @return the whole disk where the directory lies on a part of one; empty where the kernel knows
   *     none, as for filesystems in memory, on other machines or on several disks
   */
  static Optional<DiskDevice> of(Path directory, Path devices) {
    try {
      long device = (Long) Files.getAttribute(directory, "unix:dev");
      Path known = devices.resolve(major(device) + ":" + minor(device)).toRealPath();
      Path disk = Files.exists(known.resolve("partition")) ? known.getParent() : known;
      Path statistics = disk.resolve("stat");
      return Files.isReadable(statistics)
          ? Optional.of(new DiskDevice(statistics))
          : Optional.empty();
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      // no such device, or no system of this kind
      return Optional.empty();
    }
  }

  /** The major part of a device number as the C library makes it. */
  static long major(long device) {
    return (device >>> 8 & 0xfff) | (device >>> 32 & ~0xfffL);
  }

  static long minor(long device) {
    return (device & 0xff) | (device >>> 12 & ~0xffL & 0xffffffffL);
  }

  /**
   * @throws IOException if the disk is gone
   */
  Counters read() throws IOException {
    List<String> fields = FIELDS.splitToList(Files.readString(statistics));
    if (fields.size() <= QUEUED_MILLIS) {
      throw new IOException("too few numbers: file=" + statistics + ", count=" + fields.size());
    }
    return new Counters(
        Long.parseLong(fields.get(BUSY_MILLIS)), Long.parseLong(fields.get(QUEUED_MILLIS)));
  }
}
