package io.vdfs.datanode.loop;

import io.vdfs.common.concurrent.DaemonThreads;
import java.io.Closeable;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A service loop on a thread of its own. Thread-safe. */
public final class ThreadServiceLoop implements ServiceLoop, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(ThreadServiceLoop.class);

  private final ScheduledThreadPoolExecutor executor;

  public ThreadServiceLoop(String name) {
    executor = new ScheduledThreadPoolExecutor(1, DaemonThreads.named(name));
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  @Override
  public void execute(Runnable task) {
    try {
      executor.execute(guarded(task));
    } catch (RejectedExecutionException e) {
      LOG.debug("service loop is closed, task dropped", e);
    }
  }

  @Override
  public void schedule(Duration delay, Runnable task) {
    try {
      var unused = executor.schedule(guarded(task), delay.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("service loop is closed, task dropped", e);
    }
  }

  private static Runnable guarded(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (RuntimeException e) {
        LOG.error("service task failed", e);
      }
    };
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  /** Drops the tasks that have not begun. */
  @Override
  public void close() {
    executor.shutdownNow();
  }
}
