package io.vdfs.mapreduce.commit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.ledger.BlockTotals;
import io.vdfs.client.ledger.StoppedTask;
import io.vdfs.client.ledger.StreamTask;
import io.vdfs.common.model.StreamId;
import io.vdfs.mapreduce.settings.InputKeys;
import io.vdfs.mapreduce.settings.StoppedInput;
import io.vdfs.mapreduce.settings.UnfinishedInput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.task.JobContextImpl;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditingCommitterTest {
  private static final StoppedTask STOPPED =
      new StoppedTask(new StreamTask(new StreamId(1, 1), 0), 0, BlockTotals.NONE);

  @TempDir private Path directory;

  private final List<String> calls = new ArrayList<>();
  private final AtomicBoolean shuttingDown = new AtomicBoolean();
  private final Configuration conf = new Configuration(false);
  private boolean auditFails;
  private boolean taskHasOutput;
  private AuditingCommitter committer;

  @BeforeEach
  void createCommitter() throws IOException {
    conf.set(InputKeys.STREAM_ID, "00");
    org.apache.hadoop.fs.Path output = new org.apache.hadoop.fs.Path(directory.toUri());
    TaskAttemptContext task = new TaskAttemptContextImpl(conf, new TaskAttemptID());
    committer =
        new AuditingCommitter(
            output,
            task,
            new Committer(output, task),
            new AuditedCommit(new Stream(), shuttingDown::get));
  }

  @Test
  void shouldAuditBeforeTheOutputIsCommitted() throws IOException {
    committer.commitJob(job());
    assertEquals(List.of("audit", "commit"), calls);
  }

  @Test
  void shouldNotCommitWhatFailsTheAudit() {
    auditFails = true;
    assertThrows(IOException.class, () -> committer.commitJob(job()));
    assertEquals(List.of("audit"), calls);
  }

  @Test
  void shouldOnlyCommitWhenNothingWasDrawn() throws IOException {
    conf.unset(InputKeys.STREAM_ID);
    committer.commitJob(job());
    committer.abortJob(job(), JobStatus.State.FAILED);
    assertEquals(List.of("commit", "abort"), calls);
  }

  /** Made by a driver or a mapper; the job it is made from may still draw. */
  @Test
  void shouldLeaveTheStreamOfTheJobAloneThatItsSettingsComeFrom() throws IOException {
    conf.set(InputKeys.STREAM_JOB, "hdfs://nn/staging/job_1");
    conf.set(MRJobConfig.MAPREDUCE_JOB_DIR, "hdfs://nn/staging/job_2");
    committer.setupJob(job());
    committer.setupTask(
        new TaskAttemptContextImpl(conf, new TaskAttemptID("job", 2, TaskType.REDUCE, 0, 0)));
    committer.commitJob(job());
    committer.abortJob(job(), JobStatus.State.FAILED);
    assertEquals(List.of("setup", "setupTask", "commit", "abort"), calls);
  }

  @Test
  void shouldAuditTheStreamOfTheJobItself() throws IOException {
    conf.set(InputKeys.STREAM_JOB, "hdfs://nn/staging/job_1");
    conf.set(MRJobConfig.MAPREDUCE_JOB_DIR, "hdfs://nn/staging/job_1");
    committer.commitJob(job());
    assertEquals(List.of("audit", "commit"), calls);
  }

  @Test
  void shouldGiveUpTheStreamOfAnAbortedJob() throws IOException {
    committer.setupJob(job());
    committer.abortJob(job(), JobStatus.State.KILLED);
    assertEquals(List.of("setup", "begin", "abort", "release"), calls);
  }

  @Test
  void shouldKeepTheStreamWhenTheRestsOfAnEarlierApplicationMasterAreCleanedUp()
      throws IOException {
    committer.abortJob(job(), JobStatus.State.FAILED);
    committer.setupJob(job());
    committer.commitJob(job());
    assertEquals(List.of("abort", "setup", "begin", "audit", "commit"), calls);
  }

  @Test
  void shouldAbortNothingWhenTheApplicationMasterShutsDown() throws IOException {
    committer.setupJob(job());
    shuttingDown.set(true);
    committer.abortJob(job(), JobStatus.State.KILLED);
    assertEquals(
        List.of("setup", "begin"),
        calls,
        "the next ApplicationMaster needs the stream and the output");
  }

  @Test
  void shouldKeepTheStreamOfACommittedJob() throws IOException {
    committer.commitJob(job());
    shuttingDown.set(true);
    committer.abortJob(job(), JobStatus.State.KILLED);
    assertEquals(List.of("audit", "commit"), calls);
  }

  @Test
  void shouldKeepTheStreamForAReduceThatBegins() throws IOException {
    committer.setupTask(task());
    committer.setupTask(
        new TaskAttemptContextImpl(conf, new TaskAttemptID("job", 1, TaskType.REDUCE, 0, 0)));
    assertEquals(List.of("setupTask", "renew", "setupTask"), calls);
  }

  @Test
  void shouldOnlyCommitATaskThatCameToItsEnd() throws IOException {
    TaskAttemptContext task = task();
    taskHasOutput = true;
    assertTrue(committer.needsTaskCommit(task));
    committer.commitTask(task);
    taskHasOutput = false;
    assertFalse(committer.needsTaskCommit(task));
    assertEquals(List.of("commitTask"), calls);
  }

  @Test
  void shouldTellTheLedgerThatAMapperStoppedWhenItsTaskCommits() throws IOException {
    StoppedInput.mark(conf, STOPPED);
    TaskAttemptContext task = task();
    assertTrue(committer.needsTaskCommit(task), "though there is no output");
    assertEquals(List.of(), calls, "the attempt may yet fail");
    committer.commitTask(task);
    assertEquals(List.of("stop"), calls);
    taskHasOutput = true;
    committer.commitTask(task);
    assertEquals(List.of("stop", "stop", "commitTask"), calls);
  }

  /**
   * The other attempt is of a job that a mapper made from its own settings, or that a sampler was
   * run for.
   */
  @Test
  void shouldNotTakeTheStopOfAnotherAttemptForItsOwn() throws IOException {
    conf.set(MRJobConfig.TASK_ATTEMPT_ID, "attempt_job_0001_m_000000_1");
    StoppedInput.mark(conf, STOPPED);
    conf.set(MRJobConfig.TASK_ATTEMPT_ID, "attempt_job_0002_m_000000_1");
    TaskAttemptContext task = task();
    assertFalse(committer.needsTaskCommit(task));
    taskHasOutput = true;
    committer.commitTask(task);
    assertEquals(List.of("commitTask"), calls);
  }

  @Test
  void shouldNotTellTheLedgerOfAnAttemptThatFailed() throws IOException {
    StoppedInput.mark(conf, STOPPED);
    committer.abortTask(task());
    assertEquals(List.of("abortTask"), calls);
  }

  @Test
  void shouldRefuseAnAttemptWhoseMapperHidThatItsReaderFailed() throws IOException {
    conf.set(MRJobConfig.TASK_ATTEMPT_ID, "attempt_job_0001_m_000000_1");
    UnfinishedInput.mark(conf);
    TaskAttemptContext task = task();
    taskHasOutput = true;
    IOException refused = assertThrows(IOException.class, () -> committer.needsTaskCommit(task));
    assertTrue(refused.getMessage().contains("attempt_job_0001_m_000000_1"), refused.getMessage());
    assertThrows(IOException.class, () -> committer.commitTask(task));
    committer.abortTask(task);
    assertEquals(List.of("abortTask"), calls);
  }

  @Test
  void shouldCommitATaskOfAJobThatAMapperMadeFromItsOwnSettings() throws IOException {
    conf.set(MRJobConfig.TASK_ATTEMPT_ID, "attempt_job_0001_m_000000_0");
    UnfinishedInput.mark(conf);
    conf.set(MRJobConfig.TASK_ATTEMPT_ID, "attempt_job_0002_r_000000_0");
    taskHasOutput = true;
    assertTrue(committer.needsTaskCommit(task()));
    committer.commitTask(task());
    assertEquals(List.of("commitTask"), calls);
  }

  private TaskAttemptContext task() {
    return new TaskAttemptContextImpl(conf, new TaskAttemptID("job", 1, TaskType.MAP, 0, 0));
  }

  /** With the settings as they are now. */
  private JobContext job() {
    return new JobContextImpl(conf, new JobID("job", 1));
  }

  private final class Stream implements JobStream {
    @Override
    public void requireJar() {}

    @Override
    public void audit(Configuration job) throws IOException {
      calls.add("audit");
      if (auditFails) {
        throw new IOException("a block is missing");
      }
    }

    @Override
    public void stop(Configuration task) {
      calls.add("stop");
    }

    @Override
    public void begin(Configuration job) {
      calls.add("begin");
    }

    @Override
    public void renew(Configuration job) {
      calls.add("renew");
    }

    @Override
    public void release(Configuration job) {
      calls.add("release");
    }
  }

  private final class Committer extends FileOutputCommitter {
    Committer(org.apache.hadoop.fs.Path output, TaskAttemptContext task) throws IOException {
      super(output, task);
    }

    @Override
    public void setupJob(JobContext context) {
      calls.add("setup");
    }

    @Override
    public void commitJob(JobContext context) {
      calls.add("commit");
    }

    @Override
    public void abortJob(JobContext context, JobStatus.State state) {
      calls.add("abort");
    }

    @Override
    public void setupTask(TaskAttemptContext context) {
      calls.add("setupTask");
    }

    @Override
    public boolean needsTaskCommit(TaskAttemptContext context) {
      return taskHasOutput;
    }

    @Override
    public void commitTask(TaskAttemptContext context) {
      calls.add("commitTask");
    }

    @Override
    public void abortTask(TaskAttemptContext context) {
      calls.add("abortTask");
    }
  }
}
