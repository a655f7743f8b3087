package io.vdfs.datanode.stream;

import java.time.Duration;

/**
 * How the disks of a node are read. Immutable.
 *
 * @param order in which order scans take turns
 * @param readAhead most bytes per volume that are read before they are asked for
 * @param readSize bytes of one read of the disk
 * @param minRun bytes that a scan may read in one go however many others wait
 * @param maxRun bytes that a scan reads in one go at most while others wait
 * @param round how long all waiting scans together should take for one turn each
 * @param smallRead ranges up to this size that continue no scan are served between runs
 * @param smallPatience how long a small read waits before it interrupts a run
 * @param idle after which time without a reader a scan and its read-ahead are given up
 * @param maxWaiting ranges that readers may wait for per volume; those of one limited host for half
 *     as many
 */
public record StreamSettings(
    ReadOrder order,
    long readAhead,
    int readSize,
    long minRun,
    long maxRun,
    Duration round,
    int smallRead,
    Duration smallPatience,
    Duration idle,
    int maxWaiting) {
  public static final long DEFAULT_READ_AHEAD = 100L << 20;
  public static final long MAX_READ_AHEAD = 512L << 20;

  /** In which order the scans of a volume are served. */
  public enum ReadOrder {
    /** Long runs, sweeping over the files in disk order. */
    ELEVATOR,
    /** In turn, one read each, nothing ahead: to measure the gain of the other order. */
    ARRIVAL
  }

  public static final StreamSettings DEFAULT =
      new StreamSettings(
          ReadOrder.ELEVATOR,
          DEFAULT_READ_AHEAD,
          2 << 20,
          4L << 20,
          64L << 20,
          Duration.ofSeconds(3),
          512 << 10,
          Duration.ofMillis(60),
          Duration.ofSeconds(10),
          4096);

  public StreamSettings {
    if (readAhead < 0 || readSize < 1 || minRun < 1 || maxRun < minRun || smallRead < 0) {
      throw new IllegalArgumentException(
          "sizes out of range: readAhead=%s, readSize=%s, minRun=%s, maxRun=%s, smallRead=%s"
              .formatted(readAhead, readSize, minRun, maxRun, smallRead));
    }
    if (minRun < readSize) {
      throw new IllegalArgumentException(
          "a run has at least one read: minRun=" + minRun + ", readSize=" + readSize);
    }
    if (maxWaiting < 1) {
      throw new IllegalArgumentException("nobody could wait: maxWaiting=" + maxWaiting);
    }
  }

  /** The defaults with another order, budget and time for a round. */
  public static StreamSettings of(ReadOrder order, long readAhead, Duration round) {
    StreamSettings d = DEFAULT;
    return new StreamSettings(
        order,
        readAhead,
        d.readSize,
        d.minRun,
        d.maxRun,
        round,
        d.smallRead,
        d.smallPatience,
        d.idle,
        d.maxWaiting);
  }
}
