package io.vdfs.common.concurrent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InterruptedIOException;
import org.junit.jupiter.api.Test;

class InterruptsTest {
  @Test
  void shouldLeaveTheThreadInterrupted() {
    InterruptedException cause = new InterruptedException();
    InterruptedIOException thrown = Interrupts.during("reading: file=7.1", cause);
    assertTrue(Thread.interrupted());
    assertEquals("interrupted while reading: file=7.1", thrown.getMessage());
    assertSame(cause, thrown.getCause());
  }
}
