package io.vdfs.datanode.meta.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class LogClockTest {
  private static final long STEP = LogClock.LONGEST_STEP_MILLIS;

  private final LogClock first = LogClock.START.at(1_000);

  @Test
  void shouldBeginAtTheFirstEntry() {
    assertEquals(new LogClock(1_000, 1_000, 1_000), first);
    assertEquals(LogClock.START, LogClock.START.at(0));
  }

  @Test
  void shouldAgeByTheTimeBetweenEntries() {
    assertEquals(new LogClock(1_700, 1_700, 1_700), first.at(1_200).at(1_700));
  }

  @Test
  void shouldAgeByALongestStepWhereTheTimeJumps() {
    assertEquals(1_000 + STEP, first.at(1_000 + STEP).ageMillis());
    assertEquals(1_000 + STEP, first.at(1_001 + STEP).ageMillis());
    assertEquals(1_000 + STEP, first.at(Long.MAX_VALUE).ageMillis());
  }

  @Test
  void shouldGoOnAgeingAfterAJumpBackThoughTheLatestTimeStays() {
    LogClock back = first.at(9_000).at(2_000);
    assertEquals(new LogClock(9_000, 2_000, 9_000), back);
    assertEquals(new LogClock(9_000, 2_300, 9_300), back.at(2_300));
  }

  @Test
  void shouldStayAsItIsWithoutATime() {
    assertEquals(first, first.at(0));
    assertEquals(first, first.at(-5));
  }

  @Test
  void shouldComeBackFromItsRecord() {
    LogClock clock = first.at(9_000).at(2_000);
    assertEquals(clock, LogClock.of(clock.toRecord()));
  }
}
