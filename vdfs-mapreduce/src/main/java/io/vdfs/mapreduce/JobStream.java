package io.vdfs.mapreduce;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;

/** What becomes of a job's stream when the job ends. */
interface JobStream {
  /**
   * @throws IOException if the tasks did not process every block once, or the ledger cannot be
   *     asked
   */
  void audit(Configuration job) throws IOException;

  /** Gives the stream up for good: tasks that ask for it again fail. */
  void release(Configuration job) throws IOException;
}
