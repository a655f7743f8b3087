package io.vdfs.mapreduce;

import io.vdfs.client.ledger.BlockTotals;
import io.vdfs.client.ledger.DrawnRun;
import io.vdfs.client.ledger.ListEnd;
import io.vdfs.client.ledger.RunAnswer;
import io.vdfs.client.ledger.RunQuestion;
import io.vdfs.client.ledger.StoppedTask;
import io.vdfs.client.ledger.StreamTask;
import io.vdfs.mapreduce.Remainder.Hold;
import io.vdfs.mapreduce.settings.EarlyEnd;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Draws the list of a task, position by position. Only a question that states what was processed so
 * far may be answered with the end; one that is asked ahead cannot state that, so if it finds the
 * end it is asked again. Confined to the task's thread.
 */
final class RunDrawer {
  private static final Logger LOG = LoggerFactory.getLogger(RunDrawer.class);

  /** Runs in one answer, so that many small files cost one call. */
  private static final int MOST_RUNS = 64;

  private static final int LOOKS_PER_BLOCK = 16;

  /** Each look counts as progress, without which MapReduce kills a task after some minutes. */
  private static final long LONGEST_BETWEEN_LOOKS_NANOS = 60_000_000_000L;

  /** Lets time pass. */
  @FunctionalInterface
  interface Pause {
    /**
     * @throws IOException if the thread was interrupted meanwhile
     */
    void await(long nanos) throws IOException;
  }

  private final StreamTask task;
  private final EarlyEnd early;
  private final RunSource ledger;
  private final AskAhead ahead;
  private final RunMeter meter;
  private final Remainder remainder;
  private final Pause pause;
  private final DrawPace runSize = new DrawPace();

  private int position;
  private BlockTotals processed = BlockTotals.NONE;

  /** Runs received with an answer and not begun yet. */
  private final Deque<DrawnRun> granted = new ArrayDeque<>();

  private DrawnRun run;
  private boolean runAskedAhead;
  private long waitToldAhead;
  private long runStartNanos;
  private boolean triedToClose;
  private boolean ended;
  private float progress;

  /**
   * @param early when the task ends although input is left
   * @param executor asks ahead
   * @param remainder says when a slow task holds back
   * @param pause waits between two looks at the others
   */
  RunDrawer(
      StreamTask task,
      EarlyEnd early,
      RunSource ledger,
      ScheduledExecutorService executor,
      RunMeter meter,
      Remainder remainder,
      Pause pause) {
    this.task = task;
    this.early = early;
    this.ledger = ledger;
    this.ahead = new AskAhead(ledger, executor);
    this.meter = meter;
    this.remainder = remainder;
    this.pause = pause;
  }

  /**
   * The next run; the one before counts as processed.
   *
   * @return empty when the ledger has stated the end of the list
   */
  Optional<DrawnRun> next() throws IOException {
    if (ended) {
      return Optional.empty();
    }
    finishRun();
    if (!granted.isEmpty()) {
      return Optional.of(begin(granted.remove(), runAskedAhead));
    }
    long waitedSince = meter.nanoTime();
    Optional<RunAnswer> early = ahead.take(position);
    early.ifPresent(answer -> onAnswered(waitToldAhead));
    boolean askedAhead = early.isPresent() && !early.get().isEnd();
    if (early.isEmpty()) {
      // runs asked ahead are this task's already, no other task can take them
      waitedSince += holdBack();
      closeIfEnough();
    }
    RunAnswer answer = askedAhead ? early.get() : ask();
    meter.onWaited(waitedSince);
    progress = progressOf(answer);
    remainder.onAnswer(answer.remainingBlocks(), answer.blocks(), meter.nanoTime());
    if (answer.isEnd()) {
      onEnd(answer.end().get());
      return Optional.empty();
    }
    granted.addAll(answer.runs());
    return Optional.of(begin(granted.remove(), askedAhead));
  }

  /** The share of the whole job's blocks that some task owns. */
  float progress() {
    return ended ? 1 : progress;
  }

  /** Stops asking; a run that was begun does not count as processed. */
  void close() {
    ahead.forget();
    meter.onClosed();
  }

  /**
   * What the ledger has to know if the task ends here without having been told the end.
   *
   * @return empty after the end
   */
  Optional<StoppedTask> stop() {
    if (ended) {
      return Optional.empty();
    }
    meter.onStopped();
    return Optional.of(new StoppedTask(task, position, processed));
  }

  private RunAnswer ask() throws IOException {
    long start = meter.nanoTime();
    RunQuestion question = question(position).withProcessed(processed);
    RunAnswer answer = ledger.next(question);
    runSize.onRound(meter.nanoTime() - start);
    onAnswered(question.waitedMillis());
    return answer;
  }

  /** A question without an answer may not have arrived, so its wait is reported again. */
  private void onAnswered(long waitTold) {
    meter.onCall();
    meter.onToldWait(waitTold);
  }

  private RunQuestion question(int wantedPosition) {
    return new RunQuestion(
        task,
        wantedPosition,
        Math.min(runSize.wanted(), blocksUntilEnough()),
        MOST_RUNS,
        meter.untoldWaitMillis(),
        early.yields() && meter.taskNanos() >= early.yieldNanos(),
        Optional.empty());
  }

  /** Any number for the last task, which was not allowed to close its list. */
  private int blocksUntilEnough() {
    if (triedToClose) {
      return Integer.MAX_VALUE;
    }
    long bytes = processed.bytes() + (run == null ? 0 : run.bytes());
    long blocks = processed.blocks() + (run == null ? 0 : run.blockCount());
    if (bytes == 0) {
      return 1;
    }
    double most = Math.ceil((early.taskBytes() - bytes) * (double) blocks / bytes);
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, most));
  }

  private DrawnRun begin(DrawnRun next, boolean askedAhead) {
    run = next;
    runAskedAhead = askedAhead;
    runStartNanos = meter.nanoTime();
    long endNanos = runStartNanos + runSize.expectedNanos(next.blockCount());
    if (runSize.measured()
        && granted.isEmpty()
        && !isEnough(processed.bytes() + next.bytes())
        && remainder.holdBack(runSize.nanosPerBlock(), endNanos).isEmpty()) {
      RunQuestion question = question(position + 1);
      waitToldAhead = question.waitedMillis();
      ahead.schedule(question, runSize.askAheadAfterNanos(next.blockCount()));
    }
    return next;
  }

  private void finishRun() {
    if (run == null) {
      return;
    }
    processed = processed.plus(run);
    position++;
    runSize.onRun(run.blockCount(), meter.nanoTime() - runStartNanos);
    meter.onProcessed(run, runAskedAhead);
    run = null;
  }

  /** Whether the task should close its list before it draws more. */
  private boolean isEnough(long bytes) {
    return !triedToClose && bytes >= early.taskBytes();
  }

  /**
   * Returns when the others need this task's help, or when they have drawn everything.
   *
   * @return nanoseconds
   */
  private long holdBack() throws IOException {
    long since = meter.nanoTime();
    Optional<Hold> hold = remainder.holdBack(runSize.nanosPerBlock(), since);
    if (hold.isEmpty()) {
      return 0;
    }
    long interval =
        Math.min((hold.get().until() - since) / LOOKS_PER_BLOCK, LONGEST_BETWEEN_LOOKS_NANOS);
    long remaining;
    do {
      pause.await(interval);
      remaining = ledger.remainingBlocks(task.stream());
      meter.onCall();
    } while (hold.get().isOn(remaining, meter.nanoTime()));
    meter.onHeldBack(since);
    return meter.nanoTime() - since;
  }

  /** Asks once: whether it is granted can't change later, as closed tasks stay closed. */
  private void closeIfEnough() throws IOException {
    if (!isEnough(processed.bytes())) {
      return;
    }
    triedToClose = true;
    ledger.closeTask(task);
    meter.onCall();
  }

  private void onEnd(ListEnd end) throws IOException {
    if (end.runs() != position || !end.task().equals(processed)) {
      throw new IOException(
          ("the ledger and this task disagree on what the task processed: %s, ledger"
                  + " runs=%s, ledger bytes=%s")
              .formatted(this, end.runs(), end.task().bytes()));
    }
    ended = true;
    meter.onEnd();
    if (end.yielded()) {
      meter.onYielded();
      LOG.info("task {} yields to another job", task.ordinal());
    }
    LOG.info(
        "{} of {} blocks of the job were processed by task {}",
        processed.blocks(),
        end.stream().blocks(),
        task.ordinal());
  }

  private static float progressOf(RunAnswer answer) {
    long all = answer.streamBlocks();
    return all == 0 ? 1 : (float) (all - answer.remainingBlocks()) / all;
  }

  @Override
  public String toString() {
    return "task=" + task.ordinal() + ", runs=" + position + ", bytes=" + processed.bytes();
  }
}
