package io.vdfs.it.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OperationLogTest {
  private final OutageLog outages = new OutageLog();
  private final OperationLog log = new OperationLog();

  @Test
  void shouldExcuseAFailureOnlyWhileTwoNodesAreAway() {
    outages.add(new Outage(0, 100, 200));
    outages.add(new Outage(1, 180, 300));
    OperationLog.Entry early = failed(100, 170);
    OperationLog.Entry late = failed(210, 290);
    log.add(early);
    log.add(late);
    log.add(failed(150, 185));
    log.add(failed(200, 200));

    assertEquals(List.of(early, late), log.failedWithoutExcuse(outages));
  }

  @Test
  void shouldNotTakeOneNodeThatGoesTwiceForTwo() {
    outages.add(new Outage(0, 100, 200));
    outages.add(new Outage(0, 200, 300));

    assertFalse(outages.hadTwoAway(0, 1_000));
  }

  @Test
  void shouldNameTheSlowestWithoutThoseThatAreExcused() {
    outages.add(new Outage(0, 100, 200));
    outages.add(new Outage(1, 150, 160));
    OperationLog.Entry slow = failed(300, 380);
    log.add(failed(140, 990));
    log.add(slow);
    log.add(failed(400, 410));

    assertEquals(Optional.of(slow), log.slowest(outages));
  }

  @Test
  void shouldCountWhatWentOnUnderAnOutage() {
    outages.add(new Outage(2, 100, 200));
    log.add(failed(0, 99));
    log.add(failed(0, 100));
    log.add(failed(120, 130));
    log.add(failed(200, 500));
    log.add(failed(201, 500));

    assertEquals(3, log.underOutage(outages));
    assertTrue(log.succeeded().isEmpty());
  }

  @Test
  void shouldFindTimesInWhichNothingSucceeded() {
    log.add(succeeded(0, 100));
    log.add(succeeded(90, 150));
    log.add(succeeded(50, 500));
    log.add(failed(500, 600));
    log.add(succeeded(510, 1_400));

    assertEquals(
        List.of(Duration.ofNanos(900), Duration.ofNanos(350)), log.gaps(Duration.ofNanos(300)));
  }

  @Test
  void shouldCountTheChangesOfTheBestPeriod() {
    for (long end : List.of(900L, 100L, 950L, 1_000L, 200L, 1_100L)) {
      log.add(new OperationLog.Entry("rename", "/f", 0, end, Optional.empty()));
    }
    log.add(new OperationLog.Entry("rename", "/f", 0, 960, Optional.of("no reason")));
    log.add(succeeded(0, 970));

    assertEquals(4, log.mostChangesWithin(Duration.ofNanos(200)));
    assertEquals(3, log.mostChangesWithin(Duration.ofNanos(199)));
    assertEquals(0, new OperationLog().mostChangesWithin(Duration.ofNanos(200)));
  }

  private static OperationLog.Entry succeeded(long from, long to) {
    return new OperationLog.Entry("read", "/f", from, to, Optional.empty());
  }

  private static OperationLog.Entry failed(long from, long to) {
    return new OperationLog.Entry("read", "/f", from, to, Optional.of("no reason"));
  }
}
