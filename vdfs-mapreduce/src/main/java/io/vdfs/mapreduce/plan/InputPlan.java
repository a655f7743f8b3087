package io.vdfs.mapreduce.plan;

import io.vdfs.mapreduce.files.ReachedFiles;
import io.vdfs.mapreduce.files.StreamFileSystems;
import io.vdfs.mapreduce.settings.InputKeys;
import io.vdfs.mapreduce.settings.StoppedInput;
import io.vdfs.mapreduce.settings.UnfinishedInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.input.MultipleInputs;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a job's input files are read: splittable ones on {@code vdfs://}, under whatever name, are
 * drawn at run time; the others get static splits, as do files that a filter before VDFS makes
 * shorter or longer. Empty files that could be split hold no record and get no task. A job that may
 * lose maps, or whose input is planned on a copy of its settings, draws nothing. Immutable.
 *
 * @param logical empty if there is nothing to draw; then nothing is planned at all, and the
 *     format's own splits serve
 * @param fixed splits of the other files
 */
public record InputPlan(List<LogicalSplit> logical, List<FileSplit> fixed) {
  private static final Logger LOG = LoggerFactory.getLogger(InputPlan.class);

  /** Whether the format that parses the records can begin anywhere in a file. */
  @FunctionalInterface
  public interface Splittable {
    boolean test(FileStatus file) throws IOException;
  }

  public InputPlan {
    logical = List.copyOf(logical);
    fixed = List.copyOf(fixed);
  }

  /**
   * Removes from a job's settings what another job left there, if they were used before, so that
   * neither its stream nor the end of one of its attempts counts as this job's.
   */
  public static void forgetEarlier(Configuration conf) {
    conf.unset(InputKeys.STREAM_ID);
    StoppedInput.unmark(conf);
    UnfinishedInput.unmark(conf);
    RunningMaps.forget(conf);
  }

  /**
   * Creates the stream of the job in the ledger if there is something to draw. Writes the stream's
   * id into the job's configuration and, unless {@link InputKeys#AUDIT} is off, has the output
   * committer audit the stream.
   *
   * @param conf of the job; written to
   * @throws IOException if a directory is among the files, or the ledger cannot be reached; a
   *     stream created half-way is never drawn from and expires
   */
  public static InputPlan make(Configuration conf, List<FileStatus> listed, Splittable format)
      throws IOException {
    Optional<String> objection = objection(conf);
    if (objection.isPresent()) {
      LOG.info("static splits: {}", objection.get());
      return new InputPlan(List.of(), List.of());
    }
    List<FileStatus> files = filesOf(conf, listed);
    List<FileStatus> streamed = new ArrayList<>();
    List<FileStatus> others = new ArrayList<>();
    int empty = 0;
    for (FileStatus file : files) {
      if (!isStreamable(conf, file, format)) {
        others.add(file);
      } else if (file.getLen() == 0) {
        empty++;
      } else {
        streamed.add(file);
      }
    }
    if (streamed.isEmpty()) {
      LOG.info("static splits: none of {} input files can be drawn from the ledger", files.size());
      return new InputPlan(List.of(), List.of());
    }
    List<FileSplit> fixed = new ArrayList<>();
    for (FileStatus file : others) {
      fixed.addAll(StaticSplits.of(conf, file, format.test(file)));
    }
    List<LogicalSplit> logical = StreamCreator.create(conf, streamed, fixed.size());
    conf.setLong(FileInputFormat.NUM_INPUT_FILES, files.size());
    LOG.info(
        "{} logical splits for {} files, {} static splits for {} files, {} empty files",
        logical.size(),
        streamed.size(),
        fixed.size(),
        others.size(),
        empty);
    return new InputPlan(logical, fixed);
  }

  /** Why nothing of the job's input can be drawn at run time, whatever the files. */
  private static Optional<String> objection(Configuration conf) {
    if (conf.getInt(MRJobConfig.MAP_FAILURES_MAX_PERCENT, 0) > 0) {
      return Optional.of(
          MRJobConfig.MAP_FAILURES_MAX_PERCENT
              + " lets maps be lost, and nobody knows before how much input such a map takes"
              + " along");
    }
    if (conf.get(MultipleInputs.DIR_FORMATS) != null) {
      return Optional.of(
          "MultipleInputs plans on copies of the job's settings, so no committer would audit");
    }
    return Optional.empty();
  }

  private static List<FileStatus> filesOf(Configuration conf, List<FileStatus> listed)
      throws IOException {
    boolean ignoreDirectories =
        !conf.getBoolean(FileInputFormat.INPUT_DIR_RECURSIVE, false)
            && conf.getBoolean(FileInputFormat.INPUT_DIR_NONRECURSIVE_IGNORE_SUBDIRS, false);
    List<FileStatus> files = new ArrayList<>();
    for (FileStatus entry : listed) {
      if (!entry.isDirectory()) {
        files.add(entry);
      } else if (!ignoreDirectories) {
        throw new IOException(
            ("a directory is no input file: path=%s; set %s=true to read the files in it, or"
                    + " %s=true to leave it out")
                .formatted(
                    entry.getPath(),
                    FileInputFormat.INPUT_DIR_RECURSIVE,
                    FileInputFormat.INPUT_DIR_NONRECURSIVE_IGNORE_SUBDIRS));
      }
    }
    return files;
  }

  private static boolean isStreamable(Configuration conf, FileStatus file, Splittable format)
      throws IOException {
    Optional<ReachedFiles> reached = StreamFileSystems.find(file.getPath(), conf);
    return reached.isPresent() && format.test(file) && reached.get().hasLengthOf(file);
  }
}
