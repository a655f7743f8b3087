package io.vdfs.mapreduce.settings;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * The mark of an attempt whose input has neither come to its end nor been left by choice. It stands
 * in the attempt's configuration, which its reader and its committer share. It names the attempt,
 * as a mapper may make the settings of another job from its own. Stateless.
 */
public final class UnfinishedInput {
  private UnfinishedInput() {}

  public static void mark(Configuration attempt) {
    attempt.set(InputKeys.UNFINISHED, id(attempt));
  }

  public static void unmark(Configuration attempt) {
    attempt.unset(InputKeys.UNFINISHED);
  }

  public static boolean isMarked(Configuration attempt) {
    return id(attempt).equals(attempt.get(InputKeys.UNFINISHED));
  }

  private static String id(Configuration attempt) {
    return attempt.get(MRJobConfig.TASK_ATTEMPT_ID, "");
  }
}
