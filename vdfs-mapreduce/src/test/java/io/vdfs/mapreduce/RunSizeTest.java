package io.vdfs.mapreduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
}
