package io.vdfs.datanode.repair.copy;

import io.vdfs.common.concurrent.DaemonThreads;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads on which upkeep waits for disks. Those of repair are a few more than groups are repaired
 * at a time, so that it bears some that wait for a disk that hangs; what must not be held up by
 * repair has threads of its own. Thread-safe.
 */
public final class RepairThreads implements Executor, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RepairThreads.class);
  private static final long CLOSE_LIMIT_SECONDS = 10;

  private final ThreadPoolExecutor threads;

  /**
   * @param name of the threads, followed by a number
   */
  public RepairThreads(String name, int count) {
    threads =
        new ThreadPoolExecutor(
            count,
            count,
            30,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            DaemonThreads.numbered(name));
    threads.allowCoreThreadTimeOut(true);
  }

  @Override
  public void execute(Runnable task) {
    threads.execute(task);
  }

  /**
   * Drops work that has not begun and waits for the rest, within a limit: it must not be
   * interrupted.
   */
  @Override
  public void close() {
    threads.getQueue().clear();
    threads.shutdown();
    try {
      if (!threads.awaitTermination(CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("upkeep goes on after closing: active={}", threads.getActiveCount());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
