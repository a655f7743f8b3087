package io.vdfs.mapreduce.commit;

import io.vdfs.mapreduce.settings.InputKeys;
import java.io.IOException;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.FileOutputCommitter;
import org.apache.hadoop.mapred.JobContext;
import org.apache.hadoop.mapred.OutputCommitter;
import org.apache.hadoop.mapred.TaskAttemptContext;

/**
 * {@link AuditingCommitter} for jobs whose output is committed by the old API. Committers of files
 * need {@link AuditingFileOutputCommitter}, as the old API looks at their class.
 */
public final class AuditingOutputCommitter extends OutputCommitter implements Configurable {
  static final String COMMITTER_CLASS = "mapred.output.committer.class";

  private Configuration conf;
  private OutputCommitter audited;
  private AuditedCommit commit;

  /** For instantiation by MapReduce, which sets the configuration next. */
  public AuditingOutputCommitter() {}

  /** Has the job's committer audit the stream whose id stands in {@code conf}. */
  static void install(Configuration conf) {
    Class<?> configured = conf.getClass(COMMITTER_CLASS, FileOutputCommitter.class);
    if (configured == AuditingOutputCommitter.class
        || configured == AuditingFileOutputCommitter.class) {
      return;
    }
    conf.set(InputKeys.AUDITED_COMMITTER, configured.getName());
    Class<? extends OutputCommitter> auditing =
        FileOutputCommitter.class.isAssignableFrom(configured)
            ? AuditingFileOutputCommitter.class
            : AuditingOutputCommitter.class;
    conf.setClass(COMMITTER_CLASS, auditing, OutputCommitter.class);
  }

  @Override
  public void setConf(Configuration newConf) {
    conf = newConf;
    audited = AuditedCommit.committer(newConf, OutputCommitter.class);
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
    return "AuditingOutputCommitter{" + audited + "}";
  }
}
