package io.vdfs.mapreduce;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.BlockDigest;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CloseTaskOp;
import io.vdfs.common.wire.proto.EndOfTask;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.NextRunResult;
import io.vdfs.common.wire.proto.StoppedReading;
import io.vdfs.common.wire.proto.StreamRun;
import io.vdfs.common.wire.proto.StreamTotals;
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
 * far may be answered with the end; one that is asked ahead cannot state it, so its end is asked
 * for again. Confined to the task's thread.
 */
final class RunDrawer {
  private static final Logger LOG = LoggerFactory.getLogger(RunDrawer.class);

  /** In one answer: many small files cost one call. */
  private static final int MOST_RUNS = 64;

  private static final int LOOKS_PER_BLOCK = 16;

  /** Each look counts as progress, without which MapReduce kills a task after minutes. */
  private static final long LONGEST_BETWEEN_LOOKS_NANOS = 60_000_000_000L;

  /** Lets time pass. */
  @FunctionalInterface
  interface Pause {
    /**
     * @throws IOException if the thread was interrupted meanwhile
     */
    void await(long nanos) throws IOException;
  }

  private final ByteString streamId;
  private final int task;
  private final EarlyEnd early;
  private final RunSource ledger;
  private final AskAhead ahead;
  private final RunMeter meter;
  private final Remainder remainder;
  private final Pause pause;
  private final RunSize runSize = new RunSize();

  private int position;
  private StreamTotals processed = StreamTotals.getDefaultInstance();

  /** Got with an answer, and not begun yet. */
  private final Deque<StreamRun> granted = new ArrayDeque<>();

  private StreamRun run;
  private boolean runAskedAhead;
  private long waitToldAhead;
  private long runStartNanos;
  private boolean triedToClose;
  private boolean ended;
  private float progress;

  /**
   * @param early when the task ends though there is input left
   * @param executor asks ahead
   * @param remainder says when a slow task holds back
   * @param pause waits between two looks at the others
   */
  RunDrawer(
      ByteString streamId,
      int task,
      EarlyEnd early,
      RunSource ledger,
      ScheduledExecutorService executor,
      RunMeter meter,
      Remainder remainder,
      Pause pause) {
    this.streamId = streamId;
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
  Optional<StreamRun> next() throws IOException {
    if (ended) {
      return Optional.empty();
    }
    finishRun();
    if (!granted.isEmpty()) {
      return Optional.of(begin(granted.remove(), runAskedAhead));
    }
    long waitedSince = meter.nanoTime();
    Optional<NextRunResult> early = ahead.take(position);
    early.ifPresent(answer -> onAnswered(waitToldAhead));
    boolean askedAhead = early.isPresent() && early.get().hasRun();
    if (early.isEmpty()) {
      // what was asked ahead is this task's already, nobody else can take it
      waitedSince += holdBack();
      closeIfEnough();
    }
    NextRunResult result = askedAhead ? early.get() : ask();
    meter.onWaited(waitedSince);
    progress = progressOf(result);
    remainder.onAnswer(result.getRemainingBlocks(), blocks(result), meter.nanoTime());
    granted.addAll(result.getFollowingList());
    return switch (result.getOutcomeCase()) {
      case RUN -> Optional.of(begin(result.getRun(), askedAhead));
      case END -> end(result.getEnd());
      case OUTCOME_NOT_SET ->
          throw new IOException("the ledger answered neither a run nor the end: " + this);
    };
  }

  /** The share of the whole job's blocks that some task owns. */
  float progress() {
    return ended ? 1 : progress;
  }

  /** Asks no more; a run that was begun does not count as processed. */
  void close() {
    ahead.forget();
    meter.onClosed();
  }

  /**
   * What the ledger has to know if the task ends here though it was not told the end.
   *
   * @return empty after the end
   */
  Optional<CloseTaskOp> stop() {
    if (ended) {
      return Optional.empty();
    }
    meter.onStopped();
    StoppedReading.Builder stopped =
        StoppedReading.newBuilder().setRuns(position).setProcessed(processed);
    return Optional.of(
        CloseTaskOp.newBuilder().setStreamId(streamId).setTask(task).setStopped(stopped).build());
  }

  private NextRunResult ask() throws IOException {
    long start = meter.nanoTime();
    NextRunOp request = request(position).setProcessed(processed).build();
    NextRunResult result = ledger.next(request);
    runSize.onRound(meter.nanoTime() - start);
    onAnswered(request.getWaitedMillis());
    return result;
  }

  /** A question that nobody answered may not have been heard, so its wait is told again. */
  private void onAnswered(long waitTold) {
    meter.onCall();
    meter.onToldWait(waitTold);
  }

  private NextRunOp.Builder request(int wantedPosition) {
    return NextRunOp.newBuilder()
        .setStreamId(streamId)
        .setTask(task)
        .setPosition(wantedPosition)
        .setWantedBlocks(Math.min(runSize.wanted(), blocksUntilEnough()))
        .setWaitedMillis(meter.untoldWaitMillis())
        .setMostRuns(MOST_RUNS)
        .setMayYield(early.yields() && meter.taskNanos() >= early.yieldNanos());
  }

  /** Any number for the last task, which was not allowed to close its list. */
  private int blocksUntilEnough() {
    if (triedToClose) {
      return Integer.MAX_VALUE;
    }
    long bytes = processed.getBytes() + (run == null ? 0 : run.getBytes());
    long blocks = processed.getBlocks() + (run == null ? 0 : run.getBlockCount());
    if (bytes == 0) {
      return 1;
    }
    double most = Math.ceil((early.taskBytes() - bytes) * (double) blocks / bytes);
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, most));
  }

  private static int blocks(NextRunResult result) {
    int following = result.getFollowingList().stream().mapToInt(StreamRun::getBlockCount).sum();
    return result.getRun().getBlockCount() + following;
  }

  private StreamRun begin(StreamRun next, boolean askedAhead) {
    run = next;
    runAskedAhead = askedAhead;
    runStartNanos = meter.nanoTime();
    long endNanos = runStartNanos + runSize.expectedNanos(next.getBlockCount());
    if (runSize.measured()
        && granted.isEmpty()
        && !isEnough(processed.getBytes() + next.getBytes())
        && remainder.holdBack(runSize.nanosPerBlock(), endNanos).isEmpty()) {
      NextRunOp question = request(position + 1).build();
      waitToldAhead = question.getWaitedMillis();
      ahead.schedule(question, runSize.askAheadAfterNanos(next.getBlockCount()));
    }
    return next;
  }

  private void finishRun() throws VdfsException {
    if (run == null) {
      return;
    }
    FileKey file = WireIds.fileKey(run.getFile());
    processed =
        StreamTotals.newBuilder()
            .setBlocks(processed.getBlocks() + run.getBlockCount())
            .setBytes(processed.getBytes() + run.getBytes())
            .setDigest(
                processed.getDigest()
                    + BlockDigest.of(file, run.getFirstBlock(), run.getBlockCount()))
            .build();
    position++;
    runSize.onRun(run.getBlockCount(), meter.nanoTime() - runStartNanos);
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
      remaining = ledger.remainingBlocks(streamId);
      meter.onCall();
    } while (hold.get().isOn(remaining, meter.nanoTime()));
    meter.onHeldBack(since);
    return meter.nanoTime() - since;
  }

  /** Once: whether it is granted can't change later, as tasks that are closed stay closed. */
  private void closeIfEnough() throws IOException {
    if (!isEnough(processed.getBytes())) {
      return;
    }
    triedToClose = true;
    ledger.closeTask(CloseTaskOp.newBuilder().setStreamId(streamId).setTask(task).build());
    meter.onCall();
  }

  private Optional<StreamRun> end(EndOfTask end) throws IOException {
    if (end.getRuns() != position || !end.getTask().equals(processed)) {
      throw new IOException(
          "the ledger and this task disagree on what the task processed: "
              + this
              + ", ledger runs="
              + end.getRuns()
              + ", ledger bytes="
              + end.getTask().getBytes());
    }
    ended = true;
    meter.onEnd();
    if (end.getYielded()) {
      meter.onYielded();
      LOG.info("task {} yields to another job", task);
    }
    LOG.info(
        "{} of {} blocks of the job were processed by task {}",
        processed.getBlocks(),
        end.getStream().getBlocks(),
        task);
    return Optional.empty();
  }

  private static float progressOf(NextRunResult result) {
    long all = result.getStreamBlocks();
    return all == 0 ? 1 : (float) (all - result.getRemainingBlocks()) / all;
  }

  @Override
  public String toString() {
    return "task=" + task + ", runs=" + position + ", bytes=" + processed.getBytes();
  }
}
