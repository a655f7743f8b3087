package io.vdfs.mapreduce.commit;

import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;

/** Audits a job before its output is committed; all else is the wrapped committer's. */
final class AuditingCommitter extends PathOutputCommitter {
  private final PathOutputCommitter audited;
  private final AuditedCommit commit;

  AuditingCommitter(
      Path outputPath,
      TaskAttemptContext context,
      PathOutputCommitter audited,
      AuditedCommit commit)
      throws IOException {
    super(outputPath, context);
    this.audited = audited;
    this.commit = commit;
  }

  @Override
  public void commitJob(JobContext job) throws IOException {
    commit.commit(job.getConfiguration(), () -> audited.commitJob(job));
  }

  @Override
  public void abortJob(JobContext job, JobStatus.State state) throws IOException {
    commit.abort(job.getConfiguration(), () -> audited.abortJob(job, state));
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
    commit.setup(job.getConfiguration(), () -> audited.setupJob(job));
  }

  @Override
  public void setupTask(TaskAttemptContext task) throws IOException {
    commit.setupTask(task, () -> audited.setupTask(task));
  }

  @Override
  public boolean needsTaskCommit(TaskAttemptContext task) throws IOException {
    return commit.needsTaskCommit(task.getConfiguration(), () -> audited.needsTaskCommit(task));
  }

  @Override
  public void commitTask(TaskAttemptContext task) throws IOException {
    commit.commitTask(
        task.getConfiguration(),
        () -> audited.needsTaskCommit(task),
        () -> audited.commitTask(task));
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
