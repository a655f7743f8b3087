package io.vdfs.mapreduce;

import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;

/**
 * Commits a job only after the ledger confirmed that its tasks processed every block once; a job
 * that fails the audit fails, and its output is not committed. All else is the wrapped committer's.
 *
 * <p>A committed job keeps its stream, so that a commit repeated after a restart of the
 * ApplicationMaster can be audited again; it expires. A job that is aborted gives it up, unless its
 * ApplicationMaster is shutting down: the hook that runs then aborts every job (MRAppMaster does so
 * since Hadoop 3.4), the committed one as well as one that the next ApplicationMaster goes on with.
 */
final class AuditingCommitter extends PathOutputCommitter {
  private final PathOutputCommitter audited;
  private final JobStream stream;
  private final BooleanSupplier shuttingDown;

  /**
   * @param shuttingDown whether this process is ending
   */
  AuditingCommitter(
      Path outputPath,
      TaskAttemptContext context,
      PathOutputCommitter audited,
      JobStream stream,
      BooleanSupplier shuttingDown)
      throws IOException {
    super(outputPath, context);
    this.audited = audited;
    this.stream = stream;
    this.shuttingDown = shuttingDown;
  }

  @Override
  public void commitJob(JobContext job) throws IOException {
    stream.audit(job.getConfiguration());
    audited.commitJob(job);
  }

  @Override
  public void abortJob(JobContext job, JobStatus.State state) throws IOException {
    audited.abortJob(job, state);
    if (!shuttingDown.getAsBoolean()) {
      stream.release(job.getConfiguration());
    }
  }

  @Override
  public Path getOutputPath() {
    return audited.getOutputPath();
  }

  @Override
  public boolean hasOutputPath() {
    return audited.hasOutputPath();
  }

  @Override
  public Path getWorkPath() throws IOException {
    return audited.getWorkPath();
  }

  @Override
  public void setupJob(JobContext job) throws IOException {
    audited.setupJob(job);
  }

  @Override
  public void setupTask(TaskAttemptContext task) throws IOException {
    audited.setupTask(task);
  }

  @Override
  public boolean needsTaskCommit(TaskAttemptContext task) throws IOException {
    return audited.needsTaskCommit(task);
  }

  @Override
  public void commitTask(TaskAttemptContext task) throws IOException {
    audited.commitTask(task);
  }

  @Override
  public void abortTask(TaskAttemptContext task) throws IOException {
    audited.abortTask(task);
  }

  @Override
  public boolean isCommitJobRepeatable(JobContext job) throws IOException {
    return audited.isCommitJobRepeatable(job);
  }

  @Override
  public boolean isRecoverySupported(JobContext job) throws IOException {
    return audited.isRecoverySupported(job);
  }

  @Override
  public void recoverTask(TaskAttemptContext task) throws IOException {
    audited.recoverTask(task);
  }

  @Override
  public String toString() {
    return "AuditingCommitter{" + audited + "}";
  }
}
