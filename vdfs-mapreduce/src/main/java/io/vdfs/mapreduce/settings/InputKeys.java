package io.vdfs.mapreduce.settings;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Job properties of logical splits. */
public final class InputKeys {
  /** Common prefix of all keys. */
  static final String PREFIX = "vdfs.mapreduce.";

  /**
   * Class of the {@code FileInputFormat} that parses the input, of the same API as the job's
   * mapper; {@code TextInputFormat} by default.
   */
  public static final String WRAPPED_FORMAT = "vdfs.mapreduce.wrapped.inputformat";

  /**
   * {@code true}: runs are always whole groups, for formats whose row groups are larger than a
   * block. Default {@code false}.
   */
  public static final String WHOLE_GROUPS = "vdfs.mapreduce.whole.groups";

  /** {@code false} switches off the audit at job commit. Default {@code true}. */
  public static final String AUDIT = "vdfs.mapreduce.audit";

  /**
   * Bytes of input after which a task takes no more, in waves of tasks: the job gets as many splits
   * as it needs then, and a finished task makes room for another one, or another job. A number, or
   * one with a unit such as {@code 2g}. Not set by default: one wave. Needs {@link #AUDIT}.
   */
  public static final String TASK_BYTES = "vdfs.mapreduce.task.bytes";

  /**
   * {@code false}: a task ends when its node has no blocks of the input left, instead of taking
   * those of other nodes, as long as another task remains; serves to measure what stealing gains.
   * Needs {@link #AUDIT}. Default {@code true}.
   */
  public static final String STEALING = "vdfs.mapreduce.stealing";

  /**
   * {@code true}: a task ends its list early, and with it its container, when another job of the
   * cluster has come later and none of its tasks has drawn yet; at most half of the running tasks
   * do. The job then has more splits than run at once: the surplus ones take over, or end at once
   * if no input is left. Useful only in queues that share. Needs {@link #AUDIT}. Default {@code
   * false}.
   */
  public static final String YIELDING = "vdfs.mapreduce.yielding";

  /** How long a task works before it may yield, such as {@code 30s}, the default. */
  public static final String YIELD_AFTER = "vdfs.mapreduce.yield.after";

  /** Set at submission: hexadecimal id of the stream that the job draws from. */
  public static final String STREAM_ID = "vdfs.mapreduce.stream.id";

  /**
   * Set at submission: directory of the job whose input the stream is, empty if it has none. A job
   * made from the settings of another one has another directory.
   */
  public static final String STREAM_JOB = "vdfs.mapreduce.stream.job";

  /** Set at submission: the filesystem whose metadata service holds the stream. */
  public static final String STREAM_FILESYSTEM = "vdfs.mapreduce.stream.filesystem";

  /** Set at submission: how many maps may run at once, if the job did not set that. */
  public static final String RUNNING_MAPS = "vdfs.mapreduce.running.maps";

  /** Set at submission: the committer factory that the audit wraps, where the job named one. */
  public static final String AUDITED_COMMITTER_FACTORY = "vdfs.mapreduce.audited.committer.factory";

  /** Set at submission: the committer of the old API that the audit wraps. */
  public static final String AUDITED_COMMITTER = "vdfs.mapreduce.audited.committer";

  /**
   * Set by the reader of an attempt whose mapper stopped before the end of its input: the id of the
   * attempt, and what it tells the ledger when it commits.
   */
  static final String STOPPED = "vdfs.mapreduce.stopped";

  /**
   * Set by the reader of an attempt until it has come to the end of its input or its mapper has
   * stopped: the id of the attempt, which must not commit.
   */
  static final String UNFINISHED = "vdfs.mapreduce.unfinished";

  /** Keys that a user may set. */
  static final Set<String> TO_BE_SET =
      Set.of(WRAPPED_FORMAT, WHOLE_GROUPS, AUDIT, TASK_BYTES, STEALING, YIELDING, YIELD_AFTER);

  /** All of them. */
  static final Set<String> KEYS =
      Stream.concat(
              TO_BE_SET.stream(),
              Stream.of(
                  STREAM_ID,
                  STREAM_JOB,
                  STREAM_FILESYSTEM,
                  RUNNING_MAPS,
                  AUDITED_COMMITTER_FACTORY,
                  AUDITED_COMMITTER,
                  STOPPED,
                  UNFINISHED))
          .collect(Collectors.toUnmodifiableSet());

  private InputKeys() {}
}
