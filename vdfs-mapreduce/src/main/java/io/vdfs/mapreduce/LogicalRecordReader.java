package io.vdfs.mapreduce;

import io.vdfs.mapreduce.plan.LogicalSplit;
import io.vdfs.mapreduce.plan.TaskRun;
import java.io.IOException;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;

/**
 * Reads each run that the task draws with the wrapped format's own reader, so that a record belongs
 * to the block in which it begins, exactly as with static splits.
 *
 * <p>Where the step from one run to the next fails (closing a reader, drawing, pinning, opening),
 * the reader stays broken: every further call fails with the first failure as its cause. If a
 * mapper could catch that failure and go on, a run that it never saw would count as processed, or
 * it would get half a line as a record. What the format's reader throws within a run passes through
 * as with a static split: some formats go on behind a bad record when they are called again, and
 * the mapper has seen the exception. Confined to the task's thread.
 */
final class LogicalRecordReader<K, V> extends RecordReader<K, V> {
  private final FileInputFormat<K, V> wrapped;
  private final InputRuns.Opener opener;
  private final UnaryOperator<TaskAttemptContext> settings;

  private LogicalSplit split;
  private TaskAttemptContext context;
  private InputRuns runs;
  private RecordReader<K, V> reader;
  private boolean ended;

  private LogicalRecordReader(
      FileInputFormat<K, V> wrapped,
      InputRuns.Opener opener,
      UnaryOperator<TaskAttemptContext> settings) {
    this.wrapped = wrapped;
    this.opener = opener;
    this.settings = settings;
  }

  static <K, V> LogicalRecordReader<K, V> ofTask(
      FileInputFormat<K, V> wrapped, InputRuns.Opener opener) {
    return new LogicalRecordReader<>(wrapped, opener, context -> context);
  }

  /**
   * A reader outside of any task, as while a job is planned; writes nothing to the job's settings.
   */
  static <K, V> LogicalRecordReader<K, V> outsideOfTasks(FileInputFormat<K, V> wrapped) {
    return new LogicalRecordReader<>(
        wrapped,
        PlannedShare::open,
        context ->
            new TaskAttemptContextImpl(
                new Configuration(context.getConfiguration()), context.getTaskAttemptID()));
  }

  @Override
  public void initialize(InputSplit inputSplit, TaskAttemptContext taskContext) throws IOException {
    split = (LogicalSplit) inputSplit;
    context = settings.apply(taskContext);
    runs =
        opener.open(
            split,
            context.getConfiguration(),
            (counter, amount) -> {
              context.getCounter(counter).increment(amount);
              context.progress();
            });
  }

  @Override
  public boolean nextKeyValue() throws IOException, InterruptedException {
    boolean more = false;
    try {
      more = advance();
      return more;
    } finally {
      if (!more) {
        runs.onNoRecord();
      }
    }
  }

  private boolean advance() throws IOException, InterruptedException {
    while (!ended) {
      if (reader != null && reader.nextKeyValue()) {
        return true;
      }
      nextRun();
    }
    return false;
  }

  private void nextRun() throws IOException, InterruptedException {
    try {
      closeReader();
      Optional<TaskRun> next = runs.next();
      if (next.isPresent()) {
        reader = open(next.get());
      } else {
        ended = true;
      }
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      runs.onBroken(e);
      throw e;
    }
  }

  @Override
  public K getCurrentKey() throws IOException, InterruptedException {
    return reader == null ? null : reader.getCurrentKey();
  }

  @Override
  public V getCurrentValue() throws IOException, InterruptedException {
    return reader == null ? null : reader.getCurrentValue();
  }

  @Override
  public float getProgress() {
    return runs == null ? 0 : runs.progress();
  }

  @Override
  public void close() throws IOException {
    try {
      closeReader();
    } finally {
      if (runs != null) {
        runs.close();
      }
    }
  }

  private RecordReader<K, V> open(TaskRun run) throws IOException, InterruptedException {
    split.showRun(run, context.getConfiguration());
    FileSplit range = new FileSplit(run.path(), run.offset(), run.bytes(), new String[0]);
    RecordReader<K, V> opening = wrapped.createRecordReader(range, context);
    try {
      opening.initialize(range, context);
      return opening;
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      closeAfter(e, opening);
      throw e;
    }
  }

  private static void closeAfter(Throwable failure, RecordReader<?, ?> failed) {
    try {
      failed.close();
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  private void closeReader() throws IOException {
    if (reader != null) {
      RecordReader<K, V> ending = reader;
      reader = null;
      ending.close();
    }
  }
}
