package io.vdfs.mapreduce;

import io.vdfs.mapreduce.plan.LogicalSplit;
import io.vdfs.mapreduce.plan.TaskRun;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;

/**
 * The part of the input that a split would be if splits were static: what a reader outside of any
 * task gets, such as Hadoop's {@code InputSampler}. Nothing is drawn from the ledger, so a single
 * such reader doesn't get all of the input, and leaves nothing behind for the job that is submitted
 * next. All shares together are the whole input. Confined to the reader's thread.
 */
public final class PlannedShare implements InputRuns {
  private final Deque<TaskRun> left;
  private final long bytes;
  private long begun;
  private Throwable broken;

  private PlannedShare(List<TaskRun> share) {
    this.left = new ArrayDeque<>(share);
    this.bytes = share.stream().mapToLong(TaskRun::bytes).sum();
  }

  /**
   * @param split from {@code getSplits} itself; the share doesn't travel with it to tasks
   * @throws IllegalArgumentException if the split has none
   */
  public static InputRuns open(LogicalSplit split, Configuration conf, RunMeter.Sink counters) {
    return new PlannedShare(
        split
            .share()
            .orElseThrow(() -> new IllegalArgumentException("no share is known: split=" + split)));
  }

  @Override
  public Optional<TaskRun> next() throws IOException {
    if (broken != null) {
      throw new IOException("nothing more can be read after an error: " + broken, broken);
    }
    Optional<TaskRun> next = Optional.ofNullable(left.poll());
    next.ifPresent(run -> begun += run.bytes());
    return next;
  }

  @Override
  public void onBroken(Throwable failure) {
    if (broken == null) {
      broken = failure;
    }
  }

  @Override
  public void onNoRecord() {
    // how reading ended is reported nowhere
  }

  @Override
  public float progress() {
    return bytes == 0 ? 1 : (float) begun / bytes;
  }

  @Override
  public void close() {
    left.clear();
  }
}
