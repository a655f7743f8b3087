package io.vdfs.mapreduce.commit;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;

/** What a job's committer tells the ledger about the job's stream. */
interface JobStream {
  /**
   * @throws IOException if this node lacks the jar of VDFS, so that the ledger cannot be called
   */
  void requireJar() throws IOException;

  /**
   * @throws IOException if the tasks did not process every block once, except for what stopped
   *     mappers left, or the ledger cannot be asked
   */
  void audit(Configuration job) throws IOException;

  /**
   * The mapper of the attempt that commits a task stopped before the end of its input.
   *
   * @throws IOException if what it processed is not the beginning of the task's input
   */
  void stop(Configuration task) throws IOException;

  /**
   * The job's master runs and is about to ask for containers for its tasks. Tasks of other jobs may
   * yield to them from now on.
   */
  void begin(Configuration job) throws IOException;

  /** Keeps the stream for as long as a draw at this moment would. */
  void renew(Configuration job) throws IOException;

  /** Releases the stream: tasks that ask for it again fail. */
  void release(Configuration job) throws IOException;
}
