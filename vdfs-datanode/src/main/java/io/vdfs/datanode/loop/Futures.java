package io.vdfs.datanode.loop;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Small tools for futures that a service waits for. */
public final class Futures {
  private Futures() {}

  /** The outcome of {@code source}, or UNAVAILABLE once {@code limit} has passed on the loop. */
  public static <T> CompletableFuture<T> within(
      Duration limit, CompletableFuture<T> source, ServiceLoop loop) {
    CompletableFuture<T> bounded = source.copy();
    if (!bounded.isDone()) {
      loop.schedule(
          limit,
          () ->
              bounded.completeExceptionally(
                  new VdfsException(
                      ErrorCode.UNAVAILABLE,
                      "no answer in time: limitMillis=" + limit.toMillis())));
    }
    return bounded;
  }
}
