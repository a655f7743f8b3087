package io.vdfs.datanode.repair.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.datanode.meta.service.ManualLoop;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RepairRateTest {
  private final ManualLoop loop = new ManualLoop();
  private final RepairRate rate = new RepairRate(1_000, loop);

  @Test
  void shouldKeepTheRateOverManyThatWait() {
    int[] gone = new int[1];
    for (int i = 0; i < 200; i++) {
      var unused = rate.take(100).thenRun(() -> gone[0] += 100);
    }
    assertEquals(0, gone[0]);
    for (int second = 1; second <= 20; second++) {
      loop.advance(Duration.ofSeconds(1));
      assertEquals(second * 1_000, gone[0]);
    }
  }

  @Test
  void shouldKeepAQuarterOfASecondForLater() {
    loop.advance(Duration.ofHours(1));
    assertTrue(rate.take(250).isDone());
    CompletableFuture<Void> next = rate.take(100);
    loop.advance(Duration.ofMillis(99));
    assertFalse(next.isDone());
    loop.advance(Duration.ofMillis(1));
    assertTrue(next.isDone());
  }
}
