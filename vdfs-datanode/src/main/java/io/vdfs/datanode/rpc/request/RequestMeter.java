package io.vdfs.datanode.rpc.request;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.metrics.Metric;
import io.vdfs.common.metrics.OperationCounters;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaRequest.OpCase;
import io.vdfs.common.wire.proto.MetaResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Counts metadata requests by operation, and the time until they were answered. Thread-safe. */
public final class RequestMeter {
  private static final long SLOW_NANOS = Duration.ofMillis(100).toNanos();

  private final OperationCounters<OpCase, RequestCounter> counters =
      new OperationCounters<>(OpCase.class, RequestCounter.class);
  private final LongSupplier nanoClock;

  /**
   * @param nanoClock as {@link System#nanoTime}
   */
  public RequestMeter(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** All counters as they are now. */
  public List<Metric> read(String group) {
    return counters.read(group);
  }

  long get(OpCase operation, RequestCounter counter) {
    return counters.get(operation, counter);
  }

  long start() {
    return nanoClock.getAsLong();
  }

  /**
   * Counts {@code request} once it is answered.
   *
   * @param start of the request
   */
  CompletableFuture<MetaResponse> measured(
      MetaRequest request, long start, CompletableFuture<MetaResponse> answer) {
    return answer.thenApply(
        response -> {
          count(request.getOpCase(), nanoClock.getAsLong() - start, response);
          return response;
        });
  }

  private void count(OpCase operation, long nanos, MetaResponse response) {
    counters.increment(operation, RequestCounter.REQUESTS);
    counters.add(operation, RequestCounter.MICROS, TimeUnit.NANOSECONDS.toMicros(nanos));
    if (nanos > SLOW_NANOS) {
      counters.increment(operation, RequestCounter.SLOW);
    }
    if (response.hasError()) {
      counters.increment(operation, kind(WireIds.errorCode(response.getError())));
    }
  }

  private static RequestCounter kind(ErrorCode code) {
    return switch (code) {
      case NOT_LEADER -> RequestCounter.REDIRECTED;
      case UNAVAILABLE -> RequestCounter.UNAVAILABLE;
      default -> RequestCounter.REFUSED;
    };
  }
}
