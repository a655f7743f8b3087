package io.vdfs.mapreduce;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class RemainderTest {
  private static final long SECOND = 1_000_000_000;

  @Test
  void shouldLeaveTheRestToFasterTasks() {
    Remainder remainder = new Remainder(2);
    remainder.onAnswer(100, 1, 0);
    // this task got one block in 30 s, the others 20
    remainder.onAnswer(79, 1, 30 * SECOND);
    assertFalse(remainder.isForOthers(30 * SECOND, 30 * SECOND));
    assertFalse(remainder.isForOthers(30 * SECOND, 120 * SECOND), "19 blocks are left then");
    assertTrue(remainder.isForOthers(30 * SECOND, 123 * SECOND), "17 blocks are left then");
  }

  @Test
  void shouldLeaveNothingToTasksOfTheSameSpeed() {
    Remainder remainder = new Remainder(2);
    remainder.onAnswer(30, 1, 0);
    remainder.onAnswer(27, 1, 10 * SECOND);
    assertFalse(remainder.isForOthers(10 * SECOND, 10 * SECOND));
    assertFalse(remainder.isForOthers(10 * SECOND, 1_000 * SECOND), "nothing is left then");
  }

  @Test
  void shouldLeaveNothingToTasksThatDoNotRunYet() {
    Remainder remainder = new Remainder(5);
    remainder.onAnswer(20, 1, 0);
    remainder.onAnswer(19, 1, 60 * SECOND);
    assertFalse(remainder.isForOthers(60 * SECOND, 60 * SECOND));
  }

  @Test
  void shouldNotTakeAnEarlierAttemptsBlocksForItsOwnPace() {
    Remainder remainder = new Remainder(1);
    remainder.onAnswer(20, 4, 0);
    remainder.onAnswer(20, 4, 60 * SECOND);
    assertFalse(remainder.isForOthers(15 * SECOND, 60 * SECOND));
  }

  @Test
  void shouldNotCareInAQuickJob() {
    Remainder remainder = new Remainder(1);
    remainder.onAnswer(100, 1, 0);
    remainder.onAnswer(0, 1, SECOND);
    assertFalse(remainder.isForOthers(SECOND, SECOND));
  }

  @Test
  void shouldNotLeaveAnythingWhenItIsAlone() {
    Remainder remainder = new Remainder(0);
    remainder.onAnswer(100, 1, 0);
    remainder.onAnswer(1, 1, 60 * SECOND);
    assertFalse(remainder.isForOthers(60 * SECOND, 60 * SECOND));
  }
}
