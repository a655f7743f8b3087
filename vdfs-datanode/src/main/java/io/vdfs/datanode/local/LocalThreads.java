package io.vdfs.datanode.local;

import io.vdfs.common.concurrent.DaemonThreads;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A few threads for short steps, of which a bounded number may wait. Thread-safe. */
final class LocalThreads {
  private static final int MAX_WAITING_STEPS = 16_384;
  private static final long CLOSE_LIMIT_SECONDS = 10;

  private final ThreadPoolExecutor executor;

  /** With one thread, steps run in the order in which they came. */
  LocalThreads(String name, int threads) {
    executor =
        new ThreadPoolExecutor(
            threads,
            threads,
            30,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MAX_WAITING_STEPS),
            DaemonThreads.named(name));
    executor.allowCoreThreadTimeOut(true);
  }

  /**
   * Never blocks.
   *
   * @return false if there are too many steps or this is closed; nothing runs then
   */
  boolean execute(Runnable step) {
    try {
      executor.execute(step);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  /**
   * Takes no further steps, and waits for those that it has, up to a limit. Idempotent.
   *
   * @return whether all have run
   */
  boolean end() {
    executor.shutdown();
    try {
      return executor.awaitTermination(CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
