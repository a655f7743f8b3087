package io.vdfs.datanode.repair.copy;

import io.vdfs.common.concurrent.DaemonThreads;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads on which repair waits for disks. There are a few more than groups are repaired at a
 * time, so that threads waiting for a disk that hangs do not stop the others. Thread-safe.
 */
public final class RepairThreads implements Executor, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RepairThreads.class);
  private static final int COUNT = 8;
  private static final long CLOSE_LIMIT_SECONDS = 10;

  private final ThreadPoolExecutor threads;

  public RepairThreads() {
    threads =
        new ThreadPoolExecutor(
            COUNT,
            COUNT,
            30,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            DaemonThreads.numbered("vdfs-repair"));
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
        LOG.warn("repair goes on after closing: active={}", threads.getActiveCount());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
