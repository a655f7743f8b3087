package io.vdfs.datanode;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import org.junit.jupiter.api.function.ThrowingSupplier;

/** Limits for what one thread computes, however busy the machine is. Stateless. */
public final class CpuTime {
  private CpuTime() {}

  /** Fails if the action throws, or takes more time of a processor. */
  public static <T> T assertCpuTime(Duration limit, ThrowingSupplier<T> action) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadCpuTime();
    assertTrue(before >= 0, "this JVM does not measure the time of threads");
    T result = assertDoesNotThrow(action);
    Duration took = Duration.ofNanos(threads.getCurrentThreadCpuTime() - before);
    assertTrue(took.compareTo(limit) <= 0, () -> "took=" + took + ", limit=" + limit);
    return result;
  }
}
