package io.vdfs.mapreduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DrawPaceTest {
  private static final long SECOND = 1_000_000_000;

  @Test
  void shouldBeginWithOneBlock() {
    assertEquals(1, new DrawPace().wanted());
  }

  @Test
  void shouldAskForTwoSecondsOfWork() {
    DrawPace size = new DrawPace();
    size.onRun(1, SECOND / 10);
    assertEquals(20, size.wanted());
  }

  @Test
  void shouldAskForOneBlockWhenBlocksAreExpensive() {
    DrawPace size = new DrawPace();
    size.onRun(1, 30 * SECOND);
    assertEquals(1, size.wanted());
  }

  @Test
  void shouldStayBoundedWhenBlocksAreFree() {
    DrawPace size = new DrawPace();
    size.onRun(100, 0);
    assertEquals(64, size.wanted());
  }

  @Test
  void shouldFollowATaskThatGetsSlower() {
    DrawPace size = new DrawPace();
    size.onRun(1, SECOND / 10);
    for (int i = 0; i < 5; i++) {
      size.onRun(1, 4 * SECOND);
    }
    assertTrue(size.wanted() <= 1, "wanted=" + size.wanted());
  }

  @Test
  void shouldAskAheadOnlyShortlyBeforeTheRunEnds() {
    DrawPace size = new DrawPace();
    assertFalse(size.measured());
    size.onRun(1, SECOND);
    assertTrue(size.measured());
    assertEquals(2 * SECOND - 50_000_000, size.askAheadAfterNanos(2));
    size.onRound(SECOND / 20);
    assertEquals(2 * SECOND - SECOND / 5, size.askAheadAfterNanos(2), "four rounds of lead");
  }

  @Test
  void shouldAskAheadAtOnceWhenRunsAreShort() {
    DrawPace size = new DrawPace();
    size.onRun(1, 1_000_000);
    assertEquals(0, size.askAheadAfterNanos(1));
  }
}
