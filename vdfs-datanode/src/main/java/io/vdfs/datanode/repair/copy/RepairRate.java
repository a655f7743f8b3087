package io.vdfs.datanode.repair.copy;

import io.vdfs.datanode.loop.ServiceLoop;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Limits work to a number of bytes a second; requests are served in the order in which they came.
 * Up to a quarter of a second's worth of unused bytes is kept for the next one. Confined to the
 * loop.
 */
public final class RepairRate {
  private static final long NANOS = 1_000_000_000;
  private static final long KEPT_NANOS = NANOS / 4;

  private final long bytesPerSecond;
  private final ServiceLoop loop;
  private long paidUntil;

  public RepairRate(long bytesPerSecond, ServiceLoop loop) {
    this.bytesPerSecond = bytesPerSecond;
    this.loop = loop;
    this.paidUntil = loop.nanoTime();
  }

  /** Completes when these bytes may go. */
  public CompletableFuture<Void> take(long bytes) {
    long now = loop.nanoTime();
    long from = Math.max(paidUntil, now - KEPT_NANOS);
    paidUntil = from + (long) (bytes * (double) NANOS / bytesPerSecond);
    CompletableFuture<Void> turn = new CompletableFuture<>();
    if (paidUntil <= now) {
      turn.complete(null);
    } else {
      loop.schedule(Duration.ofNanos(paidUntil - now), () -> turn.complete(null));
    }
    return turn;
  }
}
