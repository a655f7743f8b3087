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
    assertFalse(holdsBack(remainder, 30, 30));
    assertFalse(holdsBack(remainder, 30, 120), "19 blocks are left then");
    assertTrue(holdsBack(remainder, 30, 123), "17 blocks are left then");
  }

  @Test
  void shouldHoldBackAsLongAsTheOthersGetOnAsExpected() {
    Remainder remainder = new Remainder(2);
    remainder.onAnswer(37, 1, 0);
    remainder.onAnswer(16, 1, 30 * SECOND);
    Remainder.Hold hold = remainder.holdBack(30 * SECOND, 30 * SECOND).orElseThrow();
    assertTrue(hold.isOn(14, 33 * SECOND));
    assertTrue(hold.isOn(10, 42 * SECOND), "eight were expected, and each may be late by one");
    assertFalse(hold.isOn(11, 42 * SECOND), "the others need help");
    assertTrue(hold.isOn(1, 59 * SECOND));
    assertFalse(hold.isOn(1, 60 * SECOND), "this task would have been through with it");
    assertFalse(hold.isOn(0, 50 * SECOND), "nothing is left");
  }

  @Test
  void shouldForgetHowFastTheOthersOnceWere() {
    Remainder remainder = new Remainder(5);
    remainder.onAnswer(100, 1, 0);
    remainder.onAnswer(40, 1, 8 * SECOND);
    assertTrue(holdsBack(remainder, 8, 14), "two are left then, it seems");
    remainder.onAnswer(34, 1, 16 * SECOND);
    remainder.onAnswer(28, 1, 24 * SECOND);
    assertFalse(holdsBack(remainder, 8, 24));
    assertFalse(holdsBack(remainder, 8, 44));
  }

  @Test
  void shouldLeaveNothingToTasksOfTheSameSpeed() {
    Remainder remainder = new Remainder(2);
    remainder.onAnswer(30, 1, 0);
    remainder.onAnswer(27, 1, 10 * SECOND);
    assertFalse(holdsBack(remainder, 10, 10));
    assertFalse(holdsBack(remainder, 10, 1_000), "nothing is left then");
  }

  @Test
  void shouldLeaveNothingToTasksThatDoNotRunYet() {
    Remainder remainder = new Remainder(5);
    remainder.onAnswer(20, 1, 0);
    remainder.onAnswer(19, 1, 60 * SECOND);
    assertFalse(holdsBack(remainder, 60, 60));
  }

  @Test
  void shouldNotTakeAnEarlierAttemptsBlocksForItsOwnPace() {
    Remainder remainder = new Remainder(1);
    remainder.onAnswer(20, 4, 0);
    remainder.onAnswer(20, 4, 60 * SECOND);
    assertFalse(holdsBack(remainder, 15, 60));
  }

  @Test
  void shouldNotCareInAQuickJob() {
    Remainder remainder = new Remainder(1);
    remainder.onAnswer(100, 1, 0);
    remainder.onAnswer(0, 1, SECOND);
    assertFalse(holdsBack(remainder, 1, 1));
  }

  @Test
  void shouldNotLeaveAnythingWhenItIsAlone() {
    Remainder remainder = new Remainder(0);
    remainder.onAnswer(100, 1, 0);
    remainder.onAnswer(1, 1, 60 * SECOND);
    assertFalse(holdsBack(remainder, 60, 60));
  }

  private static boolean holdsBack(Remainder remainder, int secondsPerBlock, int second) {
    return remainder.holdBack((double) secondsPerBlock * SECOND, second * SECOND).isPresent();
  }
}
