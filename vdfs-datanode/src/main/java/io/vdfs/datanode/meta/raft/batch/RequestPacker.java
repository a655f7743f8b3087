package io.vdfs.datanode.meta.raft.batch;

import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * Packs requests that arrive while a batch is under way into the next batch. Thread-safe.
 *
 * <p>One batch is under way at a time, so requests keep their order. Each request gets its own
 * response; only a failure of the batch as a whole is a failure of all in it. Nothing waits longer
 * than the limit: a request without an outcome by then is answered with UNAVAILABLE, and skipped if
 * it wasn't sent yet.
 *
 * <p>A batch is answered before the next one is sent: callers that come back at once then go with
 * those that wait already, in half as many batches. So code that depends on an answer must not
 * block.
 *
 * <p>The sender is never called on the thread that brings an outcome: that may hold a lock which
 * the next batch needs. Ratis brings the outcome of a read that way.
 */
public final class RequestPacker {
  /** Sends a batch; answers with one response per request, in their order. */
  @FunctionalInterface
  public interface Sender {
    CompletableFuture<List<MetaResponse>> send(List<MetaRequest> batch);
  }

  /**
   * @param batchBytes of a batch, hence of one request
   * @param batchCount requests of a batch
   * @param queued requests that may wait; more are refused at once
   * @param time longest time to an answer
   */
  public record Limits(int batchBytes, int batchCount, int queued, Duration time) {}

  private record Pending(MetaRequest request, int size, CompletableFuture<MetaResponse> answer) {}

  private final Sender sender;
  private final ToIntFunction<MetaRequest> size;
  private final Function<Throwable, MetaResponse> failure;
  private final Limits limits;
  private final Executor threads;

  private final ArrayDeque<Pending> queue = new ArrayDeque<>(); // guarded by itself
  private boolean busy; // a pump is on its way or a batch under way; guarded by queue

  /**
   * @param size bytes that a request takes in a batch
   * @param failure the response of each request of a batch that failed with the given cause
   * @param threads send the batches and complete the answers
   */
  public RequestPacker(
      Sender sender,
      ToIntFunction<MetaRequest> size,
      Function<Throwable, MetaResponse> failure,
      Limits limits,
      Executor threads) {
    this.sender = sender;
    this.size = size;
    this.failure = failure;
    this.limits = limits;
    this.threads = threads;
  }

  /**
   * Sends {@code request} with the next batch.
   *
   * @return never fails; completes on a thread that others wait for
   */
  public CompletableFuture<MetaResponse> add(MetaRequest request) {
    int bytes = size.applyAsInt(request);
    if (bytes > limits.batchBytes()) {
      return CompletableFuture.completedFuture(
          Errors.response(
              ErrorCode.INVALID_ARGUMENT,
              "request too large for the log, split it: op=%s, bytes=%d, limit=%d"
                  .formatted(request.getOpCase(), bytes, limits.batchBytes())));
    }
    Pending pending = new Pending(request, bytes, new CompletableFuture<>());
    boolean rested;
    synchronized (queue) {
      if (queue.size() >= limits.queued()) {
        return CompletableFuture.completedFuture(
            Errors.response(
                ErrorCode.UNAVAILABLE,
                "too many requests wait, try again: limit=" + limits.queued()));
      }
      queue.add(pending);
      rested = !busy;
      busy = true;
    }
    if (rested) {
      threads.execute(this::pump);
    }
    return pending
        .answer()
        .completeOnTimeout(timedOut(), limits.time().toMillis(), TimeUnit.MILLISECONDS);
  }

  private MetaResponse timedOut() {
    return Errors.response(
        ErrorCode.UNAVAILABLE,
        "no outcome in time, the request happened or not: limitMillis=" + limits.time().toMillis());
  }

  /** Sends the next batch; its outcome brings the one after it. */
  private void pump() {
    List<Pending> batch = next();
    if (batch.isEmpty()) {
      return;
    }
    var unused =
        send(batch.stream().map(Pending::request).toList())
            .orTimeout(limits.time().toMillis(), TimeUnit.MILLISECONDS)
            .whenCompleteAsync(
                (responses, error) -> {
                  try {
                    answer(batch, responses, error);
                  } finally {
                    pump();
                  }
                },
                threads);
  }

  private CompletableFuture<List<MetaResponse>> send(List<MetaRequest> batch) {
    try {
      return sender.send(batch);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Takes the next batch; empty where there is nothing to send, and then the packer rests. */
  private List<Pending> next() {
    synchronized (queue) {
      List<Pending> batch = new ArrayList<>();
      int bytes = 0;
      for (Pending head = queue.peek(); head != null; head = queue.peek()) {
        if (!head.answer().isDone()) {
          if (batch.size() == limits.batchCount() || bytes + head.size() > limits.batchBytes()) {
            break;
          }
          bytes += head.size();
          batch.add(head);
        }
        queue.remove();
      }
      busy = !batch.isEmpty();
      return batch;
    }
  }

  private void answer(List<Pending> batch, List<MetaResponse> responses, Throwable error) {
    for (int i = 0; i < batch.size(); i++) {
      batch.get(i).answer().complete(responseOf(i, batch.size(), responses, error));
    }
  }

  private MetaResponse responseOf(
      int index, int count, List<MetaResponse> responses, Throwable error) {
    if (error != null) {
      return failure.apply(Causes.of(error));
    }
    if (responses.size() != count) {
      return Errors.response(
          ErrorCode.INTERNAL,
          "batch answered in part: requests=%d, responses=%d".formatted(count, responses.size()));
    }
    return responses.get(index);
  }
}
