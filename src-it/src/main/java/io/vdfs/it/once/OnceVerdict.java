package io.vdfs.it.once;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;

/**
 * What the output of an {@link OnceJob} shows. Immutable.
 *
 * @param records distinct records found
 * @param missing records of the input that are not in the output
 * @param doubled occurrences beyond the first
 * @param unknown occurrences of numbers that are not in the input
 * @param mixedTasks tasks of which more than one attempt is in the output
 */
public record OnceVerdict(long records, long missing, long doubled, long unknown, long mixedTasks) {
  /** Whether every record was processed exactly once, and each task by one attempt. */
  public boolean isExact() {
    return missing == 0 && doubled == 0 && unknown == 0 && mixedTasks == 0;
  }

  /**
   * Reads the output of a job.
   *
   * @param expected records of the input
   */
  public static OnceVerdict of(FileSystem fileSystem, Path output, long expected)
      throws IOException {
    Reading reading = new Reading(expected);
    for (FileStatus file : fileSystem.globStatus(new Path(output, "part-*"))) {
      try (BufferedReader lines =
          new BufferedReader(new InputStreamReader(fileSystem.open(file.getPath()), UTF_8))) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          reading.line(line);
        }
      }
    }
    return reading.verdict();
  }

  private static final class Reading {
    private final long expected;
    private final BitSet seen = new BitSet();
    private final Map<TaskID, TaskAttemptID> attempts = new HashMap<>();
    private final Map<TaskID, Boolean> mixed = new HashMap<>();
    private long doubled;
    private long unknown;

    Reading(long expected) {
      this.expected = expected;
    }

    void line(String line) {
      int tab = line.indexOf('\t');
      String value = line.substring(tab + 1);
      if (value.startsWith("attempt_")) {
        record(line.substring(0, tab), 1);
        attempt(TaskAttemptID.forName(value));
      } else {
        record(line.substring(0, tab), Long.parseLong(value));
      }
    }

    private void record(String key, long times) {
      long number = Long.parseLong(key);
      if (number < 0 || number >= expected) {
        unknown += times;
        return;
      }
      int bit = Math.toIntExact(number);
      doubled += seen.get(bit) ? times : times - 1;
      seen.set(bit);
    }

    private void attempt(TaskAttemptID attempt) {
      TaskAttemptID first = attempts.putIfAbsent(attempt.getTaskID(), attempt);
      if (first != null && !first.equals(attempt)) {
        mixed.put(attempt.getTaskID(), true);
      }
    }

    OnceVerdict verdict() {
      long records = seen.cardinality();
      return new OnceVerdict(records, expected - records, doubled, unknown, mixed.size());
    }
  }
}
