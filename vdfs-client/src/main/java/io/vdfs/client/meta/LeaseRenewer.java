package io.vdfs.client.meta;

import io.vdfs.client.meta.cluster.ClusterAccess;
import io.vdfs.common.concurrent.DaemonThreads;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.FlushedLengthProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.RenewLeaseCall;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the leases of one holder while it has files open for writing, and keeps the ring map
 * fresh, as writers that stay open long ask no node for it. A renewal tells how much of the files
 * is flushed; after a flush a renewal comes early, but at most one a second. Works on one daemon
 * thread, which exists only while there is something to renew.
 *
 * <p>Thread-safe: {@code openFiles}, {@code renewal}, {@code early}, {@code flushed} and {@code
 * toldAt} are guarded by this object's lock; {@code failing} belongs to the renewing thread.
 */
public final class LeaseRenewer implements ClientLeases, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseRenewer.class);
  private static final Duration TELLING_PERIOD = Duration.ofSeconds(1);

  /** Files of which one renewal tells; the leader takes no more. */
  private static final int MOST_FLUSHED = 4096;

  private final MetadataCalls metadata;
  private final ClusterAccess cluster;
  private final UUID holder;
  private final Duration period;
  private final ScheduledExecutorService executor;
  private final Map<Long, Long> flushed = new TreeMap<>();
  private int openFiles;
  private ScheduledFuture<?> renewal;
  private ScheduledFuture<?> early;
  private long toldAt = System.nanoTime() - TELLING_PERIOD.toNanos();
  private boolean failing;

  /**
   * @param holder the lease holder id of every writer that registers here
   */
  public LeaseRenewer(MetadataCalls metadata, ClusterAccess cluster, UUID holder, Duration period) {
    this.metadata = metadata;
    this.cluster = cluster;
    this.holder = holder;
    this.period = period;
    this.executor = executor(period);
  }

  private static ScheduledExecutorService executor(Duration period) {
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(1, DaemonThreads.named("vdfs-lease-renewer"));
    executor.setRemoveOnCancelPolicy(true);
    executor.setKeepAliveTime(period.toNanos(), TimeUnit.NANOSECONDS);
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  @Override
  public UUID holder() {
    return holder;
  }

  @Override
  public synchronized void flushed(long fileId, long length) {
    if (openFiles > 0 && (flushed.size() < MOST_FLUSHED || flushed.containsKey(fileId))) {
      flushed.merge(fileId, length, Math::max);
      if (early == null) {
        long rest = Math.max(0, toldAt + TELLING_PERIOD.toNanos() - System.nanoTime());
        early = executor.schedule(this::tell, rest, TimeUnit.NANOSECONDS);
      }
    }
  }

  /** A file was opened for writing; to be paired with one {@link #fileClosed()}. */
  public synchronized void fileOpened() {
    if (openFiles++ == 0) {
      renewal =
          executor.scheduleWithFixedDelay(
              this::renew, period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  /** This process no longer writes the file. */
  public synchronized void fileClosed(long fileId) {
    flushed.remove(fileId);
    fileClosed();
  }

  /** As above, of a file whose opening failed. */
  public synchronized void fileClosed() {
    if (openFiles == 0) {
      throw new IllegalStateException("more files closed than opened: holder=" + holder);
    }
    if (--openFiles == 0) {
      renewal.cancel(false);
    }
  }

  private synchronized MetaRequest request() {
    early = null;
    toldAt = System.nanoTime();
    RenewLeaseCall.Builder call = RenewLeaseCall.newBuilder().setHolder(WireIds.encode(holder));
    flushed.forEach(
        (fileId, length) ->
            call.addFlushed(FlushedLengthProto.newBuilder().setFileId(fileId).setLength(length)));
    return MetaRequest.newBuilder().setRenewLease(call).build();
  }

  private void tell() {
    try {
      metadata.call(request());
    } catch (IOException | RuntimeException e) {
      LOG.debug("the length of open files can't be told now: holder={}", holder, e);
    }
  }

  private void renew() {
    try {
      metadata.call(request());
      cluster.current();
      if (failing) {
        failing = false;
        LOG.info("leases are renewed again: holder={}", holder);
      }
    } catch (IOException | RuntimeException e) {
      if (!failing) {
        failing = true;
        LOG.warn("leases can't be renewed now, trying on: holder={}", holder, e);
      }
    }
  }

  /** Ends the renewal; files still open for writing are left to the end of their leases. */
  @Override
  public void close() {
    executor.shutdownNow();
  }
}
