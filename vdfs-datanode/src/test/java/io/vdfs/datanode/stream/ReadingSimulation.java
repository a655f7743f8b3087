package io.vdfs.datanode.stream;

import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.CombinedFileId;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * A disk queue, a disk with seeks and readers with speeds of their own, all in virtual time on one
 * thread. Checks as it goes that the budget holds and that no reader is told of bytes that were not
 * read. Confined to a test.
 */
final class ReadingSimulation {
  static final long MIB = 1 << 20;
  static final long BLOCK = 8 * MIB;

  private static final long CHECKED = 64 << 10;
  private static final long MEMORY_NANOS = 400_000;

  private record Event(long at, long order, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(at, other.at);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  private record Place(CombinedFileId file, long chunk) {}

  final Counters<StreamManagerCounter> counters = new Counters<>(StreamManagerCounter.class);
  final SeekingDisk disk = new SeekingDisk();
  final DiskQueue queue;
  final SharedScan sharedScan = new SharedScan(this::hasBlock, this::now, counters);

  private final StreamSettings settings;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final Set<Place> memory = new LinkedHashSet<>();
  private final List<Reader> readers = new ArrayList<>();
  private final Map<Demand, Long> completed = new HashMap<>();
  private long order;
  private long now;
  private boolean reading;
  private long mostUntaken;
  private long fileSize = Long.MAX_VALUE;
  private long mostChunks = Long.MAX_VALUE;

  ReadingSimulation(StreamSettings settings, ScanPolicy policy) {
    this.settings = settings;
    this.queue = new DiskQueue(settings, policy, this::isInMemory, counters);
  }

  ReadingSimulation(StreamSettings settings) {
    this(settings, new ElevatorPolicy(settings.minRun(), settings.maxRun(), settings.round()));
  }

  static CombinedFileId file(int number) {
    return new CombinedFileId(0, new FileKey(number + 1, 1), BlockRole.PRIMARY);
  }

  void setFileSize(long bytes) {
    fileSize = bytes;
  }

  /** So much is remembered; beyond that what was used longest ago is forgotten. */
  void limitMemory(long bytes) {
    mostChunks = bytes / CHECKED;
  }

  /** The machine has given all of its page cache to another process. */
  void forgetAll() {
    memory.clear();
  }

  private boolean hasBlock(FileKey file, long block) {
    CombinedFileId combined = new CombinedFileId(0, file, BlockRole.PRIMARY);
    return isInMemory(new Extent(combined, block * BLOCK, block * BLOCK + 1));
  }

  long now() {
    return now;
  }

  long mostUntaken() {
    return mostUntaken;
  }

  private void at(long time, Runnable action) {
    events.add(new Event(time, order++, action));
  }

  /** Reads a range as the client does: requests that grow, and a few ahead. */
  final class Reader {
    private static final int AHEAD = 2;

    private final CombinedFileId file;
    private final long end;
    private final double bytesPerSecond;
    private final List<Demand> outstanding = new ArrayList<>();
    private long next;
    private long request = 256 << 10;
    private boolean sequential;
    private boolean consuming;
    private boolean killed;
    private long longestWait;
    private long finished = -1;
    private Runnable onFinished = () -> {};

    private Reader(CombinedFileId file, long start, long end, double bytesPerSecond) {
      this.file = file;
      this.next = start;
      this.end = end;
      this.bytesPerSecond = bytesPerSecond;
    }

    boolean isFinished() {
      return finished >= 0;
    }

    long finished() {
      return finished;
    }

    long longestWait() {
      return longestWait;
    }

    /** The process dies: its connection is gone. */
    void kill() {
      killed = true;
      outstanding.forEach(
          demand -> {
            if (!demand.done().isDone()) {
              queue.cancel(demand);
            }
          });
      outstanding.clear();
    }

    private void go() {
      if (killed) {
        return;
      }
      int requests = sequential ? AHEAD + 1 : 1;
      sequential = true;
      while (next < end && outstanding.size() < requests) {
        long length = Math.min(request, end - next);
        Extent extent = new Extent(file, next, next + length);
        next += length;
        request = Math.min(8 * MIB, request * 4);
        outstanding.add(ask(extent));
      }
      consume();
    }

    private Demand ask(Extent extent) {
      FileKey key = extent.file().key();
      long block = extent.start() / BLOCK;
      sharedScan.onAsked(key, block);
      Demand demand;
      if (isInMemory(extent)) {
        queue.onTaken(extent, now);
        demand = new Demand(extent, Demand.By.READER, now);
        demand.done().complete(null);
      } else {
        demand = queue.add(extent, Demand.By.READER, now);
      }
      var unused = demand.done().thenRun(() -> sharedScan.onRead(key, block));
      return demand;
    }

    /** Reads out of turn, as a reader that was told wrongly does. */
    private long readItself(Extent extent) {
      long nanos = disk.read(extent, extent.length());
      remember(extent);
      return nanos;
    }

    /** It was in memory and is not any more. */
    private boolean isForgotten(Extent extent) {
      return mostChunks < Long.MAX_VALUE && !isInMemory(extent);
    }

    void onFinished(Runnable action) {
      onFinished = action;
    }

    private void consume() {
      if (consuming || killed || outstanding.isEmpty()) {
        return;
      }
      Demand first = outstanding.get(0);
      if (!first.done().isDone()) {
        return;
      }
      if (first.done().isCompletedExceptionally()) {
        throw new AssertionError("failed: " + first);
      }
      long itself = isForgotten(first.extent()) ? readItself(first.extent()) : 0;
      if (!isInMemory(first.extent())) {
        throw new AssertionError("told of bytes that were not read: " + first.extent());
      }
      consuming = true;
      outstanding.remove(0);
      remember(first.extent());
      longestWait = Math.max(longestWait, completed.getOrDefault(first, 0L) - first.arrived());
      at(
          now + itself + (long) (first.extent().length() * 1e9 / bytesPerSecond),
          () -> {
            consuming = false;
            if (next >= end && outstanding.isEmpty()) {
              finished = now;
              onFinished.run();
            }
            go();
          });
    }
  }

  private boolean isInMemory(Extent extent) {
    for (long at = extent.start(); at < extent.end(); at += CHECKED) {
      if (!memory.contains(new Place(extent.file(), at / CHECKED))) {
        return false;
      }
    }
    return true;
  }

  Reader reader(int file, long start, long length, double bytesPerSecond, long startAt) {
    Reader reader = new Reader(file(file), start, start + length, bytesPerSecond);
    readers.add(reader);
    at(startAt, reader::go);
    return reader;
  }

  /** Threads that take the next of these ranges whenever they are done with one. */
  void readAll(int threads, Deque<Extent> ranges, double bytesPerSecond) {
    for (int thread = 0; thread < threads; thread++) {
      takeNext(ranges, bytesPerSecond);
    }
  }

  private void takeNext(Deque<Extent> ranges, double bytesPerSecond) {
    Extent range = ranges.poll();
    if (range != null) {
      Reader reader = new Reader(range.file(), range.start(), range.end(), bytesPerSecond);
      reader.onFinished = () -> takeNext(ranges, bytesPerSecond);
      readers.add(reader);
      at(now, reader::go);
    }
  }

  /** Tasks that are granted the next of these blocks whenever they are done with one. */
  void readGranted(int tasks, Deque<Extent> blocks, double bytesPerSecond) {
    for (int task = 0; task < tasks; task++) {
      takeGrant(blocks, bytesPerSecond);
    }
  }

  private void takeGrant(Deque<Extent> blocks, double bytesPerSecond) {
    Extent block = blocks.poll();
    if (block == null) {
      return;
    }
    if (isInMemory(block)) {
      queue.onTaken(block, now);
    } else {
      queue.add(block, Demand.By.GRANT, now);
    }
    Reader reader = new Reader(block.file(), block.start(), block.end(), bytesPerSecond);
    reader.onFinished = () -> takeGrant(blocks, bytesPerSecond);
    readers.add(reader);
    at(now, reader::go);
  }

  /** Reads a small range somewhere. */
  Reader smallRead(int file, long start, long startAt) {
    return reader(file, start, 64 << 10, 1e9, startAt);
  }

  List<Reader> readers() {
    return readers;
  }

  /** Something that happens at a time. */
  void schedule(long time, Runnable action) {
    at(time, action);
  }

  /** Goes on until nothing happens any more. */
  void run() {
    run(Long.MAX_VALUE);
  }

  void run(long until) {
    startReading();
    while (!events.isEmpty() && events.peek().at() <= until) {
      Event event = events.poll();
      now = event.at();
      event.action().run();
      readers.forEach(Reader::consume);
      startReading();
    }
  }

  private void startReading() {
    if (reading) {
      return;
    }
    Optional<Piece> piece = queue.next(now);
    if (piece.isEmpty()) {
      return;
    }
    reading = true;
    Extent extent = piece.get().extent();
    boolean known = isInMemory(extent);
    long nanos = known ? MEMORY_NANOS : disk.read(extent, bytesOf(extent));
    at(now + nanos, () -> endReading(piece.get(), nanos));
  }

  private void remember(Extent extent) {
    for (long chunk = extent.start() / CHECKED; chunk * CHECKED < extent.end(); chunk++) {
      Place place = new Place(extent.file(), chunk);
      memory.remove(place);
      memory.add(place);
    }
    Iterator<Place> oldest = memory.iterator();
    while (memory.size() > mostChunks) {
      oldest.next();
      oldest.remove();
    }
  }

  private long bytesOf(Extent extent) {
    return Math.min(extent.length(), Math.max(0, fileSize - extent.start()));
  }

  private void endReading(Piece piece, long nanos) {
    reading = false;
    Extent extent = piece.extent();
    remember(extent);
    for (Demand demand : queue.onRead(piece, bytesOf(extent), nanos)) {
      completed.put(demand, now);
      demand.done().complete(null);
    }
    mostUntaken = Math.max(mostUntaken, queue.untaken());
    if (queue.untaken() > settings.readAhead() || queue.untaken() < 0) {
      throw new AssertionError("budget: untaken=" + queue.untaken());
    }
  }
}
