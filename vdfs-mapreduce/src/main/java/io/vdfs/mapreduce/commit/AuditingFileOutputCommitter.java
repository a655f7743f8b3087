package io.vdfs.mapreduce.commit;

import java.io.IOException;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.FileOutputCommitter;
import org.apache.hadoop.mapred.JobContext;
import org.apache.hadoop.mapred.TaskAttemptContext;

/**
 * {@link AuditingOutputCommitter} for committers of files. The old API gives an attempt a directory
 * of its own only if its committer is a {@link FileOutputCommitter}, so this one must be one.
 */
public final class AuditingFileOutputCommitter extends FileOutputCommitter implements Configurable {
  private Configuration conf;
  private FileOutputCommitter audited;
  private AuditedCommit commit;

  /** For instantiation by MapReduce, which sets the configuration next. */
  public AuditingFileOutputCommitter() {}

  @Override
  public void setConf(Configuration newConf) {
    conf = newConf;
    audited = AuditedCommit.committer(newConf, FileOutputCommitter.class);
    commit = AuditedCommit.ofThisProcess();
  }

  @Override
  public Configuration getConf() {
    return conf;
  }

  @Override
  public void commitJob(JobContext job) throws IOException {
    commit.commit(job.getConfiguration(), () -> audited.commitJob(job));
  }

  @Override
  public void abortJob(JobContext job, int status) throws IOException {
    commit.abort(job.getConfiguration(), () -> audited.abortJob(job, status));
  }

  @Override
  public Path getTaskAttemptPath(TaskAttemptContext task) throws IOException {
    // called before the task is set up, and looks for the filesystem of the output
    commit.requireJar();
    return audited.getTaskAttemptPath(task);
  }

  @Override
  public Path getWorkPath(TaskAttemptContext task, Path outputPath) throws IOException {
    return audited.getWorkPath(task, outputPath);
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
    return "AuditingFileOutputCommitter{" + audited + "}";
  }
}
