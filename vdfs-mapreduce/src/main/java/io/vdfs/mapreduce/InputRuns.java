package io.vdfs.mapreduce;

import io.vdfs.mapreduce.plan.LogicalSplit;
import io.vdfs.mapreduce.plan.TaskRun;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;

/** What one reader of a logical split reads, run by run. Confined to the reader's thread. */
public interface InputRuns extends Closeable {
  /** Begins to read the share of a split. */
  @FunctionalInterface
  interface Opener {
    /**
     * @param conf of the task's attempt, which its committer sees too
     */
    InputRuns open(LogicalSplit split, Configuration conf, RunMeter.Sink counters)
        throws IOException;
  }

  /**
   * The next run; the one before counts as processed.
   *
   * @return empty at the end of the input
   * @throws IOException also if a step before this one has failed, which is the cause then
   */
  Optional<TaskRun> next() throws IOException;

  /**
   * The step from one run to the next failed, here or in the format's reader: no further one is
   * made.
   *
   * @param failure the first one is kept
   */
  void onBroken(Throwable failure);

  /**
   * The mapper asked for a record and got none: the input has ended or cannot be read. So if
   * reading ends now, that is not the mapper's choice.
   */
  void onNoRecord();

  /** Between 0 and 1. */
  float progress();
}
