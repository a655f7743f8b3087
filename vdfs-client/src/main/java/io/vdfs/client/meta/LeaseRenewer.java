package io.vdfs.client.meta;

import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.RenewLeaseCall;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the leases of one holder while it has files open for writing, and keeps the ring map
 * young, for writers that stay open long ask nobody else. Works on one daemon thread, which exists
 * only while there is something to renew.
 *
 * <p>Thread-safe: {@code openFiles} and {@code renewal} are guarded by this object's lock; {@code
 * failing} belongs to the renewing thread.
 */
public final class LeaseRenewer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseRenewer.class);

  private final MetadataCalls metadata;
  private final ClusterAccess cluster;
  private final UUID holder;
  private final Duration period;
  private final MetaRequest request;
  private final ScheduledExecutorService executor;
  private int openFiles;
  private ScheduledFuture<?> renewal;
  private boolean failing;

  /**
   * @param holder the lease holder id of every writer that registers here
   */
  public LeaseRenewer(MetadataCalls metadata, ClusterAccess cluster, UUID holder, Duration period) {
    this.metadata = metadata;
    this.cluster = cluster;
    this.holder = holder;
    this.period = period;
    this.request =
        MetaRequest.newBuilder()
            .setRenewLease(RenewLeaseCall.newBuilder().setHolder(WireIds.encode(holder)))
            .build();
    this.executor = executor(period);
  }

  private static ScheduledExecutorService executor(Duration period) {
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "vdfs-lease-renewer");
              thread.setDaemon(true);
              return thread;
            });
    executor.setRemoveOnCancelPolicy(true);
    executor.setKeepAliveTime(period.toNanos(), TimeUnit.NANOSECONDS);
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  /** The id under which leases are held. */
  public UUID holder() {
    return holder;
  }

  /** A file was opened for writing; goes with one {@link #fileClosed()}. */
  public synchronized void fileOpened() {
    if (openFiles++ == 0) {
      renewal =
          executor.scheduleWithFixedDelay(
              this::renew, period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  public synchronized void fileClosed() {
    if (openFiles == 0) {
      throw new IllegalStateException("more files closed than opened: holder=" + holder);
    }
    if (--openFiles == 0) {
      renewal.cancel(false);
    }
  }

  private void renew() {
    try {
      metadata.call(request);
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
