package io.vdfs.datanode.transfer;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of a server that may block. Work for readers has its own, so that it never waits for
 * writers' disks. Tasks begin in the order in which they come; too many waiting ones are rejected.
 * Thread-safe.
 */
final class TransferThreads implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TransferThreads.class);
  private static final int MAX_WAITING_TASKS = 65_536;
  private static final long CLOSE_LIMIT_SECONDS = 10;

  private final ThreadPoolExecutor disk;
  private final ThreadPoolExecutor reads;

  /**
   * @param count of each kind; made when there is work for them
   */
  TransferThreads(int count) {
    this.disk = newExecutor(count, "vdfs-transfer");
    this.reads = newExecutor(count, "vdfs-transfer-read");
  }

  /** For work that waits for the disk: writes and questions about replicas. */
  Executor disk() {
    return disk;
  }

  /** For readers' work, whose bytes should be in memory. */
  Executor reads() {
    return reads;
  }

  /** Waits for the work begun, within a limit. Idempotent. */
  @Override
  public void close() {
    disk.shutdown();
    reads.shutdown();
    try {
      long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_LIMIT_SECONDS);
      boolean over =
          disk.awaitTermination(limit - System.nanoTime(), TimeUnit.NANOSECONDS)
              && reads.awaitTermination(limit - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (!over) {
        LOG.warn(
            "work goes on after closing: disk={}, reads={}",
            disk.getActiveCount(),
            reads.getActiveCount());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static ThreadPoolExecutor newExecutor(int threads, String name) {
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            threads,
            threads,
            30,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MAX_WAITING_TASKS),
            new DefaultThreadFactory(name, true));
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }
}
