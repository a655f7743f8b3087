package io.vdfs.datanode.stream;

import static io.vdfs.datanode.stream.ReadingSimulation.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.datanode.store.CombinedFileId;
import io.vdfs.datanode.stream.ReadingSimulation.Reader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class DiskQueueTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final double FAST = 700e6;

  private static StreamSettings budget(long bytes) {
    return StreamSettings.of(
        StreamSettings.ReadOrder.ELEVATOR, bytes, StreamSettings.DEFAULT.round());
  }

  private static Deque<Extent> ranges(int files) {
    Deque<Extent> ranges = new ArrayDeque<>();
    for (int file = 0; file < files; file++) {
      for (long half = 0; half < 2; half++) {
        CombinedFileId id = ReadingSimulation.file(file);
        ranges.add(new Extent(id, half * 128 * MIB, (half + 1) * 128 * MIB));
      }
    }
    return ranges;
  }

  /** The benchmark: so many threads, each taking the next 128 MiB range of eight files. */
  private static ReadingSimulation benchmark(
      int threads, StreamSettings settings, ScanPolicy policy) {
    ReadingSimulation simulation = new ReadingSimulation(settings, policy);
    simulation.setFileSize(256 * MIB);
    simulation.readAll(threads, ranges(8), FAST);
    simulation.run();
    assertEquals(16, simulation.readers().size());
    return simulation;
  }

  private static ScanPolicy elevator(StreamSettings settings) {
    return new ElevatorPolicy(settings.minRun(), settings.maxRun(), settings.round());
  }

  private static void checkBenchmark(ReadingSimulation simulation) {
    SeekingDisk disk = simulation.disk;
    String figures =
        disk.megabytesPerBusySecond() + " MB/s, " + disk.seeksPerGigabyte() + " seeks per GB";
    assertTrue(simulation.readers().stream().allMatch(Reader::isFinished), "all finished");
    assertTrue(disk.seeksPerGigabyte() <= 100, figures);
    assertTrue(disk.megabytesPerBusySecond() >= 145, figures);
    assertTrue(disk.bytes() <= 1.1 * 2048 * MIB, "read in vain: bytes=" + disk.bytes());
    for (Reader reader : simulation.readers()) {
      assertTrue(reader.longestWait() <= 9 * SECOND, "waited: ns=" + reader.longestWait());
    }
  }

  @ParameterizedTest
  @CsvSource({"1,100", "2,100", "3,100", "4,100", "8,100", "12,100", "16,100", "1,512", "16,512"})
  void shouldReadInLongRunsHoweverManyReadersThereAre(int threads, int budget) {
    StreamSettings settings = budget(budget * MIB);
    checkBenchmark(benchmark(threads, settings, elevator(settings)));
  }

  private static Deque<Extent> blocks() {
    Deque<Extent> blocks = new ArrayDeque<>();
    for (long block = 0; block < 256; block++) {
      long start = block * ReadingSimulation.BLOCK;
      blocks.add(new Extent(ReadingSimulation.file(0), start, start + ReadingSimulation.BLOCK));
    }
    return blocks;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 8, 16})
  void shouldReadBlocksOfManyTasksAsOneWayOfTheDisk(int tasks) {
    ReadingSimulation granted = new ReadingSimulation(budget(100 * MIB));
    granted.setFileSize(2048 * MIB);
    granted.readGranted(tasks, blocks(), FAST);
    granted.run();
    ReadingSimulation untold = new ReadingSimulation(budget(100 * MIB));
    untold.setFileSize(2048 * MIB);
    untold.readAll(tasks, blocks(), FAST);
    untold.run();
    String figures =
        granted.disk.seeksPerGigabyte() + " seeks per GB, " + untold.disk.seeksPerGigabyte();
    assertTrue(granted.readers().stream().allMatch(Reader::isFinished), "all finished");
    assertTrue(granted.disk.seeksPerGigabyte() <= 10, figures);
    assertTrue(
        tasks == 1 || untold.disk.seeksPerGigabyte() >= 40, "the test shows nothing: " + figures);
    assertTrue(granted.disk.bytes() <= 1.01 * 2048 * MIB, "read in vain: " + granted.disk.bytes());
    assertEquals(
        0, granted.counters.get(StreamManagerCounter.SHARED_SCAN_HITS), "each reads its own");
  }

  @Test
  void shouldCountWhatTheDiskDid() {
    StreamSettings settings = budget(100 * MIB);
    ReadingSimulation simulation = benchmark(1, settings, elevator(settings));
    assertEquals(
        simulation.disk.seeks(), simulation.counters.get(StreamManagerCounter.DISCONTINUITIES));
    assertEquals(simulation.disk.bytes(), simulation.counters.get(StreamManagerCounter.DISK_BYTES));
    long longRuns =
        simulation.counters.get(StreamManagerCounter.RUNS_8M_TO_32M)
            + simulation.counters.get(StreamManagerCounter.RUNS_FROM_32M);
    assertTrue(longRuns >= 7, "long runs: " + longRuns);
    assertEquals(0, simulation.counters.get(StreamManagerCounter.WAITING));
  }

  @Test
  void shouldCountTheLastRunOnceNothingIsReadAnyMore() {
    ReadingSimulation simulation = new ReadingSimulation(StreamSettings.DEFAULT);
    simulation.reader(0, 0, 20 * MIB, FAST, 0);
    simulation.run();
    assertEquals(1, simulation.counters.get(StreamManagerCounter.DISCONTINUITIES));
    long idle = simulation.now() + StreamSettings.DEFAULT.idle().toNanos();

    assertEquals(Optional.empty(), simulation.queue.next(idle));
    assertEquals(1, runs(simulation));
    assertEquals(Optional.empty(), simulation.queue.next(idle + SECOND));
    assertEquals(1, runs(simulation), "once");
  }

  @Test
  void shouldFileTheRunThatTheEndCutsOff() {
    ReadingSimulation simulation = new ReadingSimulation(StreamSettings.DEFAULT);
    simulation.reader(0, 0, 20 * MIB, FAST, 0);
    simulation.run(SECOND / 20);
    assertTrue(simulation.counters.get(StreamManagerCounter.DISK_BYTES) > 0);
    assertEquals(0, runs(simulation), "it goes on");

    simulation.queue.drain();

    assertEquals(1, runs(simulation));
  }

  private static long runs(ReadingSimulation simulation) {
    return simulation.counters.get(StreamManagerCounter.RUNS_BELOW_1M)
        + simulation.counters.get(StreamManagerCounter.RUNS_1M_TO_8M)
        + simulation.counters.get(StreamManagerCounter.RUNS_8M_TO_32M)
        + simulation.counters.get(StreamManagerCounter.RUNS_FROM_32M);
  }

  /** A policy with a mistake in it must not get through the same checks. */
  private record Faulty(ScanPolicy sound, Mistake mistake) implements ScanPolicy {
    private enum Mistake {
      ENDLESS_RUN,
      SHORT_RUN,
      NEVER_AHEAD,
      ALWAYS_FIRST
    }

    @Override
    public int choose(List<Waiting> waiting, Optional<Extent> last, long now) {
      return mistake == Mistake.ALWAYS_FIRST ? 0 : sound.choose(waiting, last, now);
    }

    @Override
    public long run(int waiting, double bytesPerSecond) {
      return switch (mistake) {
        case ENDLESS_RUN -> Long.MAX_VALUE;
        case SHORT_RUN -> 1;
        default -> sound.run(waiting, bytesPerSecond);
      };
    }

    @Override
    public boolean readsAhead() {
      return mistake != Mistake.NEVER_AHEAD && sound.readsAhead();
    }
  }

  @Test
  void shouldSeekTooMuchWithShortRunsOrTurnsOfOneRead() {
    StreamSettings settings = budget(100 * MIB);
    ScanPolicy shortRuns = new Faulty(elevator(settings), Faulty.Mistake.SHORT_RUN);
    assertThrows(AssertionError.class, () -> checkBenchmark(benchmark(16, settings, shortRuns)));
    assertThrows(
        AssertionError.class, () -> checkBenchmark(benchmark(16, settings, new ArrivalPolicy())));
  }

  /** Two endless readers and one that comes late. */
  private static long lateReaderWaits(ScanPolicy policy) {
    ReadingSimulation simulation = new ReadingSimulation(budget(100 * MIB), policy);
    simulation.reader(0, 0, 20_000 * MIB, 1e12, 0);
    simulation.reader(1, 0, 20_000 * MIB, 1e12, 0);
    Reader late = simulation.reader(2, 0, 64 * MIB, 1e12, SECOND);
    simulation.run(60 * SECOND);
    return late.isFinished() ? late.longestWait() : Long.MAX_VALUE;
  }

  @Test
  void shouldServeEveryScanWithinARound() {
    ScanPolicy sound = elevator(StreamSettings.DEFAULT);
    assertTrue(lateReaderWaits(sound) <= 4 * SECOND);
    assertTrue(lateReaderWaits(new Faulty(sound, Faulty.Mistake.ENDLESS_RUN)) > 4 * SECOND);
    assertTrue(lateReaderWaits(new Faulty(sound, Faulty.Mistake.ALWAYS_FIRST)) > 4 * SECOND);
  }

  /** Three scans that wait for more than a turn of one read each, in files 1 to 3. */
  private static ReadingSimulation threeScans(ScanPolicy policy) {
    ReadingSimulation simulation = new ReadingSimulation(budget(100 * MIB), policy);
    for (int file = 1; file <= 3; file++) {
      Extent extent = new Extent(ReadingSimulation.file(file), 0, 16 * MIB);
      simulation.queue.add(extent, Demand.By.READER, 0);
    }
    return simulation;
  }

  private static ScanPolicy sweepInShortTurns() {
    int readSize = StreamSettings.DEFAULT.readSize();
    return new ElevatorPolicy(readSize, readSize, StreamSettings.DEFAULT.round());
  }

  private static Piece readNext(DiskQueue queue) {
    Piece piece = queue.next(0).orElseThrow();
    queue.onRead(piece, piece.extent().length(), 1);
    return piece;
  }

  private static CombinedFileId fileOf(Piece piece) {
    return piece.extent().file();
  }

  @Test
  void shouldServeScansInTurnOneReadEachIfToldSo() {
    DiskQueue queue = threeScans(new ArrivalPolicy()).queue;
    for (int round = 0; round < 2; round++) {
      for (int file = 1; file <= 3; file++) {
        Piece piece = readNext(queue);
        assertEquals(ReadingSimulation.file(file), fileOf(piece), "round " + round);
        assertEquals(StreamSettings.DEFAULT.readSize(), piece.extent().length());
      }
    }
    queue.add(new Extent(ReadingSimulation.file(0), 0, 16 * MIB), Demand.By.READER, 0);
    for (int file : List.of(1, 2, 3, 0, 1, 2, 3, 0)) {
      assertEquals(ReadingSimulation.file(file), fileOf(readNext(queue)));
    }
  }

  @Test
  void shouldGoOnWithItsSweepAfterSmallReads() {
    DiskQueue queue = threeScans(sweepInShortTurns()).queue;
    assertEquals(ReadingSimulation.file(1), fileOf(readNext(queue)));
    assertEquals(ReadingSimulation.file(2), fileOf(readNext(queue)));
    queue.add(new Extent(ReadingSimulation.file(9), 0, 64 << 10), Demand.By.READER, 0);
    assertTrue(readNext(queue).small());

    assertEquals(ReadingSimulation.file(3), fileOf(readNext(queue)));
    assertEquals(ReadingSimulation.file(1), fileOf(readNext(queue)), "over again");
  }

  @Test
  void shouldGoOnWithItsSweepAfterAFailure() {
    DiskQueue queue = threeScans(sweepInShortTurns()).queue;
    assertEquals(ReadingSimulation.file(1), fileOf(readNext(queue)));
    Piece bad = queue.next(0).orElseThrow();
    assertEquals(ReadingSimulation.file(2), fileOf(bad));

    assertEquals(1, queue.onFailed(bad).size());

    assertEquals(ReadingSimulation.file(3), fileOf(readNext(queue)));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 16})
  void shouldReadAheadOfSlowReadersInRunsWorthTheSeek(int readers) {
    ReadingSimulation simulation = new ReadingSimulation(budget(512 * MIB));
    for (int reader = 0; reader < readers; reader++) {
      simulation.reader(reader, 0, 256 * MIB, 100e6 / readers, 0);
    }
    simulation.run();
    assertTrue(
        simulation.disk.seeksPerGigabyte() <= 100, () -> "" + simulation.disk.seeksPerGigabyte());
    long waited = simulation.readers().stream().mapToLong(Reader::longestWait).max().orElseThrow();
    assertTrue(waited <= 6 * SECOND, "waited: ns=" + waited);
    assertTrue(simulation.counters.get(StreamManagerCounter.READ_AHEAD_TAKEN) > 64 * MIB);
    assertTrue(simulation.mostUntaken() > 16 * MIB);
  }

  @Test
  void shouldLeaveTheBudgetToScansThatAreNotAtTheEndOfTheirFile() {
    ReadingSimulation simulation = new ReadingSimulation(budget(32 * MIB));
    DiskQueue queue = simulation.queue;
    CombinedFileId ended = ReadingSimulation.file(0);
    queue.add(new Extent(ended, 0, MIB), Demand.By.READER, 0);
    queue.add(new Extent(ended, MIB, 2 * MIB), Demand.By.READER, 0);
    assertEquals(2, queue.onRead(queue.next(0).orElseThrow(), 2 * MIB - 1, 1).size());

    CombinedFileId file = ReadingSimulation.file(1);
    queue.add(new Extent(file, 0, 8 * MIB), Demand.By.READER, 0);
    queue.add(new Extent(file, 8 * MIB, 16 * MIB), Demand.By.READER, 0);
    simulation.run();

    assertEquals(32 * MIB, queue.untaken());
  }

  @Test
  void shouldStopReadingWhenNoReaderTakesAnything() {
    ReadingSimulation simulation = new ReadingSimulation(budget(100 * MIB));
    for (int reader = 0; reader < 8; reader++) {
      simulation.reader(reader, 0, 1024 * MIB, 1, 0);
    }
    simulation.run(5 * SECOND);
    assertTrue(simulation.queue.untaken() <= 100 * MIB);
    assertTrue(simulation.disk.bytes() <= (100 + 8 * 32) * MIB, "" + simulation.disk.bytes());
  }

  @Test
  void shouldServeSmallReadsBetweenRunsAndNotStarveTheScans() {
    ReadingSimulation simulation = new ReadingSimulation(budget(100 * MIB));
    for (int reader = 0; reader < 8; reader++) {
      simulation.reader(reader, 0, 4096 * MIB, FAST, 0);
    }
    Random random = new Random(1);
    List<Reader> small = new ArrayList<>();
    for (int read = 0; read < 500; read++) {
      long place = 5000 * MIB + random.nextInt(1 << 16) * (64L << 10);
      small.add(simulation.smallRead(random.nextInt(8), place, SECOND + read * SECOND / 50));
    }
    simulation.run(12 * SECOND);
    assertTrue(small.stream().allMatch(Reader::isFinished));
    long waited = small.stream().mapToLong(Reader::longestWait).max().orElseThrow();
    assertTrue(waited < SECOND / 2, "a small read waited: ns=" + waited);
    long scanned = simulation.disk.bytes() - 500 * (64L << 10);
    assertTrue(scanned > 11 * 40e6, "scans got: bytes=" + scanned);
  }

  @Test
  void shouldKeepScanningUnderAFloodOfSmallReads() {
    ReadingSimulation simulation = new ReadingSimulation(budget(100 * MIB));
    simulation.reader(0, 0, 4096 * MIB, FAST, 0);
    Random random = new Random(2);
    for (int read = 0; read < 4000; read++) {
      long place = 5000 * MIB + random.nextInt(1 << 16) * (64L << 10);
      simulation.smallRead(1, place, SECOND);
    }
    simulation.run(11 * SECOND);
    assertTrue(simulation.counters.get(StreamManagerCounter.SMALL_READS) > 500);
    long scanned =
        simulation.disk.bytes()
            - simulation.counters.get(StreamManagerCounter.SMALL_READS) * (64L << 10);
    assertTrue(scanned > 11 * 30e6, "scans got: bytes=" + scanned);
  }

  @Test
  void shouldReadOnceWhatManyReadersWant() {
    ReadingSimulation simulation = new ReadingSimulation(budget(100 * MIB));
    for (int reader = 0; reader < 4; reader++) {
      simulation.reader(0, 0, 512 * MIB, FAST, reader * SECOND / 20);
    }
    simulation.run();
    assertTrue(simulation.readers().stream().allMatch(Reader::isFinished));
    assertTrue(simulation.disk.bytes() <= 1.2 * 512 * MIB, "" + simulation.disk.bytes());
    assertTrue(simulation.counters.get(StreamManagerCounter.SHARED_SCAN_HITS) > 10);
  }

  @Test
  void shouldReadAgainWhatMemoryHasLost() {
    ReadingSimulation simulation = new ReadingSimulation(budget(100 * MIB));
    simulation.setFileSize(128 * MIB);
    simulation.reader(0, 0, 64 * MIB, FAST, 0);
    simulation.run();
    simulation.forgetAll();
    long before = simulation.disk.bytes();
    Reader behind = simulation.reader(0, 32 * MIB, 32 * MIB, FAST, simulation.now());
    Reader across = simulation.reader(0, 60 * MIB, 68 * MIB, FAST, simulation.now());
    simulation.run();
    assertTrue(behind.isFinished() && across.isFinished());
    long again = simulation.disk.bytes() - before;
    assertTrue(again >= 96 * MIB && again <= 100 * MIB, "each byte once more: bytes=" + again);
  }

  @Test
  void shouldTakeSmallSequentialReadsForAScan() {
    ReadingSimulation simulation = new ReadingSimulation(budget(100 * MIB));
    long now = 0;
    for (int read = 0; read < 64; read++) {
      Extent extent =
          new Extent(ReadingSimulation.file(0), read * (64L << 10), (read + 1) * (64L << 10));
      simulation.queue.add(extent, Demand.By.READER, now);
      simulation.run();
    }
    assertEquals(1, simulation.counters.get(StreamManagerCounter.SMALL_READS));
    assertEquals(1, simulation.disk.seeks());
    assertTrue(simulation.counters.get(StreamManagerCounter.READ_AHEAD_TAKEN) > 0);
  }

  @Test
  void shouldFreeWhatWasReadForAReaderThatDied() {
    ReadingSimulation simulation = new ReadingSimulation(budget(100 * MIB));
    Reader reader = simulation.reader(0, 0, 4096 * MIB, 50e6, 0);
    simulation.reader(1, 0, 256 * MIB, FAST, 0);
    simulation.run(2 * SECOND);
    assertTrue(simulation.queue.untaken() > 8 * MIB);
    reader.kill();
    simulation.run(4 * SECOND);
    assertEquals(0, simulation.queue.waiting());
    assertEquals(Optional.empty(), simulation.queue.next(60 * SECOND));
    assertEquals(0, simulation.queue.untaken());
    assertEquals(0, simulation.counters.get(StreamManagerCounter.READ_AHEAD_UNTAKEN));
    assertTrue(simulation.counters.get(StreamManagerCounter.READ_AHEAD_WASTED) > 8 * MIB);
  }

  @Test
  void shouldEndTheScanOfAReaderThatWaitsForNothingElse() {
    ReadingSimulation simulation = new ReadingSimulation(budget(100 * MIB));
    CombinedFileId file = ReadingSimulation.file(0);
    simulation.queue.add(new Extent(file, 0, 8 * MIB), Demand.By.READER, 0);
    simulation.queue.add(new Extent(file, 8 * MIB, 16 * MIB), Demand.By.READER, 0);
    simulation.run();
    assertTrue(simulation.queue.untaken() > 16 * MIB);
    long head = 16 * MIB + simulation.queue.untaken();
    Demand last = simulation.queue.add(new Extent(file, head, head + 8 * MIB), Demand.By.READER, 0);
    assertTrue(simulation.queue.cancel(last));
    assertFalse(simulation.queue.cancel(last));
    assertEquals(0, simulation.queue.untaken());
    assertEquals(Optional.empty(), simulation.queue.next(0));
  }

  @Test
  void shouldCountAsReadAheadWhatIsNoLongerAskedFor() {
    ReadingSimulation simulation = new ReadingSimulation(budget(4 * MIB));
    CombinedFileId file = ReadingSimulation.file(0);
    Demand first = simulation.queue.add(new Extent(file, 0, 8 * MIB), Demand.By.READER, 0);
    Demand second = simulation.queue.add(new Extent(file, 8 * MIB, 64 * MIB), Demand.By.READER, 0);
    simulation.queue.cancel(second);
    simulation.run();
    assertTrue(first.done().isDone());
    assertTrue(simulation.disk.bytes() <= 12 * MIB, "" + simulation.disk.bytes());
  }

  @Test
  void shouldNotReadAheadOfReadersThatJump() {
    ReadingSimulation simulation = new ReadingSimulation(budget(100 * MIB));
    for (int read = 0; read < 20; read++) {
      long start = (read * 37L % 20) * 100 * MIB;
      simulation.queue.add(
          new Extent(ReadingSimulation.file(0), start, start + MIB), Demand.By.READER, 0);
    }
    simulation.run();
    assertEquals(20 * MIB, simulation.disk.bytes());
    assertEquals(0, simulation.queue.waiting());
  }

  @Test
  void shouldServeAShortDemandInsideALongOneAsSoonAsItIsRead() {
    ReadingSimulation simulation = new ReadingSimulation(budget(100 * MIB));
    CombinedFileId file = ReadingSimulation.file(0);
    simulation.queue.add(new Extent(file, 0, 16 * MIB), Demand.By.READER, 0);
    Demand inside = simulation.queue.add(new Extent(file, MIB, 2 * MIB), Demand.By.READER, 0);
    Piece piece = simulation.queue.next(0).orElseThrow();
    assertEquals(List.of(inside), simulation.queue.onRead(piece, piece.extent().length(), 1));
  }

  @Test
  void shouldFailWhatCannotBeReadAndGoOnWithTheRest() {
    ReadingSimulation simulation = new ReadingSimulation(budget(100 * MIB));
    CombinedFileId file = ReadingSimulation.file(0);
    Demand bad = simulation.queue.add(new Extent(file, 0, 8 * MIB), Demand.By.READER, 0);
    Demand good = simulation.queue.add(new Extent(file, 8 * MIB, 16 * MIB), Demand.By.READER, 0);
    Piece piece = simulation.queue.next(0).orElseThrow();
    assertEquals(List.of(bad), simulation.queue.onFailed(piece));
    simulation.run();
    assertTrue(good.done().isDone());
    assertFalse(good.done().isCompletedExceptionally());
    assertEquals(0, simulation.queue.waiting());
  }

  private static int failuresUntil(DiskQueue queue, Predicate<Piece> expected) {
    int failures = 0;
    Piece piece = queue.next(0).orElseThrow();
    while (!expected.test(piece)) {
      queue.onFailed(piece);
      failures++;
      piece = queue.next(0).orElseThrow();
    }
    return failures;
  }

  @Test
  void shouldServeSmallReadsBetweenReadsThatFail() {
    DiskQueue queue = new ReadingSimulation(budget(100 * MIB)).queue;
    CombinedFileId good = ReadingSimulation.file(1);
    for (long place = 0; place < 64; place++) {
      Extent bad =
          new Extent(ReadingSimulation.file(0), place * 100 * MIB, place * 100 * MIB + MIB);
      queue.add(bad, Demand.By.READER, 0);
    }
    queue.add(new Extent(good, 0, 64L << 10), Demand.By.READER, 0);
    assertTrue(readNext(queue).small());
    queue.add(new Extent(good, 100 * MIB, 100 * MIB + (64L << 10)), Demand.By.READER, 0);

    int failures = failuresUntil(queue, Piece::small);

    assertTrue(failures <= 9, "failures: " + failures);
  }

  @Test
  void shouldEndATurnOfReadsThatFail() {
    StreamSettings settings = budget(100 * MIB);
    long run = 8 * MIB;
    ScanPolicy policy = new ElevatorPolicy(run, run, settings.round());
    DiskQueue queue = new ReadingSimulation(settings, policy).queue;
    int readSize = settings.readSize();
    CombinedFileId bad = ReadingSimulation.file(0);
    for (long place = 0; place < 64; place++) {
      Extent extent = new Extent(bad, place * readSize, (place + 1) * readSize);
      queue.add(extent, Demand.By.READER, 0);
    }
    CombinedFileId good = ReadingSimulation.file(1);
    queue.add(new Extent(good, 0, 16 * MIB), Demand.By.READER, 0);

    int failures = failuresUntil(queue, piece -> fileOf(piece).equals(good));

    assertTrue(failures >= 1 && failures * (long) readSize <= run, "failures: " + failures);
  }

  @Test
  void shouldCountWhatAFailureGivesUpOfWhatWasReadAhead() {
    ReadingSimulation simulation = new ReadingSimulation(budget(100 * MIB));
    DiskQueue queue = simulation.queue;
    CombinedFileId file = ReadingSimulation.file(0);
    queue.add(new Extent(file, 0, MIB), Demand.By.READER, 0);
    queue.add(new Extent(file, MIB, 2 * MIB), Demand.By.READER, 0);
    for (int read = 0; read < 3; read++) {
      readNext(queue);
    }
    assertEquals(4 * MIB, queue.untaken());

    queue.onFailed(queue.next(0).orElseThrow());

    assertEquals(0, queue.untaken());
    assertEquals(4 * MIB, simulation.counters.get(StreamManagerCounter.READ_AHEAD_BYTES));
    assertEquals(4 * MIB, simulation.counters.get(StreamManagerCounter.READ_AHEAD_WASTED));
  }

  @Test
  void shouldReadAheadForAReaderThatWaitedLongForTheDisk() {
    DiskQueue queue = new ReadingSimulation(budget(100 * MIB)).queue;
    CombinedFileId file = ReadingSimulation.file(0);
    queue.add(new Extent(file, 0, MIB), Demand.By.READER, 0);
    Demand last = queue.add(new Extent(file, MIB, 2 * MIB), Demand.By.READER, 0);
    long served = 2 * StreamSettings.DEFAULT.idle().toNanos();
    Piece piece = queue.next(served).orElseThrow();
    assertTrue(queue.onRead(piece, piece.extent().length(), SECOND).contains(last));

    assertTrue(queue.next(served + SECOND).isPresent(), "the scan was given up");
    assertEquals(0, queue.untaken());
  }

  @Test
  void shouldEndAtTheEndOfTheFile() {
    ReadingSimulation simulation = new ReadingSimulation(budget(100 * MIB));
    CombinedFileId file = ReadingSimulation.file(0);
    Demand first = simulation.queue.add(new Extent(file, 0, MIB), Demand.By.READER, 0);
    Demand beyond = simulation.queue.add(new Extent(file, MIB, 3 * MIB), Demand.By.READER, 0);
    Piece piece = simulation.queue.next(0).orElseThrow();
    assertEquals(List.of(first, beyond), simulation.queue.onRead(piece, MIB + 5, 1));
    assertEquals(Optional.empty(), simulation.queue.next(0));
    assertEquals(0, simulation.queue.waiting());
  }

  private static StreamSettings waiting(int maxWaiting) {
    StreamSettings d = StreamSettings.DEFAULT;
    return new StreamSettings(
        d.order(),
        d.readAhead(),
        d.readSize(),
        d.minRun(),
        d.maxRun(),
        d.round(),
        d.smallRead(),
        d.smallPatience(),
        d.idle(),
        maxWaiting);
  }

  @Test
  void shouldRefuseWhatCouldNotBeServedInTime() {
    ReadingSimulation simulation = new ReadingSimulation(waiting(2));
    for (int demand = 0; demand < 3; demand++) {
      Extent extent = new Extent(ReadingSimulation.file(demand), 0, MIB);
      Demand added = simulation.queue.add(extent, Demand.By.READER, 0);
      assertEquals(demand == 2, added.done().isCompletedExceptionally());
    }
    assertEquals(1, simulation.counters.get(StreamManagerCounter.REFUSED));
  }

  @Test
  void shouldLetOneHostTakeNoMoreThanHalfOfTheQueue() {
    ReadingSimulation simulation = new ReadingSimulation(waiting(6));
    DiskQueue queue = simulation.queue;
    Demand first = askFrom(queue, new Host("greedy", true), 0);
    for (int file = 1; file < 3; file++) {
      assertFalse(askFrom(queue, new Host("greedy", true), file).done().isDone());
    }

    Demand refused = askFrom(queue, new Host("greedy", true), 3);

    assertTrue(refused.done().isDone());
    ExecutionException failure = assertThrows(ExecutionException.class, refused.done()::get);
    assertEquals(
        "too many reads of one host wait for the volume: volume=0, waiting=3, limit=3",
        failure.getCause().getMessage());
    assertEquals(1, simulation.counters.get(StreamManagerCounter.REFUSED));
    assertFalse(askFrom(queue, new Host("other", true), 4).done().isDone());
    assertTrue(queue.cancel(first));
    assertFalse(askFrom(queue, new Host("greedy", true), 5).done().isDone(), "it has room again");
    simulation.run();
    assertEquals(0, queue.waiting());
    for (int file = 6; file < 9; file++) {
      assertFalse(askFrom(queue, new Host("greedy", true), file).done().isDone());
    }
  }

  @Test
  void shouldLetAHostWithoutAShareTakeTheWholeQueue() {
    ReadingSimulation simulation = new ReadingSimulation(waiting(6));
    Host ring = new Host("ring", false);
    for (int file = 0; file < 6; file++) {
      assertFalse(askFrom(simulation.queue, ring, file).done().isDone());
    }

    Demand refused = askFrom(simulation.queue, ring, 6);

    assertTrue(refused.done().isDone());
    ExecutionException failure = assertThrows(ExecutionException.class, refused.done()::get);
    assertEquals(
        "too many reads wait for the volume: volume=0, waiting=6, limit=6",
        failure.getCause().getMessage());
  }

  private record Host(String name, boolean limited) implements StoreReads.Host {}

  /** A small read for each even file, and the beginning of a scan for each odd one. */
  private static Demand askFrom(DiskQueue queue, Host host, int file) {
    long length = file % 2 == 0 ? 64 << 10 : MIB;
    Extent extent = new Extent(ReadingSimulation.file(file), 0, length);
    return queue.add(extent, Demand.By.readerOn(host), 0);
  }

  @Test
  void shouldRefuseNoReaderForWhatWasGranted() {
    ReadingSimulation simulation = new ReadingSimulation(waiting(32));
    DiskQueue queue = simulation.queue;
    List<Demand> granted = new ArrayList<>();
    for (int demand = 0; demand < 40; demand++) {
      Extent extent = new Extent(ReadingSimulation.file(demand), 0, MIB);
      granted.add(queue.add(extent, Demand.By.GRANT, 0));
    }
    assertEquals(2, queue.waiting());
    assertEquals(38, simulation.counters.get(StreamManagerCounter.GRANTS_UNREAD));
    for (int demand = 0; demand < 32; demand++) {
      Extent extent = new Extent(ReadingSimulation.file(100 + demand), 0, MIB);
      assertFalse(queue.add(extent, Demand.By.READER, 0).done().isDone());
    }
    assertEquals(0, simulation.counters.get(StreamManagerCounter.REFUSED));

    simulation.run();

    assertEquals(0, queue.waiting());
    assertTrue(granted.stream().noneMatch(demand -> demand.done().isCompletedExceptionally()));
    assertEquals(34 * MIB, simulation.disk.bytes());
    queue.add(new Extent(ReadingSimulation.file(50), 0, MIB), Demand.By.GRANT, 0);
    assertEquals(1, queue.waiting(), "there is room again");
  }

  /** Readers of all kinds come, go and die; memory is lost now and then. */
  @Test
  void shouldLoseNothingWhateverHappens() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      long budget = (8 + random.nextInt(200)) * MIB;
      ReadingSimulation simulation = new ReadingSimulation(budget(budget));
      List<Reader> mortal = new ArrayList<>();
      for (int number = 0; number < 12; number++) {
        long length = random.nextBoolean() ? 64 << 10 : (1 + random.nextInt(64)) * MIB;
        long start = random.nextInt(64) * MIB;
        double speed = Math.pow(10, 6.5 + 3 * random.nextDouble());
        Reader reader =
            simulation.reader(
                random.nextInt(4), start, length, speed, (long) (random.nextDouble() * SECOND));
        if (random.nextInt(3) == 0) {
          mortal.add(reader);
          simulation.schedule((long) (random.nextDouble() * 2 * SECOND), reader::kill);
        }
      }
      simulation.run();
      for (Reader reader : simulation.readers()) {
        assertTrue(reader.isFinished() || mortal.contains(reader), "lost in seed " + seed);
      }
      assertEquals(0, simulation.queue.waiting(), "seed " + seed);
      assertEquals(Optional.empty(), simulation.queue.next(simulation.now() + 60 * SECOND));
      assertEquals(0, simulation.queue.untaken(), "seed " + seed);
      assertEquals(
          simulation.counters.get(StreamManagerCounter.READ_AHEAD_BYTES),
          simulation.counters.get(StreamManagerCounter.READ_AHEAD_TAKEN)
              + simulation.counters.get(StreamManagerCounter.READ_AHEAD_WASTED),
          "read-ahead is taken or given up: seed " + seed);
    }
  }
}
