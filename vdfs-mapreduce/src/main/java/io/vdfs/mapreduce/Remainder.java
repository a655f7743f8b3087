package io.vdfs.mapreduce;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * Whether a slow task should hold back and leave the rest of the job's blocks to the others, as
 * they would finish all of it before this task finishes its next block. Otherwise the whole job
 * would wait for that block.
 *
 * <p>How fast the others draw follows from how the number of remaining blocks fell during the last
 * two blocks of this task. For each of the others one more block counts as remaining, for the run
 * it is processing; so tasks of equal speed leave nothing. Example: three tasks, of which two need
 * 3 s for a block and this one 30 s. The others draw a block every 1.5 s, 20 while this task
 * processes one, so it leaves the last 17 to them.
 *
 * <p>That is a forecast, and wrong where blocks are slow rather than tasks: those that the others
 * draw next may be the expensive ones. So the task only pauses: it watches the others' progress
 * ({@link Hold}) and draws again when they fall behind. Confined to the task's thread.
 */
final class Remainder {
  /** Tasks that process a block faster than this don't keep a job waiting. */
  private static final double SLOW_NANOS_PER_BLOCK = 2e9;

  private static final int ANSWERS_LOOKED_AT = 3;

  /**
   * An answer of the ledger.
   *
   * @param remaining blocks that no task owns
   * @param drawn blocks this task got with it
   */
  private record Answer(long remaining, int drawn, long nanos) {}

  /**
   * While this task holds back.
   *
   * @param since when it began
   * @param until when it would have finished a block
   * @param left blocks that no task owned at the beginning
   * @param perNano how many of them the others should draw
   * @param slack how many blocks they may be behind
   */
  record Hold(long since, long until, double left, double perNano, int slack) {
    /**
     * Whether the task should go on holding back.
     *
     * @param remaining blocks that no task owns now; at 0 the ledger states the end
     */
    boolean isOn(long remaining, long nanos) {
      double expected = Math.max(0, left - perNano * (nanos - since));
      return remaining > 0 && nanos < until && remaining <= expected + slack;
    }
  }

  private final int otherTasks;
  private final Deque<Answer> answers = new ArrayDeque<>();

  /**
   * @param otherTasks that draw from the same stream
   */
  Remainder(int otherTasks) {
    this.otherTasks = otherTasks;
  }

  /**
   * @param remaining blocks that no task owns
   * @param drawn blocks this task got with the answer
   */
  void onAnswer(long remaining, int drawn, long nanos) {
    answers.add(new Answer(remaining, drawn, nanos));
    if (answers.size() > ANSWERS_LOOKED_AT) {
      answers.remove();
    }
  }

  /**
   * Whether to hold back rather than draw another block.
   *
   * @param nanosPerBlock time that this task needs for a block
   * @param nanos when it could begin another block
   */
  Optional<Hold> holdBack(double nanosPerBlock, long nanos) {
    if (otherTasks == 0 || answers.isEmpty() || nanosPerBlock < SLOW_NANOS_PER_BLOCK) {
      return Optional.empty();
    }
    Answer first = answers.getFirst();
    Answer last = answers.getLast();
    long elapsed = last.nanos() - first.nanos();
    if (elapsed <= 0) {
      return Optional.empty();
    }
    long own = answers.stream().skip(1).mapToLong(Answer::drawn).sum();
    double perNano = (double) (first.remaining() - last.remaining() - own) / elapsed;
    double left = Math.max(0, last.remaining() - perNano * (nanos - last.nanos()));
    return perNano * nanosPerBlock > left + otherTasks
        ? Optional.of(new Hold(nanos, nanos + (long) nanosPerBlock, left, perNano, otherTasks))
        : Optional.empty();
  }
}
