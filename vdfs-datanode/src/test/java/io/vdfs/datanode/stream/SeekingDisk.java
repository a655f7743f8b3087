package io.vdfs.datanode.stream;

/**
 * A spinning disk in virtual time: a fixed rate, and a fixed time for each read that does not go on
 * where the last one ended. Confined to a test.
 */
final class SeekingDisk {
  static final double BYTES_PER_SECOND = 156e6;
  private static final long SEEK_NANOS = 8_000_000;

  private Extent last;
  private long seeks;
  private long bytes;
  private long busyNanos;

  /**
   * Reads, and tells how long that took.
   *
   * @param length bytes that there are
   */
  long read(Extent extent, long length) {
    boolean forward =
        last != null
            && last.file().equals(extent.file())
            && extent.start() >= last.end()
            && extent.start() <= last.end() + DiskQueue.SKIP;
    long skipped = forward ? extent.start() - last.end() : 0;
    long nanos = (long) ((length + skipped) * 1e9 / BYTES_PER_SECOND);
    if (!forward) {
      seeks++;
      nanos += SEEK_NANOS;
    }
    last = extent;
    bytes += length;
    busyNanos += nanos;
    return nanos;
  }

  long seeks() {
    return seeks;
  }

  long bytes() {
    return bytes;
  }

  double seeksPerGigabyte() {
    return seeks * 1e9 / bytes;
  }

  double megabytesPerBusySecond() {
    return bytes * 1e3 / busyNanos;
  }
}
