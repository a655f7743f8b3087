package io.vdfs.datanode.meta.raft;

import io.vdfs.common.concurrent.DaemonThreads;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The one thread that touches the replicated state; runs tasks in the order they were given.
 * Thread-safe.
 *
 * <p>A task that dies of an {@link Error} may have left the state half-changed. The loop then stops
 * for good: a member that is down is better than one that differs from the others.
 */
final class MetadataLoop {
  private final ThreadPoolExecutor executor;
  private final Consumer<Throwable> onFailure;
  private volatile Throwable failure;

  /**
   * @param onFailure told once, on the loop, that the loop has stopped for good
   */
  MetadataLoop(String name, Consumer<Throwable> onFailure) {
    this.onFailure = onFailure;
    this.executor =
        new ThreadPoolExecutor(
            1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), DaemonThreads.named(name));
  }

  /** Runs {@code task} later; its future fails with what the task throws. */
  <T> CompletableFuture<T> call(Callable<T> task) {
    CompletableFuture<T> result = new CompletableFuture<>();
    try {
      executor.execute(() -> run(task, result));
    } catch (RejectedExecutionException e) {
      result.completeExceptionally(e);
    }
    return result;
  }

  private <T> void run(Callable<T> task, CompletableFuture<T> result) {
    if (failure != null) {
      result.completeExceptionally(new IllegalStateException("the metadata loop failed", failure));
      return;
    }
    try {
      result.complete(task.call());
    } catch (Exception e) {
      result.completeExceptionally(e);
    } catch (Error e) {
      fail(e);
      result.completeExceptionally(e);
    }
  }

  /** Stops the loop for good; later tasks fail. Called on the loop. */
  void fail(Throwable cause) {
    if (failure == null) {
      failure = cause;
      onFailure.accept(cause);
    }
  }

  /** As {@link #fail}, from any thread. */
  void failLater(Throwable cause) {
    var unused =
        call(
            () -> {
              fail(cause);
              return null;
            });
  }

  /** Runs what was given so far and then ends. */
  void close() {
    executor.shutdown();
  }
}
