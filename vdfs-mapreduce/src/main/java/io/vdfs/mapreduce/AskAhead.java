package io.vdfs.mapreduce;

import io.vdfs.client.ledger.RunAnswer;
import io.vdfs.client.ledger.RunQuestion;
import io.vdfs.common.concurrent.Interrupts;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Asks the ledger for a task's next run while the task is busy with the one before. A run that is
 * drawn this way and never fetched is not lost: it stands in the task's list, where the task's next
 * attempt finds it.
 *
 * <p>Confined to the task's thread, except for the question itself, which the executor asks.
 */
final class AskAhead {
  private final RunSource ledger;
  private final ScheduledExecutorService executor;
  private Question question;

  AskAhead(RunSource ledger, ScheduledExecutorService executor) {
    this.ledger = ledger;
    this.executor = executor;
  }

  /**
   * A question is asked by the thread that claims it: the executor's, or the task's if that cannot
   * wait any longer.
   */
  private static final class Question {
    private final RunQuestion request;
    private final AtomicBoolean claimed = new AtomicBoolean();
    private final CompletableFuture<RunAnswer> answer = new CompletableFuture<>();

    Question(RunQuestion request) {
      this.request = request;
    }

    void ask(RunSource ledger) {
      if (!claimed.compareAndSet(false, true)) {
        return;
      }
      try {
        answer.complete(ledger.next(request));
      } catch (IOException | RuntimeException | Error e) {
        // else the task would wait for an answer that never comes
        answer.completeExceptionally(e);
      }
    }
  }

  /** Has {@code request} asked after a delay, unless it is forgotten before. */
  void schedule(RunQuestion request, long delayNanos) {
    Question next = new Question(request);
    question = next;
    ScheduledFuture<?> unused =
        executor.schedule(() -> next.ask(ledger), delayNanos, TimeUnit.NANOSECONDS);
  }

  /**
   * The answer, waited for if the question is under way.
   *
   * @return empty if nothing was asked for that position, or it failed: then the task asks itself
   */
  Optional<RunAnswer> take(int position) throws IOException {
    Question asked = question;
    question = null;
    if (asked == null
        || asked.request.position() != position
        || asked.claimed.compareAndSet(false, true)) {
      return Optional.empty();
    }
    try {
      return Optional.of(asked.answer.get());
    } catch (InterruptedException e) {
      throw Interrupts.during("the ledger was asked: position=" + position, e);
    } catch (ExecutionException e) {
      // the task repeats the question and so gets the error first-hand, if it persists
      return Optional.empty();
    }
  }

  /** Forgets a question that was not asked yet. */
  void forget() {
    if (question != null) {
      question.claimed.set(true);
      question = null;
    }
  }
}
