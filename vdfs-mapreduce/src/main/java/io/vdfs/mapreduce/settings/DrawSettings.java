package io.vdfs.mapreduce.settings;

import io.vdfs.common.config.NearestName;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a job draws its input by its settings: read once, when the job is planned, and checked
 * together here. Immutable.
 *
 * @param audited whether the job commits only if its tasks have read all of the input
 * @param wholeGroups whether runs are always whole groups
 * @param stealing whether a task takes blocks of other nodes than its own
 * @param early when tasks end although input is left
 */
public record DrawSettings(boolean audited, boolean wholeGroups, boolean stealing, EarlyEnd early) {
  private static final Logger LOG = LoggerFactory.getLogger(DrawSettings.class);

  /**
   * Warns of keys below {@link InputKeys#PREFIX} that are never read.
   *
   * @throws IOException if a setting is malformed, or some can't be together; the message names
   *     keys, values and the cure
   */
  public static DrawSettings of(Configuration conf) throws IOException {
    unknownKeys(conf).forEach(LOG::warn);
    DrawSettings settings =
        new DrawSettings(
            conf.getBoolean(InputKeys.AUDIT, true),
            conf.getBoolean(InputKeys.WHOLE_GROUPS, false),
            conf.getBoolean(InputKeys.STEALING, true),
            early(conf));
    settings.check();
    return settings;
  }

  private static EarlyEnd early(Configuration conf) throws IOException {
    try {
      return EarlyEnd.of(conf);
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "%s=%s must be a number of bytes such as 1g, and %s=%s a time such as 30s"
              .formatted(
                  InputKeys.TASK_BYTES,
                  conf.get(InputKeys.TASK_BYTES, "(not set)"),
                  InputKeys.YIELD_AFTER,
                  conf.get(InputKeys.YIELD_AFTER, "(not set)")),
          e);
    }
  }

  /** One line for each. */
  static List<String> unknownKeys(Configuration conf) {
    return conf.getPropsWithPrefix(InputKeys.PREFIX).keySet().stream()
        .map(rest -> InputKeys.PREFIX + rest)
        .filter(key -> !InputKeys.KEYS.contains(key))
        .sorted()
        .map(
            key ->
                "unknown key in the job's settings, it changes nothing: %s; did you mean %s?"
                    .formatted(key, NearestName.of(key, InputKeys.TO_BE_SET)))
        .toList();
  }

  private void check() throws IOException {
    if (early.taskBytes() < 1) {
      throw new IOException(
          "%s=%s must be positive, or not set for one wave"
              .formatted(InputKeys.TASK_BYTES, early.taskBytes()));
    }
    if (early.yieldNanos() < 0) {
      throw new IOException(
          InputKeys.YIELD_AFTER + " must not be negative: nanoseconds=" + early.yieldNanos());
    }
    if (early.inWaves() && early.yields()) {
      throw new IOException(
          ("%s=true and %s=%s both end tasks so that others get their containers; set one of"
                  + " them only")
              .formatted(InputKeys.YIELDING, InputKeys.TASK_BYTES, early.taskBytes()));
    }
    if (early.yields() && !stealing) {
      throw new IOException(
          ("%s=true needs %s=true: what a task leaves when it yields is taken by tasks of any node;"
                  + " set one of them only")
              .formatted(InputKeys.YIELDING, InputKeys.STEALING));
    }
    needsAudit(early.inWaves(), InputKeys.TASK_BYTES + "=" + early.taskBytes());
    needsAudit(early.yields(), InputKeys.YIELDING + "=true");
    needsAudit(!stealing, InputKeys.STEALING + "=false");
  }

  private void needsAudit(boolean set, String setting) throws IOException {
    if (set && !audited) {
      throw new IOException(
          "%s needs the audit, as tasks then end before the input does; remove %s=false"
              .formatted(setting, InputKeys.AUDIT));
    }
  }
}
