package io.vdfs.mapreduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.ledger.DrawnRun;
import io.vdfs.client.ledger.RunAnswer;
import io.vdfs.client.ledger.RunQuestion;
import io.vdfs.client.ledger.StoppedTask;
import io.vdfs.client.ledger.StreamTask;
import io.vdfs.common.model.StreamId;
import io.vdfs.mapreduce.settings.EarlyEnd;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RunDrawerTest {
  private static final long MILLI = 1_000_000;
  private static final long UNLIMITED = Long.MAX_VALUE;

  private final ManualExecutor executor = new ManualExecutor();
  private final Map<StreamCounter, Long> counters = new EnumMap<>(StreamCounter.class);
  private long longestPause;
  private long nanos = 1;
  private long blockNanos = 100 * MILLI;
  private long yieldNanos = Long.MAX_VALUE;
  private int others;
  private Runnable meanwhile = () -> {};
  private long fetched = 1000;

  @AfterEach
  void stopExecutor() {
    executor.shutdown();
  }

  @Test
  void shouldDrawEveryRunOnceAndThenEnd() throws IOException {
    FakeLedger ledger = new FakeLedger(4, true);
    RunDrawer drawer = drawer(ledger, UNLIMITED);
    for (int block = 0; block < 4; block++) {
      assertEquals(block, process(drawer).orElseThrow().firstBlock());
    }
    assertTrue(drawer.next().isEmpty());
    assertTrue(drawer.next().isEmpty(), "the end stays the end");
    assertEquals(4, counter(StreamCounter.BLOCKS));
    assertEquals(400, counter(StreamCounter.BYTES));
    assertEquals(0, counter(StreamCounter.RUNS_ASKED_AHEAD));
    assertEquals(1, drawer.progress());
  }

  @Test
  void shouldAskAheadFromTheSecondRunOn() throws IOException {
    FakeLedger ledger = new FakeLedger(4, true);
    RunDrawer drawer = drawer(ledger, UNLIMITED);
    process(drawer);
    executor.runAll();
    assertEquals(1, ledger.drawn(), "the rate is not known yet");
    process(drawer);
    executor.runAll();
    assertEquals(3, ledger.drawn());
    int calls = ledger.asked.size();
    assertEquals(2, process(drawer).orElseThrow().firstBlock());
    assertEquals(calls, ledger.asked.size(), "it was there already");
    assertEquals(50 * MILLI, executor.delays.get(0));
  }

  @Test
  void shouldCountRunsAskedAhead() throws IOException {
    FakeLedger ledger = new FakeLedger(4, true);
    RunDrawer drawer = drawer(ledger, UNLIMITED);
    while (process(drawer).isPresent()) {
      executor.runAll();
    }
    assertEquals(4, counter(StreamCounter.RUNS));
    assertEquals(2, counter(StreamCounter.RUNS_ASKED_AHEAD));
  }

  @Test
  void shouldStateWhatItProcessedWhenItIsToldTheEnd() throws IOException {
    FakeLedger ledger = new FakeLedger(3, true);
    RunDrawer drawer = drawer(ledger, UNLIMITED);
    while (process(drawer).isPresent()) {
      executor.runAll();
    }
    RunQuestion last = ledger.asked.get(ledger.asked.size() - 1);
    assertTrue(last.processed().isPresent(), "else the ledger does not mark the task as finished");
    assertEquals(3, last.processed().orElseThrow().blocks());
  }

  @Test
  void shouldAskItselfWhenAskingAheadFailed() throws IOException {
    FakeLedger ledger = new FakeLedger(4, true);
    RunDrawer drawer = drawer(ledger, UNLIMITED);
    process(drawer);
    process(drawer);
    ledger.failures = 1;
    executor.runAll();
    assertEquals(2, process(drawer).orElseThrow().firstBlock());
    ledger.failures = 1;
    assertThrows(IOException.class, drawer::next, "an error is no end");
  }

  @Test
  void shouldNotWaitForAQuestionThatWasNotAskedYet() throws IOException {
    FakeLedger ledger = new FakeLedger(4, true);
    RunDrawer drawer = drawer(ledger, UNLIMITED);
    for (int block = 0; block < 3; block++) {
      assertEquals(block, process(drawer).orElseThrow().firstBlock());
    }
    int calls = ledger.asked.size();
    executor.runAll();
    assertEquals(calls + 1, ledger.asked.size(), "only the question for the next run is open");
  }

  @Test
  void shouldForgetWhatWasNotAskedWhenClosed() throws IOException {
    FakeLedger ledger = new FakeLedger(4, true);
    RunDrawer drawer = drawer(ledger, UNLIMITED);
    process(drawer);
    process(drawer);
    drawer.close();
    executor.runAll();
    assertEquals(2, ledger.drawn());
  }

  @Test
  void shouldTellWhatWasProcessedWhenTheMapperStops() throws IOException {
    FakeLedger ledger = new FakeLedger(4, true);
    RunDrawer drawer = drawer(ledger, UNLIMITED);
    process(drawer);
    process(drawer);
    process(drawer);
    drawer.close();
    StoppedTask stop = drawer.stop().orElseThrow();
    assertEquals(2, stop.runs(), "the third one was still being read");
    assertEquals(2, stop.processed().blocks());
    assertEquals(200, stop.processed().bytes());
    assertEquals(1, counter(StreamCounter.STOPPED_TASKS));
    assertEquals(0, ledger.closeCalls, "the attempt may yet fail");
  }

  @Test
  void shouldNotStopAfterTheEnd() throws IOException {
    RunDrawer drawer = drawer(new FakeLedger(1, true), UNLIMITED);
    process(drawer);
    assertTrue(drawer.next().isEmpty());
    assertTrue(drawer.stop().isEmpty());
    assertEquals(0, counter(StreamCounter.STOPPED_TASKS));
  }

  @Test
  void shouldGiveASecondAttemptTheSameRuns() throws IOException {
    FakeLedger ledger = new FakeLedger(4, true);
    RunDrawer killed = drawer(ledger, UNLIMITED);
    process(killed);
    process(killed);
    executor.runAll();
    RunDrawer second = drawer(ledger, UNLIMITED);
    for (int block = 0; block < 4; block++) {
      assertEquals(block, process(second).orElseThrow().firstBlock());
    }
    assertTrue(second.next().isEmpty());
  }

  @Test
  void shouldCloseItsListWhenItHasEnough() throws IOException {
    FakeLedger ledger = new FakeLedger(10, true);
    RunDrawer drawer = drawer(ledger, 250);
    int runs = 0;
    while (process(drawer).isPresent()) {
      executor.runAll();
      runs++;
    }
    assertEquals(3, runs);
    assertEquals(3, ledger.drawn());
    assertEquals(1, ledger.closeCalls);
  }

  @Test
  void shouldGoOnWhenItIsTheLastThatDraws() throws IOException {
    FakeLedger ledger = new FakeLedger(10, false);
    RunDrawer drawer = drawer(ledger, 250);
    int runs = 0;
    while (process(drawer).isPresent()) {
      runs++;
    }
    assertEquals(10, runs);
    assertEquals(1, ledger.closeCalls);
  }

  /** As no other task is left, a call for each block would serve none. */
  @Test
  void shouldAskForManyBlocksOnceItMayNotClose() throws IOException {
    FakeLedger ledger = new FakeLedger(200, false);
    ledger.mostRuns = 64;
    RunDrawer drawer = drawer(ledger, 300);

    assertEquals(200, processAll(drawer));

    assertEquals(1, ledger.closeCalls);
    int most = ledger.asked.stream().mapToInt(RunQuestion::wantedBlocks).max().orElseThrow();
    assertEquals(20, most, "what takes two seconds");
    assertTrue(ledger.asked.size() < 25, "calls=" + ledger.asked.size());
  }

  @Test
  void shouldAskOnceForSeveralRuns() throws IOException {
    FakeLedger ledger = new FakeLedger(20, true);
    ledger.mostRuns = 8;
    RunDrawer drawer = drawer(ledger, UNLIMITED);
    for (int block = 0; block < 20; block++) {
      assertEquals(block, process(drawer).orElseThrow().firstBlock());
    }
    assertTrue(drawer.next().isEmpty());
    // one run, then eight, eight and three, then the end
    assertEquals(
        List.of(0, 1, 9, 17, 20), ledger.asked.stream().map(RunQuestion::position).toList());
    assertEquals(20, counter(StreamCounter.BLOCKS));
    assertEquals(5, counter(StreamCounter.LEDGER_CALLS));
  }

  @Test
  void shouldAskAheadDuringTheLastRunItHas() throws IOException {
    FakeLedger ledger = new FakeLedger(20, true);
    ledger.mostRuns = 4;
    RunDrawer drawer = drawer(ledger, UNLIMITED);
    for (int block = 0; block < 4; block++) {
      process(drawer);
      executor.runAll();
      assertTrue(ledger.drawn() <= 5);
    }
    process(drawer);
    executor.runAll();
    assertEquals(9, ledger.drawn());
  }

  @Test
  void shouldNotTakeMoreRunsThanAreEnough() throws IOException {
    FakeLedger ledger = new FakeLedger(20, true);
    ledger.mostRuns = 8;
    RunDrawer drawer = drawer(ledger, 350);
    while (process(drawer).isPresent()) {
      executor.runAll();
    }
    assertEquals(4, ledger.drawn());
    assertEquals(1, ledger.closeCalls);
  }

  @Test
  void shouldLeaveTheLastBlocksToFasterTasks() throws IOException {
    others = 1;
    blockNanos = 10_000 * MILLI;
    FakeLedger ledger = new FakeLedger(100, true);
    ledger.takenByOthersPerCall = 9;
    ledger.takenByOthersPerLook = 1;
    assertEquals(9, processAll(drawer(ledger, UNLIMITED)), "it would have been ten");
    assertEquals(9, ledger.drawn(), "nothing is asked ahead that others should do");
    assertEquals(0, ledger.remaining());
    assertTrue(ledger.looks > 0);
    assertEquals(0, ledger.closeCalls);
    assertEquals(ledger.looks * 625L, counter(StreamCounter.HELD_BACK_MILLIS));
  }

  /** Without progress for ten minutes MapReduce counts a task as dead. */
  @Test
  void shouldLookOnceAMinuteHoweverLongABlockTakes() throws IOException {
    others = 1;
    blockNanos = 200 * 60_000 * MILLI;
    FakeLedger ledger = new FakeLedger(100, true);
    ledger.takenByOthersPerCall = 9;
    assertTrue(processAll(drawer(ledger, UNLIMITED)) > 0);
    assertTrue(ledger.looks > 0);
    assertTrue(longestPause <= 60_000 * MILLI, "longestPause=" + longestPause);
  }

  @Test
  void shouldDrawAgainWhenTheOthersFallBehind() throws IOException {
    others = 1;
    blockNanos = 10_000 * MILLI;
    FakeLedger ledger = new FakeLedger(100, true);
    ledger.takenByOthersPerCall = 9;
    meanwhile = () -> ledger.takenByOthersPerCall = 0;
    RunDrawer drawer = drawer(ledger, UNLIMITED);
    while (ledger.looks == 0) {
      assertTrue(process(drawer).isPresent());
    }
    assertTrue(ledger.looks < 16, "it need not wait as long as a block takes");
    int drawn = ledger.drawn();
    int left = ledger.remaining();
    assertTrue(left > 0);
    assertEquals(left, processAll(drawer), "all that the others left lying");
    assertEquals(drawn + left, ledger.drawn());
  }

  @Test
  void shouldProcessWhatItWasGivenAheadBeforeItHoldsBack() throws IOException {
    others = 1;
    blockNanos = 10_000 * MILLI;
    FakeLedger ledger = new FakeLedger(100, true);
    ledger.takenByOthersPerCall = 3;
    RunDrawer drawer = drawer(ledger, UNLIMITED);
    for (int block = 0; block < 4; block++) {
      process(drawer);
      executor.runAll();
    }
    assertEquals(5, ledger.drawn());
    nanos += 10_000_000 * MILLI; // by now the others should have drawn the rest
    assertEquals(4, process(drawer).orElseThrow().firstBlock());
    assertEquals(0, ledger.looks, "nobody else can take what it was given");
  }

  private int processAll(RunDrawer drawer) throws IOException {
    int runs = 0;
    while (process(drawer).isPresent()) {
      executor.runAll();
      runs++;
    }
    return runs;
  }

  @Test
  void shouldAddUpShortWaits() throws IOException {
    FakeLedger ledger = new FakeLedger(10, true);
    RunSource slow =
        new RunSource() {
          @Override
          public RunAnswer next(RunQuestion question) throws IOException {
            nanos += MILLI / 2;
            return ledger.next(question);
          }

          @Override
          public boolean closeTask(StreamTask task) {
            return ledger.closeTask(task);
          }

          @Override
          public long remainingBlocks(StreamId stream) {
            return ledger.remainingBlocks(stream);
          }
        };
    RunDrawer drawer = drawer(slow, UNLIMITED);
    boolean more = true;
    while (more) {
      more = process(drawer).isPresent();
    }
    assertEquals(5, counter(StreamCounter.LEDGER_WAIT_MILLIS));
    assertEquals(0, counter(StreamCounter.FIRST_WAIT_MILLIS));
    assertFalse(counter(StreamCounter.TASK_MILLIS) < 1_000);
  }

  @Test
  void shouldTellTheNodeOnceHowLongItWaited() throws IOException {
    FakeLedger ledger = new FakeLedger(6, true);
    long[] waits = {30, 1, 7, 0, 5, 2, 4};
    RunDrawer drawer = drawer(waiting(ledger, waits), UNLIMITED);
    boolean more = true;
    while (more) {
      more = process(drawer).isPresent();
    }
    List<Long> told = ledger.asked.stream().map(RunQuestion::waitedMillis).toList();
    assertEquals(List.of(0L, 30L, 1L, 7L, 0L, 5L, 2L), told, "all but the wait for the end");
    assertEquals(30, counter(StreamCounter.FIRST_WAIT_MILLIS));
    assertEquals(19, counter(StreamCounter.LEDGER_WAIT_MILLIS));
  }

  @Test
  void shouldTellAgainHowLongItWaitedWhenNoAnswerCame() throws IOException {
    FakeLedger ledger = new FakeLedger(6, true);
    RunDrawer drawer = drawer(waiting(ledger, 30, 2, 0, 0, 0, 0), UNLIMITED);
    process(drawer);
    process(drawer);
    ledger.failures = 1;
    executor.runAll();
    process(drawer);
    executor.runAll();
    process(drawer);
    List<Long> told = ledger.asked.stream().map(RunQuestion::waitedMillis).toList();
    // the third question failed, the last one was asked ahead
    assertEquals(List.of(0L, 30L, 2L, 2L, 0L), told);
  }

  @Test
  void shouldCountWhatTheDiskHadToGive() throws IOException {
    RunDrawer drawer = drawer(new FakeLedger(4, true), UNLIMITED);
    process(drawer);
    fetched += 77;
    drawer.close();
    drawer.close();
    assertEquals(77, counter(StreamCounter.BYTES_FETCHED_FROM_DISK));
  }

  /** Lets the task wait that many milliseconds for each answer. */
  private RunSource waiting(FakeLedger ledger, long... millis) {
    return new RunSource() {
      @Override
      public RunAnswer next(RunQuestion question) throws IOException {
        nanos += millis[ledger.asked.size()] * MILLI;
        return ledger.next(question);
      }

      @Override
      public boolean closeTask(StreamTask task) {
        return ledger.closeTask(task);
      }

      @Override
      public long remainingBlocks(StreamId stream) {
        return ledger.remainingBlocks(stream);
      }
    };
  }

  @Test
  void shouldSayThatItMayYieldWhenItHasWorkedLongEnough() throws IOException {
    yieldNanos = 3 * blockNanos;
    FakeLedger ledger = new FakeLedger(6, false);
    RunDrawer drawer = drawer(ledger, Long.MAX_VALUE);
    for (int run = 0; run < 5; run++) {
      process(drawer);
    }
    assertEquals(
        List.of(false, false, false, true, true),
        ledger.asked.stream().map(RunQuestion::mayYield).toList());
  }

  @Test
  void shouldNeverYieldUnlessItIsSwitchedOn() throws IOException {
    FakeLedger ledger = new FakeLedger(6, false);
    RunDrawer drawer = drawer(ledger, Long.MAX_VALUE);
    for (int run = 0; run < 5; run++) {
      process(drawer);
    }
    assertTrue(ledger.asked.stream().noneMatch(RunQuestion::mayYield));
  }

  @Test
  void shouldCountATaskThatYielded() throws IOException {
    FakeLedger ledger = new FakeLedger(6, true);
    RunDrawer drawer = drawer(ledger, Long.MAX_VALUE);
    process(drawer);
    ledger.yieldAtOnce();
    assertTrue(process(drawer).isEmpty());
    assertEquals(1, counter(StreamCounter.YIELDED_TASKS));
  }

  private RunDrawer drawer(RunSource ledger, long taskBytes) {
    RunMeter meter =
        new RunMeter(
            (counter, amount) -> counters.merge(counter, amount, Long::sum),
            () -> nanos,
            () -> fetched);
    return new RunDrawer(
        new StreamTask(new StreamId(1, 1), 0),
        new EarlyEnd(taskBytes, yieldNanos),
        ledger,
        executor,
        meter,
        new Remainder(others),
        waited -> {
          longestPause = Math.max(longestPause, waited);
          nanos += waited;
          meanwhile.run();
        });
  }

  /** Draws a run and advances the clock by the time that a block takes. */
  private Optional<DrawnRun> process(RunDrawer drawer) throws IOException {
    Optional<DrawnRun> run = drawer.next();
    nanos += blockNanos;
    return run;
  }

  private long counter(StreamCounter counter) {
    return counters.getOrDefault(counter, 0L);
  }
}
