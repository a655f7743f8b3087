package io.vdfs.mapreduce;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;

/**
 * Reads each run that the task draws with the wrapped format's own reader, so that a record belongs
 * to the block in which it begins, exactly as with static splits. Confined to the task's thread.
 */
final class LogicalRecordReader<K, V> extends RecordReader<K, V> {
  private final FileInputFormat<K, V> wrapped;

  private LogicalSplit split;
  private TaskAttemptContext context;
  private TaskRuns runs;
  private RecordReader<K, V> reader;
  private boolean ended;

  LogicalRecordReader(FileInputFormat<K, V> wrapped) {
    this.wrapped = wrapped;
  }

  @Override
  public void initialize(InputSplit inputSplit, TaskAttemptContext taskContext) throws IOException {
    split = (LogicalSplit) inputSplit;
    context = taskContext;
    runs =
        TaskRuns.open(
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
      closeReader();
      Optional<TaskRun> next = runs.next();
      if (next.isPresent()) {
        openReader(next.get());
      } else {
        ended = true;
      }
    }
    return false;
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

  private void openReader(TaskRun run) throws IOException, InterruptedException {
    split.showRun(run, context.getConfiguration());
    FileSplit range = new FileSplit(run.path(), run.offset(), run.bytes(), new String[0]);
    reader = wrapped.createRecordReader(range, context);
    reader.initialize(range, context);
  }

  private void closeReader() throws IOException {
    if (reader != null) {
      RecordReader<K, V> ending = reader;
      reader = null;
      ending.close();
    }
  }
}
