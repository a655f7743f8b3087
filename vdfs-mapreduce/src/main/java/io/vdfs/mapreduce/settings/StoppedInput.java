package io.vdfs.mapreduce.settings;

import com.google.common.io.BaseEncoding;
import io.vdfs.client.ledger.StoppedTask;
import io.vdfs.client.ledger.StoppedTaskCodec;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * The mark of an attempt whose mapper stopped before the end of its input, with what the attempt
 * tells the ledger when it commits. It stands in the attempt's configuration, which its reader and
 * its committer share, and names the attempt, as {@link UnfinishedInput} does. Stateless.
 */
public final class StoppedInput {
  private static final char SEPARATOR = ' ';
  private static final BaseEncoding HEXADECIMAL = BaseEncoding.base16().lowerCase();

  private StoppedInput() {}

  public static void mark(Configuration attempt, StoppedTask stop) {
    attempt.set(
        InputKeys.STOPPED, prefix(attempt) + HEXADECIMAL.encode(StoppedTaskCodec.encode(stop)));
  }

  public static void unmark(Configuration attempt) {
    attempt.unset(InputKeys.STOPPED);
  }

  public static boolean isMarked(Configuration attempt) {
    return attempt.get(InputKeys.STOPPED, "").startsWith(prefix(attempt));
  }

  /** Of an attempt that is marked. */
  public static StoppedTask of(Configuration attempt) throws IOException {
    String value = attempt.get(InputKeys.STOPPED);
    return StoppedTaskCodec.decode(HEXADECIMAL.decode(value.substring(prefix(attempt).length())));
  }

  private static String prefix(Configuration attempt) {
    return attempt.get(MRJobConfig.TASK_ATTEMPT_ID, "") + SEPARATOR;
  }
}
