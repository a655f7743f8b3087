package io.vdfs.it.bench.costly;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PaceTest {
  private static final long MILLI = 1_000_000;

  /** A millisecond passes with each reading. */
  private final AtomicLong clock = new AtomicLong();

  private final Pace pace = new Pace(() -> clock.getAndAdd(MILLI));

  @Test
  void shouldLetWorkLastAsLongAsItShould() {
    for (int record = 0; record < 1_000; record++) {
      pace.spend(MILLI / 10);
    }
    pace.settle();
    assertTrue(clock.get() >= 100 * MILLI, "ended too early: " + clock);
    assertTrue(clock.get() <= 105 * MILLI, "ended too late: " + clock);
  }

  @Test
  void shouldNotLookAtTheClockForEachRecord() {
    for (int record = 0; record < 40; record++) {
      pace.spend(MILLI / 10);
    }
    assertEquals(MILLI, clock.get());
  }

  @Test
  void shouldNotMakeUpForLostTime() {
    clock.addAndGet(1_000 * MILLI);
    long before = clock.get();
    pace.spend(10 * MILLI);
    pace.spend(10 * MILLI);
    assertTrue(clock.get() - before >= 10 * MILLI, "the second one lasts as long as it should");
  }
}
