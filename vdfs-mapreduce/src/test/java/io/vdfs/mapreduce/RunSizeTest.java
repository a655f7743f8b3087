package io.vdfs.mapreduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class RunSizeTest {
  private static final long SECOND = 1_000_000_000;

  @Test
  void shouldBeginWithOneBlock() {
    assertEquals(1, new RunSize().wanted());
  }

  @Test
  void shouldAskForTwoSecondsOfWork() {
    RunSize size = new RunSize();
    size.onRun(1, SECOND / 10);
    assertEquals(20, size.wanted());
  }

  @Test
  void shouldAskForOneBlockWhenBlocksAreDear() {
    RunSize size = new RunSize();
    size.onRun(1, 30 * SECOND);
    assertEquals(1, size.wanted());
  }

  @Test
  void shouldStayBoundedWhenBlocksAreFree() {
    RunSize size = new RunSize();
    size.onRun(100, 0);
    assertEquals(64, size.wanted());
  }

  @Test
  void shouldFollowATaskThatGetsSlower() {
    RunSize size = new RunSize();
    size.onRun(1, SECOND / 10);
    for (int i = 0; i < 5; i++) {
      size.onRun(1, 4 * SECOND);
    }
    assertTrue(size.wanted() <= 1, "wanted=" + size.wanted());
  }

  @Test
  void shouldAskAheadOnlyShortlyBeforeTheRunEnds() {
    RunSize size = new RunSize();
    assertFalse(size.measured());
    size.onRun(1, SECOND);
    assertTrue(size.measured());
    assertEquals(2 * SECOND - 50_000_000, size.askAheadAfterNanos(2));
    size.onRound(SECOND / 20);
    assertEquals(2 * SECOND - SECOND / 5, size.askAheadAfterNanos(2), "four rounds of lead");
  }

  @Test
  void shouldAskAheadAtOnceWhenRunsAreShort() {
    RunSize size = new RunSize();
    size.onRun(1, 1_000_000);
    assertEquals(0, size.askAheadAfterNanos(1));
  }
}
