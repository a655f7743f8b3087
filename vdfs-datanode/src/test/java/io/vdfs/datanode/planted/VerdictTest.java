package io.vdfs.datanode.planted;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class VerdictTest {
  private final Throwable seen = new AssertionError("expected: 1 but was: 2");
  private final Throwable timeout = new TimeoutException("timed out after 15 seconds");

  @Test
  void shouldTakeAFailureForACatch() {
    assertEquals(Verdict.CAUGHT, Verdict.of(List.of(seen)));
    assertEquals(Verdict.CAUGHT, Verdict.of(List.of(timeout, seen)));
    assertEquals(Verdict.NOT_SEEN, Verdict.of(List.of()));
  }

  @Test
  void shouldNotTakeLackOfTimeForACatch() {
    assertEquals(Verdict.OUT_OF_TIME, Verdict.of(List.of(timeout)));
    assertEquals(Verdict.OUT_OF_TIME, Verdict.of(List.of(new ExecutionException(timeout))));
  }

  @Test
  void shouldNotTakeCodeThatDoesNotFitForACatch() {
    Throwable mistake = new VerifyError("bad type on operand stack");
    assertEquals(Verdict.BADLY_PLANTED, Verdict.of(List.of(seen, mistake)));
    assertEquals(
        Verdict.BADLY_PLANTED, Verdict.of(List.of(new IllegalStateException("failed", mistake))));
  }
}
