package io.vdfs.mapreduce.mapred;

import io.vdfs.mapreduce.PlannedShare;
import io.vdfs.mapreduce.TaskRuns;
import io.vdfs.mapreduce.plan.InputPlan;
import io.vdfs.mapreduce.settings.InputKeys;
import java.io.IOException;
import java.util.stream.Stream;
import org.apache.hadoop.mapred.FileSplit;
import org.apache.hadoop.mapred.InputFormat;
import org.apache.hadoop.mapred.InputSplit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RecordReader;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@link io.vdfs.mapreduce.VdfsInputFormat} for jobs of the old API, around any {@link
 * org.apache.hadoop.mapred.FileInputFormat}.
 *
 * <p>Use it without changing a job: {@code
 * -Dmapred.input.format.class=io.vdfs.mapreduce.mapred.VdfsInputFormat}, or with Hadoop Streaming
 * {@code -inputformat io.vdfs.mapreduce.mapred.VdfsInputFormat}; and name the format that parses
 * the records with {@link InputKeys#WRAPPED_FORMAT} where it is not {@code TextInputFormat}.
 */
public final class VdfsInputFormat<K, V> implements InputFormat<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(VdfsInputFormat.class);

  /** Key of Hadoop Streaming, which asks the input format's class if this is not set. */
  private static final String STREAMING_IGNORES_KEYS = "stream.map.input.ignoreKey";

  /** For instantiation by MapReduce. */
  public VdfsInputFormat() {}

  /**
   * Creates the stream of the job in the ledger, or plans static splits where there is nothing to
   * draw, as {@link InputPlan#make} says.
   *
   * @param wantedSplits used for static splits only
   */
  @Override
  public InputSplit[] getSplits(JobConf job, int wantedSplits) throws IOException {
    InputPlan.forgetEarlier(job);
    WrappedFormat<K, V> wrapped = WrappedFormat.of(job);
    if (wrapped.parsesPlainText()) {
      job.setBooleanIfUnset(STREAMING_IGNORES_KEYS, true);
    }
    if (wrapped.plansItsOwnSplits()) {
      LOG.info("static splits: {} plans its splits itself", wrapped.name());
      return wrapped.format().getSplits(job, wantedSplits);
    }
    InputPlan plan =
        InputPlan.make(
            job, wrapped.listStatus(job), file -> wrapped.isSplittable(job, file.getPath()));
    if (plan.logical().isEmpty()) {
      return wrapped.format().getSplits(job, wantedSplits);
    }
    return Stream.concat(
            plan.logical().stream().map(LogicalSplit::new),
            plan.fixed().stream().map(FileSplit::new))
        .toArray(InputSplit[]::new);
  }

  /**
   * A task's reader draws from the ledger. A reader that belongs to no task, as those of Hadoop's
   * {@code InputSampler}, reads the split's {@link PlannedShare}, and leaves nothing in the job's
   * settings.
   */
  @Override
  public RecordReader<K, V> getRecordReader(InputSplit split, JobConf job, Reporter reporter)
      throws IOException {
    WrappedFormat<K, V> wrapped = WrappedFormat.of(job);
    if (!(split instanceof LogicalSplit logical)) {
      return CountedRecordReader.open(
          () -> wrapped.format().getRecordReader(split, job, reporter), reporter);
    }
    boolean ofTask = job.get(MRJobConfig.TASK_ATTEMPT_ID) != null;
    return logical.split().share().isPresent() && !ofTask
        ? LogicalRecordReader.open(
            wrapped.fileFormat(), logical, new JobConf(job), reporter, PlannedShare::open)
        : CountedRecordReader.open(
            () ->
                LogicalRecordReader.open(
                    wrapped.fileFormat(), logical, job, reporter, TaskRuns::open),
            reporter);
  }
}
