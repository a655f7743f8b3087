package io.vdfs.datanode.stream;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;

/**
 * All that a volume is asked for, and what to read next. Readers that follow one another through a
 * file ride on one {@link Scan}; the disk changes from scan to scan only after a long run, at the
 * end of what is wanted, or for a batch of small reads. Knows neither threads nor clocks nor disks:
 * times are arguments, and the code that reads the disk reports the outcome. Confined: guarded by
 * the lock of its {@link VolumeReader}.
 *
 * <p>The budget counts bytes that were read and not asked for yet; a demand is served whatever the
 * budget says.
 */
final class DiskQueue {
  /** Bytes between two demands that are read through rather than jumped over. */
  static final long SKIP = 256 << 10;

  /** How far behind a scan a reader may be and still follow it, if memory has what it wants. */
  private static final long MEMORY = 32L << 20;

  /** A run that no reader waits for is at least this long, unless the budget is smaller. */
  private static final long WORTHWHILE = 16L << 20;

  private static final long SMALL_GAP = 8L << 20;
  private static final int MAX_SCANS = 512;

  /** Number of demands that may wait for each hint that may wait. */
  private static final int DEMANDS_PER_HINT = 16;

  /**
   * So many limited hosts fill the queue. No more, as hundreds of tasks may run behind one address,
   * and what does not fit is refused.
   */
  private static final int HOSTS = 2;

  private final StreamSettings settings;
  private final ScanPolicy policy;
  private final Predicate<Extent> memory;
  private final Counters<StreamManagerCounter> counters;
  private final SeekMeter meter;
  private final SmallReads small;
  private final List<Scan> scans = new ArrayList<>();
  private final Map<StoreReads.Host, Integer> waitingOfLimited = new HashMap<>();
  private Scan current;
  private Scan inRead;
  private Demand smallInRead;
  private Extent lastOfScans;
  private long lastRead;
  private long run;
  private long turns;
  private long untaken;
  private int waiting;
  private int hintsWaiting;

  /**
   * @param memory whether bytes that a scan has read are still in memory; asked only where a demand
   *     reaches behind the head of a scan
   */
  DiskQueue(
      StreamSettings settings,
      ScanPolicy policy,
      Predicate<Extent> memory,
      Counters<StreamManagerCounter> counters) {
    this.settings = settings;
    this.policy = policy;
    this.memory = memory;
    this.counters = counters;
    this.meter = new SeekMeter(counters, SKIP);
    this.small = new SmallReads(settings.smallPatience().toNanos(), SMALL_GAP);
  }

  /** Bytes read and not asked for yet. */
  long untaken() {
    return untaken;
  }

  int waiting() {
    return waiting;
  }

  /** The recent speed of the disk. */
  double bytesPerSecond() {
    return meter.bytesPerSecond();
  }

  /**
   * Takes a demand in, for bytes that may have to come from the disk.
   *
   * @param by who wants them; a demand for granted bytes is a hint, which does not count among the
   *     demands that may wait
   * @return the demand; already done if a scan has just read it, or if too many of its kind wait,
   *     in all or of its host where that is limited: failed for a reader, given up for a hint
   */
  Demand add(Extent extent, Demand.By by, long now) {
    Demand demand = new Demand(extent, by, now);
    if (isHint(demand) && hintsWaiting >= maxHints()) {
      counters.increment(StreamManagerCounter.GRANTS_UNREAD);
      demand.done().complete(null);
      return demand;
    }
    if (!isHint(demand) && waiting - hintsWaiting >= settings.maxWaiting()) {
      refuse(demand, "too many reads", waiting - hintsWaiting, settings.maxWaiting());
      return demand;
    }
    int ofHost = waitingOfLimited.getOrDefault(by.host(), 0);
    if (ofHost >= maxOfHost()) {
      refuse(demand, "too many reads of one host", ofHost, maxOfHost());
      return demand;
    }
    Optional<Scan> scan = scanFor(extent, now);
    if (scan.isEmpty() && extent.length() <= settings.smallRead()) {
      small.add(demand);
      count(demand, 1);
      return demand;
    }
    ride(scan.orElseGet(() -> newScan(extent, extent.start(), now)), demand, now);
    return demand;
  }

  private static boolean isHint(Demand demand) {
    return !demand.by().reader();
  }

  private int maxHints() {
    return Math.max(1, settings.maxWaiting() / DEMANDS_PER_HINT);
  }

  private int maxOfHost() {
    return Math.max(1, settings.maxWaiting() / HOSTS);
  }

  private void refuse(Demand demand, String what, int waiting, int limit) {
    counters.increment(StreamManagerCounter.REFUSED);
    demand
        .done()
        .completeExceptionally(
            new VdfsException(
                ErrorCode.UNAVAILABLE,
                "%s wait for the volume: volume=%s, waiting=%s, limit=%s"
                    .formatted(what, demand.extent().file().volume(), waiting, limit)));
  }

  /** The scan that comes by an extent soonest, or one that begins with a small read before it. */
  private Optional<Scan> scanFor(Extent extent, long now) {
    Optional<Scan> covering = coveringScan(extent, scan -> !hasLost(scan, extent));
    return covering.isPresent()
        ? covering
        : small.before(extent).map(before -> newScan(extent, before.start(), now));
  }

  /** Whether bytes that the scan has read have left the memory: it will not come by again. */
  private boolean hasLost(Scan scan, Extent extent) {
    return scan.readOf(extent).filter(memory.negate()).isPresent();
  }

  private Optional<Scan> coveringScan(Extent extent, Predicate<Scan> fits) {
    return scans.stream()
        .filter(scan -> scan.covers(extent, MEMORY, SKIP))
        .filter(fits)
        .min(Comparator.comparingLong(scan -> Math.abs(scan.head() - extent.start())));
  }

  private Scan newScan(Extent extent, long begin, long now) {
    if (scans.size() >= MAX_SCANS) {
      scans.stream()
          .filter(scan -> !scan.isWaitedFor())
          .min(Comparator.comparingLong(Scan::lastUse))
          .ifPresent(this::retire);
    }
    Scan scan = new Scan(extent.file(), begin, extent.start(), now);
    scan.onTurn(++turns);
    scans.add(scan);
    return scan;
  }

  private void ride(Scan scan, Demand demand, long now) {
    Extent extent = demand.extent();
    if (demand.by().reader() && scan.isWaitedForByReader(extent)) {
      counters.increment(StreamManagerCounter.SHARED_SCAN_HITS);
      counters.add(StreamManagerCounter.SHARED_SCAN_BYTES, extent.length());
    }
    ask(scan, extent, now);
    if (scan.hasRead(extent)) {
      demand.done().complete(null);
    } else {
      scan.add(demand);
      count(demand, 1);
    }
  }

  private void ask(Scan scan, Extent extent, long now) {
    long before = scan.ahead();
    scan.onAsked(extent, SKIP, now);
    long taken = before - scan.ahead();
    counters.add(StreamManagerCounter.READ_AHEAD_TAKEN, taken);
    addUntaken(-taken);
  }

  private void addUntaken(long change) {
    untaken += change;
    counters.add(StreamManagerCounter.READ_AHEAD_UNTAKEN, change);
  }

  private void count(Demand demand, int change) {
    waiting += change;
    hintsWaiting += isHint(demand) ? change : 0;
    if (demand.by().host().limited()) {
      waitingOfLimited.merge(demand.by().host(), change, DiskQueue::sumOrNone);
    }
    counters.add(StreamManagerCounter.WAITING, change);
  }

  /** Null where nothing is left, which takes the entry away. */
  private static Integer sumOrNone(int count, int change) {
    return count + change == 0 ? null : count + change;
  }

  private void onDone(List<Demand> demands) {
    demands.forEach(demand -> count(demand, -1));
  }

  /**
   * A reader took bytes that are in memory.
   *
   * @return whether a scan that read them ahead may go on
   */
  boolean onTaken(Extent extent, long now) {
    Optional<Scan> scan = coveringScan(extent, any -> true);
    scan.ifPresent(reading -> ask(reading, extent, now));
    return scan.isPresent();
  }

  /**
   * A reader went away. A scan that no reader waits for any more is over, and its read-ahead free.
   *
   * @return whether the demand was still waiting
   */
  boolean cancel(Demand demand) {
    if (small.remove(demand)) {
      onCancelled(demand);
      return true;
    }
    for (Scan scan : scans) {
      long before = scan.ahead();
      if (scan.remove(demand)) {
        addUntaken(scan.ahead() - before);
        onCancelled(demand);
        if (!scan.isWaitedFor()) {
          retire(scan);
        }
        return true;
      }
    }
    return false;
  }

  private void onCancelled(Demand demand) {
    counters.increment(StreamManagerCounter.CANCELLED);
    count(demand, -1);
  }

  private void retire(Scan scan) {
    counters.add(StreamManagerCounter.READ_AHEAD_WASTED, scan.ahead());
    addUntaken(-scan.ahead());
    scans.remove(scan);
    if (scan == current) {
      current = null;
    }
  }

  /**
   * What to read next; to be followed by {@link #onRead} or {@link #onFailed} before the next call.
   *
   * @return empty if no reader waits and nothing is worth reading ahead
   */
  Optional<Piece> next(long now) {
    expire(now);
    boolean inRun = current != null && goesOn(current);
    Optional<Scan> scan = inRun ? Optional.of(current) : choose(now);
    Optional<Demand> smallRead = small.poll(scan.isPresent(), inRun, now);
    if (smallRead.isPresent()) {
      lastRead = now;
      smallInRead = smallRead.get();
      return Optional.of(new Piece(smallInRead.extent(), true));
    }
    if (!inRun) {
      run = 0;
    }
    current = scan.orElse(null);
    if (scan.isPresent()) {
      lastRead = now;
    }
    return scan.map(this::pieceOf);
  }

  private void expire(long now) {
    for (Scan scan : List.copyOf(scans)) {
      if (isIdle(scan, now)) {
        retire(scan);
      }
    }
    if (scans.isEmpty() && now - lastRead >= settings.idle().toNanos()) {
      meter.endRun();
    }
  }

  private boolean isIdle(Scan scan, long now) {
    return !scan.isWaitedFor() && now - scan.lastUse() >= settings.idle().toNanos();
  }

  /** When a scan or the run will be given up unless it goes on; empty if there is none. */
  OptionalLong nextExpiry() {
    if (scans.isEmpty() && meter.isInRun()) {
      return OptionalLong.of(lastRead + settings.idle().toNanos());
    }
    return scans.stream()
        .filter(scan -> !scan.isWaitedFor())
        .mapToLong(scan -> scan.lastUse() + settings.idle().toNanos())
        .min();
  }

  private boolean goesOn(Scan scan) {
    if (scan.next(SKIP) != scan.head()) {
      return false;
    }
    if (!scan.isWaitedFor() && !mayReadAhead(scan, settings.readSize())) {
      return false;
    }
    int waitedFor = (int) scans.stream().filter(Scan::isWaitedFor).count();
    boolean alone = waitedFor == 0 || (waitedFor == 1 && scan.isWaitedFor());
    return alone || run < policy.run(waitedFor, meter.bytesPerSecond());
  }

  private boolean mayReadAhead(Scan scan, long bytes) {
    return policy.readsAhead()
        && scan.isSequential()
        && !scan.isAtEnd()
        && scan.ahead() + bytes <= share()
        && untaken + bytes <= settings.readAhead();
  }

  /** Read-ahead that one scan may hold; those at the end of their file need none. */
  private long share() {
    long sharers = scans.stream().filter(scan -> scan.isSequential() && !scan.isAtEnd()).count();
    long even = settings.readAhead() / Math.max(1, sharers);
    return Math.min(settings.maxRun(), Math.max(even, settings.minRun()));
  }

  private Optional<Scan> choose(long now) {
    List<Scan> candidates =
        scans.stream().filter(scan -> scan.isWaitedFor() && scan != current).toList();
    if (candidates.isEmpty()) {
      return current != null && current.isWaitedFor() ? Optional.of(current) : chooseAhead();
    }
    List<ScanPolicy.Waiting> choice =
        candidates.stream()
            .map(
                scan ->
                    new ScanPolicy.Waiting(nextExtent(scan), scan.waitingSince(), scan.lastTurn()))
            .toList();
    return Optional.of(
        candidates.get(policy.choose(choice, Optional.ofNullable(lastOfScans), now)));
  }

  /**
   * For when no reader waits: the scan with the least read ahead, if a run of it is worth the seek.
   */
  private Optional<Scan> chooseAhead() {
    long worthwhile = Math.min(WORTHWHILE, share());
    return scans.stream()
        .filter(scan -> mayReadAhead(scan, worthwhile))
        .min(Comparator.comparingLong(Scan::ahead));
  }

  private Extent nextExtent(Scan scan) {
    long start = scan.next(SKIP);
    return new Extent(scan.file(), start, start + settings.readSize());
  }

  private Piece pieceOf(Scan scan) {
    Extent next = nextExtent(scan);
    if (next.start() != scan.head()) {
      long given = scan.ahead();
      counters.add(StreamManagerCounter.READ_AHEAD_WASTED, given);
      scan.jumpTo(next.start());
      addUntaken(scan.ahead() - given);
    }
    inRead = scan;
    scan.onTurn(++turns);
    boolean free = mayReadAhead(scan, settings.readSize());
    long end = free ? next.end() : Math.min(next.end(), scan.asked());
    return new Piece(new Extent(scan.file(), next.start(), Math.max(next.start() + 1, end)), false);
  }

  /**
   * A piece was read.
   *
   * @param bytes how many; fewer than asked for at the end of the file
   * @param nanos how long it took
   * @return demands that are complete now
   */
  List<Demand> onRead(Piece piece, long bytes, long nanos) {
    Extent extent = piece.extent();
    meter.onRead(extent, bytes, nanos);
    if (piece.small()) {
      counters.increment(StreamManagerCounter.SMALL_READS);
      return endSmall();
    }
    countTurn(extent, bytes);
    Scan scan = inRead;
    long before = scan.ahead();
    boolean end = bytes < extent.length();
    List<Demand> done = scan.onRead(extent.start() + bytes, end, lastRead + nanos);
    if (scans.contains(scan)) {
      long ahead = scan.ahead() - before;
      counters.add(StreamManagerCounter.READ_AHEAD_BYTES, ahead);
      addUntaken(ahead);
    }
    onDone(done);
    return done;
  }

  private void countTurn(Extent extent, long bytes) {
    lastOfScans = extent;
    small.onScanRead(bytes);
    run += bytes;
  }

  private List<Demand> endSmall() {
    Demand done = smallInRead;
    smallInRead = null;
    count(done, -1);
    return List.of(done);
  }

  /**
   * A piece could not be read. For other demands it counts as if it had been read, as the disk was
   * busy with it.
   *
   * @return demands that fail with it
   */
  List<Demand> onFailed(Piece piece) {
    if (piece.small()) {
      return endSmall();
    }
    countTurn(piece.extent(), piece.extent().length());
    long before = inRead.ahead();
    List<Demand> failed = inRead.onFailed(piece.extent());
    if (scans.contains(inRead)) {
      long given = before - inRead.ahead();
      counters.add(StreamManagerCounter.READ_AHEAD_WASTED, given);
      addUntaken(-given);
    }
    onDone(failed);
    return failed;
  }

  /** Takes everything, the small read under way too, as that will not be ended any more. */
  List<Demand> drainAll() {
    List<Demand> all = new ArrayList<>(drain());
    if (smallInRead != null) {
      all.addAll(endSmall());
    }
    return all;
  }

  /** Takes everything that waits, to be refused. A small read under way is not waiting. */
  List<Demand> drain() {
    List<Demand> all = new ArrayList<>();
    scans.forEach(scan -> all.addAll(scan.takeAll()));
    List.copyOf(scans).forEach(this::retire);
    all.addAll(small.drain());
    onDone(all);
    meter.endRun();
    return all;
  }
}
