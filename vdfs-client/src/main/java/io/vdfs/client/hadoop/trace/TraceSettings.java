package io.vdfs.client.hadoop.trace;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * What a configuration says about tracing. Immutable.
 *
 * @param sink directory of the trace files
 * @param fetches whether requests below the read-ahead buffer are recorded too
 * @param queueRecords records that may wait for the writer; a power of two
 * @param flush how long records may wait before they are written
 */
public record TraceSettings(Path sink, boolean fetches, int queueRecords, Duration flush) {
  static final String SINK = "fs.trace.sink";
  static final String LEVEL = "fs.trace.level";
  static final String QUEUE = "fs.trace.queue.records";
  static final String FLUSH = "fs.trace.flush.time";

  /** All keys that are read here. */
  public static final Set<String> KEYS = Set.of(SINK, LEVEL, QUEUE, FLUSH);

  private static final int USUAL_QUEUE = 1 << 16;
  private static final int LEAST_QUEUE = 16;
  private static final int MOST_QUEUE = 1 << 22;
  private static final long USUAL_FLUSH_MILLIS = 1_000;

  /**
   * @throws VdfsException MISCONFIGURED naming the setting that is missing or malformed
   */
  static TraceSettings of(Configuration conf) throws VdfsException {
    String sink = conf.getTrimmed(SINK, "");
    if (sink.isEmpty()) {
      throw malformed(
          conf, SINK, "give a directory for the trace files, such as file:///var/tmp/trace", null);
    }
    try {
      return new TraceSettings(new Path(sink), fetches(conf), queue(conf), flush(conf));
    } catch (IllegalArgumentException e) {
      throw malformed(conf, SINK, "give a path", e);
    }
  }

  private static boolean fetches(Configuration conf) throws VdfsException {
    return switch (conf.getTrimmed(LEVEL, "calls").toLowerCase(Locale.ROOT)) {
      case "calls" -> false;
      case "fetches" -> true;
      default -> throw malformed(conf, LEVEL, "give calls or fetches", null);
    };
  }

  private static int queue(Configuration conf) throws VdfsException {
    int records;
    try {
      records = conf.getInt(QUEUE, USUAL_QUEUE);
    } catch (NumberFormatException e) {
      throw malformed(conf, QUEUE, "give a number", e);
    }
    if (records < LEAST_QUEUE || records > MOST_QUEUE) {
      throw malformed(
          conf, QUEUE, "give a number between " + LEAST_QUEUE + " and " + MOST_QUEUE, null);
    }
    return Integer.highestOneBit(records);
  }

  private static Duration flush(Configuration conf) throws VdfsException {
    long millis;
    try {
      millis = conf.getTimeDuration(FLUSH, USUAL_FLUSH_MILLIS, TimeUnit.MILLISECONDS);
    } catch (NumberFormatException e) {
      throw malformed(conf, FLUSH, "give a time such as 500ms or 1s", e);
    }
    if (millis < 1) {
      throw malformed(conf, FLUSH, "give a time of 1ms at least", null);
    }
    return Duration.ofMillis(millis);
  }

  private static VdfsException malformed(
      Configuration conf, String key, String cure, IllegalArgumentException cause) {
    return new VdfsException(
        ErrorCode.MISCONFIGURED,
        "missing or malformed setting: " + key + "=" + conf.get(key, "") + "; " + cure,
        cause);
  }
}
