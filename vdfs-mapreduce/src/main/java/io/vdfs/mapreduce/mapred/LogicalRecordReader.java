package io.vdfs.mapreduce.mapred;

import io.vdfs.mapreduce.InputRuns;
import io.vdfs.mapreduce.plan.TaskRun;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.FileSplit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RecordReader;
import org.apache.hadoop.mapred.Reporter;

/**
 * Reads each run that the task draws with the wrapped format's own reader. The first run is drawn
 * at once: a mapper of the old API may ask for its file before it asks for a record.
 *
 * <p>Where the step from one run to the next fails (closing a reader, drawing, pinning, opening),
 * the reader stays broken, and what the format's reader throws within a run passes through, as in
 * {@code io.vdfs.mapreduce.LogicalRecordReader} and for the reasons given there. Confined to the
 * task's thread.
 */
final class LogicalRecordReader<K, V> implements RecordReader<K, V> {
  private final FileInputFormat<K, V> wrapped;
  private final LogicalSplit split;
  private final JobConf job;
  private final Reporter reporter;
  private final InputRuns runs;
  private RecordReader<K, V> reader;
  private boolean ended;

  private LogicalRecordReader(
      FileInputFormat<K, V> wrapped,
      LogicalSplit split,
      JobConf job,
      Reporter reporter,
      InputRuns.Opener opener)
      throws IOException {
    this.wrapped = wrapped;
    this.split = split;
    this.job = job;
    this.reporter = reporter;
    this.runs =
        opener.open(
            split.split(),
            job,
            (counter, amount) -> {
              TaskCounters.add(reporter, counter, amount);
              reporter.progress();
            });
  }

  static <K, V> LogicalRecordReader<K, V> open(
      FileInputFormat<K, V> wrapped,
      LogicalSplit split,
      JobConf job,
      Reporter reporter,
      InputRuns.Opener opener)
      throws IOException {
    LogicalRecordReader<K, V> opened =
        new LogicalRecordReader<>(wrapped, split, job, reporter, opener);
    boolean reading = false;
    try {
      opened.nextRun();
      reading = true;
      return opened;
    } finally {
      if (!reading) {
        opened.runs.onNoRecord();
        opened.close();
      }
    }
  }

  @Override
  public boolean next(K key, V value) throws IOException {
    boolean more = false;
    try {
      more = advance(key, value);
      return more;
    } finally {
      if (!more) {
        runs.onNoRecord();
      }
    }
  }

  private boolean advance(K key, V value) throws IOException {
    while (!ended) {
      if (reader != null && reader.next(key, value)) {
        return true;
      }
      nextRun();
    }
    return false;
  }

  /** Null for a task that found no input left: it has no record to fill. */
  @Override
  public K createKey() {
    return reader == null ? null : reader.createKey();
  }

  /** Null where {@link #createKey} is. */
  @Override
  public V createValue() {
    return reader == null ? null : reader.createValue();
  }

  /** Position in the file that is being read. */
  @Override
  public long getPos() throws IOException {
    return reader == null ? split.getStart() : reader.getPos();
  }

  @Override
  public float getProgress() {
    return runs.progress();
  }

  @Override
  public void close() throws IOException {
    try {
      closeReader();
    } finally {
      runs.close();
    }
  }

  private void nextRun() throws IOException {
    try {
      closeReader();
      Optional<TaskRun> next = runs.next();
      if (next.isPresent()) {
        reader = open(next.get());
      } else {
        ended = true;
      }
    } catch (IOException | RuntimeException | Error e) {
      runs.onBroken(e);
      throw e;
    }
  }

  private RecordReader<K, V> open(TaskRun run) throws IOException {
    split.showRun(run, job);
    FileSplit range = new FileSplit(run.path(), run.offset(), run.bytes(), new String[0]);
    return wrapped.getRecordReader(range, job, reporter);
  }

  private void closeReader() throws IOException {
    if (reader != null) {
      RecordReader<K, V> ending = reader;
      reader = null;
      ending.close();
    }
  }
}
