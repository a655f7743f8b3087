package io.vdfs.client.meta.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {
  @Test
  void shouldPauseLongerEachRoundUpToTheLimit() {
    RetryPolicy policy =
        new RetryPolicy(Duration.ofMinutes(1), Duration.ofMillis(100), Duration.ofSeconds(2));
    Random random = new Random(1);

    for (int round = 0; round < 100; round++) {
      long bound = Math.min(2000, 100L << Math.min(round, 20));
      long millis = policy.pauseAfter(round, random).toMillis();
      assertTrue(millis >= bound / 2 - 1 && millis <= bound, "round=" + round + ": " + millis);
    }
  }

  @Test
  void shouldNameTheTimesItRefuses() {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class, () -> RetryPolicy.within(Duration.ofSeconds(-1)));

    assertTrue(e.getMessage().contains("total=PT-1S"), e.getMessage());
    assertEquals(Duration.ofSeconds(5), RetryPolicy.within(Duration.ofSeconds(5)).total());
  }
}
