package io.vdfs.mapreduce.commit;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;

/** Has the output of a job committed only after the job's stream was audited. Stateless. */
public final class JobAudit {
  private JobAudit() {}

  /**
   * Puts auditing committers before those of the job, for both APIs, and ships them with it.
   *
   * @param conf of a job that is being submitted, with the id of its stream, and whose directory
   *     and other files are in their places already; written to
   * @throws IOException if the committers cannot be placed beside the job's directory
   */
  public static void install(Configuration conf) throws IOException {
    AuditingCommitterFactory.install(conf);
    AuditingOutputCommitter.install(conf);
    ShippedCommitters.ship(conf);
  }
}
