package io.vdfs.datanode.meta.raft;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class StartWatchTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);
  private final StartWatch watch = new StartWatch(nanos::get);

  @Test
  void shouldCallItAStartOnlyForAWhile() {
    assertTrue(watch.isStarting());
    nanos.addAndGet(StartWatch.LIMIT.toNanos() - 1);
    assertTrue(watch.isStarting());
    nanos.addAndGet(1);
    assertFalse(watch.isStarting());
  }

  @Test
  void shouldCallItNoStartOnceThereWasALeader() {
    watch.onLeader();
    assertFalse(watch.isStarting());
  }
}
