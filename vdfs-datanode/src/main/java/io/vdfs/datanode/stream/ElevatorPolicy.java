package io.vdfs.datanode.stream;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Sweeps over the files in the order in which they lie on the disk, always forward, then starts
 * over; a scan that has waited for two rounds goes first whatever it costs. Each scan reads so much
 * in its turn that a round of all takes about {@code round}, between {@code minRun} and {@code
 * maxRun}: 4 scans at 150 MB/s and rounds of 3 s read 64 MiB (the most) each, 16 scans 27 MiB, 100
 * scans 4.5 MB. So no scan waits longer than about two rounds, unless there are too many for {@code
 * minRun}. Immutable.
 */
record ElevatorPolicy(long minRun, long maxRun, Duration round) implements ScanPolicy {
  @Override
  public int choose(List<Waiting> waiting, Optional<Extent> last, long now) {
    int oldest = 0;
    int lowest = 0;
    int next = -1;
    for (int scan = 0; scan < waiting.size(); scan++) {
      Waiting candidate = waiting.get(scan);
      if (candidate.waitingSince() < waiting.get(oldest).waitingSince()) {
        oldest = scan;
      }
      if (isBefore(candidate, waiting.get(lowest))) {
        lowest = scan;
      }
      if (isAhead(candidate, last) && (next < 0 || isBefore(candidate, waiting.get(next)))) {
        next = scan;
      }
    }
    if (now - waiting.get(oldest).waitingSince() > 2 * round.toNanos()) {
      return oldest;
    }
    return next >= 0 ? next : lowest;
  }

  private static boolean isBefore(Waiting a, Waiting b) {
    return a.next().compareTo(b.next()) < 0;
  }

  private static boolean isAhead(Waiting scan, Optional<Extent> last) {
    return last.isEmpty() || scan.next().compareTo(last.get()) > 0;
  }

  @Override
  public long run(int waiting, double bytesPerSecond) {
    double fair = bytesPerSecond * round.toNanos() / 1e9 / Math.max(1, waiting);
    return Math.max(minRun, Math.min(maxRun, (long) fair));
  }

  @Override
  public boolean readsAhead() {
    return true;
  }
}
