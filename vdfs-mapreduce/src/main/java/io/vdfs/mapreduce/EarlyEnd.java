package io.vdfs.mapreduce;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;

/**
 * When the tasks of a job end though there is input left, as the job's settings say. Immutable.
 *
 * @param taskBytes after which a task takes no more, if another one remains
 * @param yieldNanos work after which a task may yield to another job
 */
record EarlyEnd(long taskBytes, long yieldNanos) {
  static final EarlyEnd NEVER = new EarlyEnd(Long.MAX_VALUE, Long.MAX_VALUE);

  private static final long DEFAULT_YIELD_AFTER_SECONDS = 30;

  static EarlyEnd of(Configuration conf) {
    long after =
        conf.getTimeDuration(
            InputKeys.YIELD_AFTER,
            DEFAULT_YIELD_AFTER_SECONDS,
            TimeUnit.SECONDS,
            TimeUnit.NANOSECONDS);
    return new EarlyEnd(
        conf.getLongBytes(InputKeys.TASK_BYTES, Long.MAX_VALUE),
        conf.getBoolean(InputKeys.YIELDING, false) ? after : Long.MAX_VALUE);
  }

  boolean inWaves() {
    return taskBytes != Long.MAX_VALUE;
  }

  boolean yields() {
    return yieldNanos != Long.MAX_VALUE;
  }

  /**
   * @param audited whether the job audits at commit
   * @throws IOException if these settings can't be together
   */
  void check(boolean audited) throws IOException {
    if (taskBytes < 1) {
      throw new IOException(
          InputKeys.TASK_BYTES + "=" + taskBytes + " must be positive, or not set for one wave");
    }
    if (yieldNanos < 0) {
      throw new IOException(
          InputKeys.YIELD_AFTER + " must not be negative: nanoseconds=" + yieldNanos);
    }
    if (inWaves() && yields()) {
      throw new IOException(
          InputKeys.YIELDING
              + "=true and "
              + InputKeys.TASK_BYTES
              + "="
              + taskBytes
              + " both end tasks so that others get their containers; set one of them only");
    }
    if (inWaves() && !audited) {
      throw needsAudit(InputKeys.TASK_BYTES + "=" + taskBytes);
    }
    if (yields() && !audited) {
      throw needsAudit(InputKeys.YIELDING + "=true");
    }
  }

  static IOException needsAudit(String setting) {
    return new IOException(
        setting
            + " needs the audit, as tasks then end before the input does; remove "
            + InputKeys.AUDIT
            + "=false");
  }
}
