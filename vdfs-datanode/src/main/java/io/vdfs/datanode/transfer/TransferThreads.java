package io.vdfs.datanode.transfer;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of a server that may block. Work for readers has threads of its own, so that it never
 * waits for writers' disks; so has recovery, so that writers never wait while groups are read back.
 * Tasks begin in the order in which they come, and are rejected where too many wait. Thread-safe.
 */
public final class TransferThreads implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TransferThreads.class);
  private static final int MAX_WAITING_TASKS = 65_536;
  private static final long CLOSE_LIMIT_SECONDS = 10;

  /** Fences and cuts: short, though they wait for the disk. */
  private static final int RECOVERY_THREADS = 4;

  /** Whole groups are read back or copied: each thread keeps a disk busy. */
  private static final int BULK_THREADS = 2;

  /** These wait for the turns of their disks. */
  private static final int READ_BACK_THREADS = 2;

  private final ThreadPoolExecutor disk;
  private final ThreadPoolExecutor reads;
  private final ThreadPoolExecutor recovery;
  private final ThreadPoolExecutor bulk;
  private final ThreadPoolExecutor readBacks;

  /**
   * @param count for writers and as many for readers; made when there is work for them
   */
  public TransferThreads(int count) {
    this.disk = newExecutor(count, "vdfs-transfer");
    this.reads = newExecutor(count, "vdfs-transfer-read");
    this.recovery = newExecutor(RECOVERY_THREADS, "vdfs-recovery");
    this.bulk = newExecutor(BULK_THREADS, "vdfs-recovery-bulk");
    this.readBacks = newExecutor(READ_BACK_THREADS, "vdfs-read-back");
  }

  /** For work that waits for the disk: writes and questions about replicas. */
  public Executor disk() {
    return disk;
  }

  /** For what recovery asks of replicas and does to them in a moment. */
  public Executor recovery() {
    return recovery;
  }

  /** For what recovery has read back or copied. */
  public Executor bulk() {
    return bulk;
  }

  /** For what is read back in turns, so that recovery does not wait for those. */
  public Executor readBacks() {
    return readBacks;
  }

  /** For readers' work, whose bytes should be in memory. */
  public Executor reads() {
    return reads;
  }

  /** Waits for the work begun, within a limit. Idempotent. */
  @Override
  public void close() {
    List<ThreadPoolExecutor> all = List.of(disk, reads, recovery, bulk, readBacks);
    all.forEach(ThreadPoolExecutor::shutdown);
    try {
      long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_LIMIT_SECONDS);
      boolean over = true;
      for (ThreadPoolExecutor executor : all) {
        over &= executor.awaitTermination(limit - System.nanoTime(), TimeUnit.NANOSECONDS);
      }
      if (!over) {
        LOG.warn(
            "work goes on after closing: disk={}, reads={}, recovery={}, bulk={}, readBacks={}",
            disk.getActiveCount(),
            reads.getActiveCount(),
            recovery.getActiveCount(),
            bulk.getActiveCount(),
            readBacks.getActiveCount());
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
