package io.vdfs.mapreduce.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class EarlyEndTest {
  private final Configuration conf = new Configuration(false);

  @Test
  void shouldEndNoTaskEarlyByDefault() {
    assertEquals(EarlyEnd.NEVER, EarlyEnd.of(conf));
  }

  @Test
  void shouldYieldAfterHalfAMinuteWhereSwitchedOn() {
    conf.setBoolean(InputKeys.YIELDING, true);
    EarlyEnd early = EarlyEnd.of(conf);
    assertEquals(Duration.ofSeconds(30).toNanos(), early.yieldNanos());
    assertTrue(early.yields());
    conf.set(InputKeys.YIELD_AFTER, "250ms");
    assertEquals(Duration.ofMillis(250).toNanos(), EarlyEnd.of(conf).yieldNanos());
  }

  @Test
  void shouldNotYieldJustBecauseATimeIsNamed() {
    conf.set(InputKeys.YIELD_AFTER, "250ms");
    assertFalse(EarlyEnd.of(conf).yields());
  }
}
