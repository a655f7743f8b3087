package io.vdfs.mapreduce.settings;

import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;

/**
 * When the tasks of a job end although input is left, by the job's settings. Immutable.
 *
 * @param taskBytes after which a task takes no more, if another one remains
 * @param yieldNanos work after which a task may yield to another job
 */
public record EarlyEnd(long taskBytes, long yieldNanos) {
  static final EarlyEnd NEVER = new EarlyEnd(Long.MAX_VALUE, Long.MAX_VALUE);

  private static final long DEFAULT_YIELD_AFTER_SECONDS = 30;

  public static EarlyEnd of(Configuration conf) {
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

  public boolean yields() {
    return yieldNanos != Long.MAX_VALUE;
  }
}
