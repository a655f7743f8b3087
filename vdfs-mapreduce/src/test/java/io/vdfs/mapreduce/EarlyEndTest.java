package io.vdfs.mapreduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class EarlyEndTest {
  private final Configuration conf = new Configuration(false);

  @Test
  void shouldEndNoTaskEarlyByDefault() throws IOException {
    assertEquals(EarlyEnd.NEVER, EarlyEnd.of(conf));
    EarlyEnd.NEVER.check(false);
  }

  @Test
  void shouldYieldAfterHalfAMinuteWhereSwitchedOn() throws IOException {
    conf.setBoolean(InputKeys.YIELDING, true);
    EarlyEnd early = EarlyEnd.of(conf);
    assertEquals(Duration.ofSeconds(30).toNanos(), early.yieldNanos());
    assertTrue(early.yields());
    early.check(true);
    conf.set(InputKeys.YIELD_AFTER, "250ms");
    assertEquals(Duration.ofMillis(250).toNanos(), EarlyEnd.of(conf).yieldNanos());
  }

  @Test
  void shouldNotYieldJustBecauseATimeIsNamed() {
    conf.set(InputKeys.YIELD_AFTER, "250ms");
    assertFalse(EarlyEnd.of(conf).yields());
  }

  @Test
  void shouldRefuseWhatCannotWork() {
    assertRefused(new EarlyEnd(Long.MAX_VALUE, 1), false, "vdfs.mapreduce.yielding=true needs");
    assertRefused(new EarlyEnd(1, Long.MAX_VALUE), false, "vdfs.mapreduce.task.bytes=1 needs");
    assertRefused(new EarlyEnd(0, Long.MAX_VALUE), true, "vdfs.mapreduce.task.bytes=0 must be");
    assertRefused(new EarlyEnd(1, 1), true, "set one of them only");
    assertRefused(new EarlyEnd(Long.MAX_VALUE, -1), true, "must not be negative");
  }

  private static void assertRefused(EarlyEnd early, boolean audited, String part) {
    IOException refused = assertThrows(IOException.class, () -> early.check(audited));
    assertTrue(refused.getMessage().contains(part), refused.getMessage());
  }
}
