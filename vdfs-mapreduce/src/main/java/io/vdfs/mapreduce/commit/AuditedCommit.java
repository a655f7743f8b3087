package io.vdfs.mapreduce.commit;

import io.vdfs.mapreduce.settings.InputKeys;
import io.vdfs.mapreduce.settings.StoppedInput;
import io.vdfs.mapreduce.settings.UnfinishedInput;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.FileOutputCommitter;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.util.ReflectionUtils;
import org.apache.hadoop.util.ShutdownHookManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all auditing committers do: a job is committed only after the ledger confirmed that its
 * tasks processed every block once; a job that fails the audit fails, and its output is not
 * committed. A mapper may stop before the end of its input: the ledger learns of that when the
 * attempt commits, so never for a failed attempt, and the audit then accepts the blocks that it
 * left.
 *
 * <p>The ledger knows tasks, not attempts: it may have learned from another attempt than the one
 * that commits that a task's list was read to its end. So an attempt is refused here if its reader
 * came neither to the end of its input nor to a stop by choice, but failed, and the mapper hid
 * that.
 *
 * <p>A committed job keeps its stream, so that a commit repeated after a restart of the
 * ApplicationMaster can be audited again; it expires. An aborted job releases it. MRAppMaster also
 * calls the abort where the job goes on:
 *
 * <ul>
 *   <li>While it is shutting down, the hook that runs then aborts every job (since Hadoop 3.4), the
 *       committed one as well as one that the next ApplicationMaster continues. The next one takes
 *       over the finished tasks, and a task that is taken over without its output is lost. So
 *       nothing is aborted.
 *   <li>Before it begins, an ApplicationMaster that follows another and cannot recover cleans up
 *       what that one left. All tasks run again, and get their lists. So the output is aborted and
 *       the stream is kept.
 * </ul>
 *
 * <p>Thread-safe.
 */
final class AuditedCommit {
  private static final Logger LOG = LoggerFactory.getLogger(AuditedCommit.class);

  private final JobStream stream;
  private final BooleanSupplier shuttingDown;
  private volatile boolean begun;

  /** A step of the committer that does the work. */
  @FunctionalInterface
  interface Step {
    void run() throws IOException;
  }

  /** A question to the committer that does the work. */
  @FunctionalInterface
  interface Question {
    boolean ask() throws IOException;
  }

  /**
   * @param shuttingDown whether this process is ending
   */
  AuditedCommit(JobStream stream, BooleanSupplier shuttingDown) {
    this.stream = stream;
    this.shuttingDown = shuttingDown;
  }

  static AuditedCommit ofThisProcess() {
    return new AuditedCommit(streamOfThisNode(), ShutdownHookManager.get()::isShutdownInProgress);
  }

  private static JobStream streamOfThisNode() {
    try {
      return new LedgerStream();
    } catch (NoClassDefFoundError e) {
      LOG.error("only the classes that travel with a job are here: missing={}", e.getMessage());
      return new MissingJar();
    }
  }

  /** Whether the rest of VDFS is on this node: see {@link ShippedCommitters}. */
  boolean hasJar() {
    return !(stream instanceof MissingJar);
  }

  /**
   * @throws IOException if this node lacks the jar of VDFS, with the cure
   */
  void requireJar() throws IOException {
    stream.requireJar();
  }

  /** The committer of the old API that {@code conf} names as the one to be audited. */
  static <T> T committer(Configuration conf, Class<T> type) {
    Class<? extends T> audited =
        conf.getClass(InputKeys.AUDITED_COMMITTER, FileOutputCommitter.class, Object.class)
            .asSubclass(type);
    return ReflectionUtils.newInstance(audited, conf);
  }

  /** MRAppMaster asks for containers for its maps right after this. */
  void setup(Configuration job, Step setupJob) throws IOException {
    requireJar();
    begun = true;
    setupJob.run();
    if (hasStream(job)) {
      stream.begin(job);
    }
  }

  /** Maps keep the stream alive by drawing from it; each reduce renews it when it begins. */
  void setupTask(TaskAttemptContext task, Step setupTask) throws IOException {
    requireJar();
    if (task.getTaskAttemptID().getTaskType() == TaskType.REDUCE
        && hasStream(task.getConfiguration())) {
      stream.renew(task.getConfiguration());
    }
    setupTask.run();
  }

  boolean needsTaskCommit(Configuration task, Question needsTaskCommit) throws IOException {
    requireFinished(task);
    return hasStopped(task) || needsTaskCommit.ask();
  }

  void commitTask(Configuration task, Question needsTaskCommit, Step commitTask)
      throws IOException {
    requireFinished(task);
    if (!hasStopped(task)) {
      commitTask.run();
      return;
    }
    stream.stop(task);
    if (needsTaskCommit.ask()) {
      commitTask.run();
    }
  }

  void commit(Configuration job, Step commitJob) throws IOException {
    if (hasStream(job)) {
      stream.audit(job);
    }
    commitJob.run();
  }

  void abort(Configuration job, Step abortJob) throws IOException {
    if (shuttingDown.getAsBoolean()) {
      LOG.info("job not aborted, as this process is shutting down: its next one may go on with it");
      return;
    }
    abortJob.run();
    if (begun && hasStream(job)) {
      stream.release(job);
    }
  }

  private static void requireFinished(Configuration task) throws IOException {
    if (UnfinishedInput.isMarked(task)) {
      throw new IOException(
          ("an attempt that has not read its input cannot commit: its reader failed, and its"
                  + " mapper hid that: attempt=%s")
              .formatted(task.get(MRJobConfig.TASK_ATTEMPT_ID)));
    }
  }

  private static boolean hasStopped(Configuration task) {
    return StoppedInput.isMarked(task);
  }

  /** False for a job that was made from the settings of a job that has a stream. */
  private static boolean hasStream(Configuration job) {
    return job.get(InputKeys.STREAM_ID) != null
        && job.get(InputKeys.STREAM_JOB, "").equals(job.get(MRJobConfig.MAPREDUCE_JOB_DIR, ""));
  }
}
