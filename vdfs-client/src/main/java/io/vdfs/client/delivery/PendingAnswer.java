package io.vdfs.client.delivery;

import io.vdfs.client.io.ClientIo;
import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.net.DataConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * The answer that a node was asked for: given or failed once by the network, awaited by one reader,
 * given up by the side that no longer wants it. Thread-safe, without a lock; the first of these
 * decides.
 */
public final class PendingAnswer<T> {
  private final ClientIo io;
  private final Supplier<String> silence;
  private final CompletableFuture<T> answer = new CompletableFuture<>();
  private volatile Optional<DataConnection> asked = Optional.empty();
  private volatile long lastProgress;

  /**
   * @param silence names what did not come in time; called by the reader
   */
  public PendingAnswer(ClientIo io, Supplier<String> silence) {
    this.io = io;
    this.silence = silence;
    onProgress();
  }

  /**
   * The node is asked now; restarts the time for which silence is tolerated.
   *
   * @param connection that the answer will come by; told if none does
   */
  public void onAsked(DataConnection connection) {
    asked = Optional.of(connection);
    onProgress();
  }

  /** Restarts the time for which silence is tolerated. */
  public void onProgress() {
    lastProgress = io.nanoTime();
  }

  /**
   * @return false if it had failed or is no longer wanted: {@code given} stays the caller's
   */
  public boolean give(T given) {
    return answer.complete(given);
  }

  /** Does nothing if the answer has come or was given up. */
  public void fail(Throwable cause) {
    answer.completeExceptionally(Causes.asVdfs(cause));
  }

  /**
   * @return whether it was still wanted and had not failed
   */
  public boolean giveUp() {
    return answer.cancel(false);
  }

  public boolean isDone() {
    return answer.isDone();
  }

  public boolean isGivenUp() {
    return answer.isCancelled();
  }

  /** The answer that was given; empty before that, and for ever if none comes. */
  public Optional<T> given() {
    return answer.isDone() && !answer.isCompletedExceptionally()
        ? Optional.of(answer.join())
        : Optional.empty();
  }

  /** Runs the task once the answer is given, failed or given up, on the thread that does that. */
  public void whenDone(Runnable task) {
    var unused = answer.whenComplete((given, failure) -> task.run());
  }

  /**
   * Waits as long as there is progress; gives up where there is none for the read timeout, and
   * tells the connection.
   *
   * @throws VdfsException why there is no answer
   */
  public T await() throws InterruptedException, VdfsException {
    Duration timeout = io.settings().readTimeout();
    long limit = timeout.toNanos();
    while (true) {
      long left = lastProgress + limit - io.nanoTime();
      try {
        return answer.get(Math.max(0, left), TimeUnit.NANOSECONDS);
      } catch (ExecutionException e) {
        throw Causes.asVdfs(e);
      } catch (CancellationException e) {
        throw tooLate(e);
      } catch (TimeoutException e) {
        if (lastProgress + limit - io.nanoTime() <= 0 && giveUp()) {
          asked.ifPresent(connection -> connection.onUnanswered(timeout));
          throw tooLate(e);
        }
      }
    }
  }

  private VdfsException tooLate(Exception cause) {
    return new VdfsException(ErrorCode.UNAVAILABLE, silence.get(), cause);
  }
}
