package io.vdfs.datanode;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits in tests for what other threads do without announcing it. Stateless. */
public final class Await {
  private static final long LIMIT_SECONDS = 20;

  /**
   * So short that no test becomes slow, and long enough to leave the processor to other threads.
   */
  private static final long PAUSE_NANOS = 200_000;

  private Await() {}

  /** A condition that may not hold yet. */
  @FunctionalInterface
  public interface Condition<E extends Exception> {
    boolean holds() throws E;
  }

  /** Returns once the condition was seen to hold; fails if it never is within 20 seconds. */
  public static <E extends Exception> void awaitThat(Condition<E> condition) throws E {
    long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    boolean held = condition.holds();
    while (!held && System.nanoTime() < limit) {
      LockSupport.parkNanos(PAUSE_NANOS);
      held = condition.holds();
    }
    assertTrue(held);
  }
}
