package io.vdfs.datanode.stream;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Small random reads of a volume, which are served in batches between runs. A batch interrupts a
 * run only where its oldest read has lost patience; between two batches at least {@code gap} bytes
 * are read for scans that have anything to read. So neither starves the other. Confined to its
 * queue.
 */
final class SmallReads {
  private static final int BATCH = 16;
  private static final int REMEMBERED = 64;

  private final long patienceNanos;
  private final long gap;
  private final Deque<Demand> waiting = new ArrayDeque<>();
  private final Deque<Extent> recent = new ArrayDeque<>();
  private int batch;
  private long sinceBatch;

  SmallReads(long patienceNanos, long gap) {
    this.patienceNanos = patienceNanos;
    this.gap = gap;
    this.sinceBatch = gap;
  }

  void add(Demand demand) {
    waiting.addLast(demand);
    recent.addLast(demand.extent());
    if (recent.size() > REMEMBERED) {
      recent.removeFirst();
    }
  }

  boolean remove(Demand demand) {
    return waiting.remove(demand);
  }

  List<Demand> drain() {
    List<Demand> all = List.copyOf(waiting);
    waiting.clear();
    return all;
  }

  /** A recent small read that ended where this one starts: what looked random is a scan. */
  Optional<Extent> before(Extent extent) {
    Optional<Extent> found =
        recent.stream()
            .filter(read -> read.file().equals(extent.file()) && read.end() == extent.start())
            .findFirst();
    found.ifPresent(recent::remove);
    return found;
  }

  /** The disk was busy with bytes for a scan, whether it could read them or not. */
  void onScanRead(long bytes) {
    sinceBatch += bytes;
  }

  /**
   * Takes the next one if it is its turn.
   *
   * @param scanWaits whether a scan has anything to read
   * @param inRun whether a run would be interrupted
   */
  Optional<Demand> poll(boolean scanWaits, boolean inRun, long now) {
    if (waiting.isEmpty()) {
      batch = 0;
      return Optional.empty();
    }
    if (batch == 0 && scanWaits && !mayInterrupt(inRun, now)) {
      return Optional.empty();
    }
    if (batch == 0) {
      batch = Math.min(BATCH, waiting.size());
      sinceBatch = 0;
    }
    batch--;
    return Optional.of(waiting.removeFirst());
  }

  private boolean mayInterrupt(boolean inRun, long now) {
    return sinceBatch >= gap && (!inRun || now - waiting.getFirst().arrived() >= patienceNanos);
  }
}
