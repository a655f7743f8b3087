package io.vdfs.mapreduce;

import io.vdfs.mapreduce.plan.InputPlan;
import io.vdfs.mapreduce.plan.LogicalSplit;
import io.vdfs.mapreduce.settings.InputKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a job one task per core and lets the tasks draw blocks at run time, around any {@link
 * FileInputFormat}.
 *
 * <p>Use it without changing a job: {@code
 * -Dmapreduce.job.inputformat.class=io.vdfs.mapreduce.VdfsInputFormat}, and name the format that
 * parses the records with {@link InputKeys#WRAPPED_FORMAT} where it is not {@code TextInputFormat}.
 *
 * <p>Splittable files on {@code vdfs://} become logical splits. Everything else stays static, file
 * by file: files of other filesystems, files of a codec that cannot be split, and whole formats
 * that plan their splits themselves (they override {@code getSplits}). Jobs of the old API, and
 * Hadoop Streaming, use {@link io.vdfs.mapreduce.mapred.VdfsInputFormat}.
 */
public final class VdfsInputFormat<K, V> extends InputFormat<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(VdfsInputFormat.class);

  /** For instantiation by MapReduce. */
  public VdfsInputFormat() {}

  /**
   * Creates the stream of the job in the ledger, or plans static splits where there is nothing to
   * draw. Writes the stream's id into the job's configuration and, unless {@link InputKeys#AUDIT}
   * is off, has the output committer audit the stream.
   *
   * @throws IOException if the input does not exist or the ledger cannot be reached; a stream
   *     created half-way is never drawn from and expires
   */
  @Override
  public List<InputSplit> getSplits(JobContext job) throws IOException, InterruptedException {
    InputPlan.forgetEarlier(job.getConfiguration());
    WrappedFormat<K, V> wrapped = WrappedFormat.of(job.getConfiguration());
    if (wrapped.plansItsOwnSplits()) {
      LOG.info("static splits: {} plans its splits itself", wrapped.name());
      return wrapped.format().getSplits(job);
    }
    InputPlan plan =
        InputPlan.make(
            job.getConfiguration(),
            wrapped.listStatus(job),
            file -> wrapped.isSplittable(job, file.getPath()));
    if (plan.logical().isEmpty()) {
      return wrapped.format().getSplits(job);
    }
    List<InputSplit> splits = new ArrayList<>(plan.logical());
    splits.addAll(plan.fixed());
    return splits;
  }

  /**
   * A task's reader draws from the ledger. A reader that belongs to no task, as those of Hadoop's
   * {@code InputSampler}, reads the split's {@link PlannedShare}.
   */
  @Override
  public RecordReader<K, V> createRecordReader(InputSplit split, TaskAttemptContext context)
      throws IOException, InterruptedException {
    FileInputFormat<K, V> wrapped = WrappedFormat.<K, V>of(context.getConfiguration()).format();
    if (!(split instanceof LogicalSplit logical)) {
      return CountedRecordReader.of(() -> wrapped.createRecordReader(split, context), context);
    }
    return logical.share().isPresent() && !isOfJob(context)
        ? LogicalRecordReader.outsideOfTasks(wrapped)
        : CountedRecordReader.of(
            () -> LogicalRecordReader.ofTask(wrapped, TaskRuns::open), context);
  }

  private static boolean isOfJob(TaskAttemptContext context) {
    return !context.getTaskAttemptID().getJobID().getJtIdentifier().isEmpty();
  }
}
