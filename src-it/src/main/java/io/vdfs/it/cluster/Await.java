package io.vdfs.it.cluster;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** Waits for conditions that are not announced. Stateless. */
public final class Await {
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final Duration MOST = Duration.ofMillis(200);

  private Await() {}

  /** A condition that may not hold yet. */
  @FunctionalInterface
  public interface Condition {
    boolean holds() throws Exception;
  }

  /** Gives a value that may not be there yet. */
  @FunctionalInterface
  public interface Source<T> {
    Optional<T> look() throws Exception;
  }

  /** Waits for that long: as long as a fault lasts, say. */
  public static void passing(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /**
   * @param what for the message: {@code "three live nodes"}
   * @throws IllegalStateException if it does not hold in time
   */
  public static void until(String what, Duration limit, Condition condition) throws Exception {
    value(what, limit, () -> condition.holds() ? Optional.of(true) : Optional.empty());
  }

  /**
   * @return the first value of the source
   * @throws IllegalStateException if it has none in time
   */
  public static <T> T value(String what, Duration limit, Source<T> source) throws Exception {
    long start = System.nanoTime();
    while (true) {
      long looked = System.nanoTime();
      Optional<T> value = source.look();
      if (value.isPresent()) {
        return value.get();
      }
      if (System.nanoTime() - start > limit.toNanos()) {
        throw new IllegalStateException("timed out after " + limit + " waiting for " + what);
      }
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted while waiting for " + what);
      }
      // an expensive check must not take the processors from what it checks
      long took = Math.min(System.nanoTime() - looked, MOST.toNanos());
      LockSupport.parkNanos(Math.max(PAUSE.toNanos(), took));
    }
  }
}
