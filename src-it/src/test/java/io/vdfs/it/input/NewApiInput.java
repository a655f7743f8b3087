package io.vdfs.it.input;

import io.vdfs.mapreduce.StreamCounter;
import io.vdfs.mapreduce.plan.LogicalSplit;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.StatusReporter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.input.CombineFileSplit;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.hadoop.util.ReflectionUtils;

/** Input of a job of the new API. */
final class NewApiInput extends PlannedInput<InputSplit> {
  private final Job job;
  private final InputFormat<?, ?> format;
  private final Counters counters = new Counters();
  private int attempts;

  private NewApiInput(Job job, InputFormat<?, ?> format, List<InputSplit> splits) {
    super(splits);
    this.job = job;
    this.format = format;
  }

  static NewApiInput plan(Configuration conf, Class<?> format, String inputs)
      throws IOException, InterruptedException {
    Job job = Job.getInstance(conf);
    FileInputFormat.setInputPaths(job, inputs);
    InputFormat<?, ?> planner =
        (InputFormat<?, ?>) ReflectionUtils.newInstance(format, job.getConfiguration());
    return new NewApiInput(job, planner, planner.getSplits(job));
  }

  @Override
  int logicalTasks() {
    return (int) splits().stream().filter(LogicalSplit.class::isInstance).count();
  }

  @Override
  Configuration configuration() {
    return job.getConfiguration();
  }

  @Override
  long counter(StreamCounter counter) {
    return counters.findCounter(counter).getValue();
  }

  @Override
  TaskInput attempt(int task) throws IOException, InterruptedException {
    TaskAttemptID id = new TaskAttemptID("input", 1, TaskType.MAP, task, attempts++);
    TaskAttemptContext context =
        new TaskAttemptContextImpl(new Configuration(configuration()), id, new Reporter());
    // a split is serialised on its way to each attempt
    InputSplit split = splits().get(task);
    InputSplit copy = split instanceof LogicalSplit logical ? copy(logical) : split;
    return open(format, copy, context);
  }

  private static LogicalSplit copy(LogicalSplit split) throws IOException {
    return ReflectionUtils.copy(new Configuration(false), split, new LogicalSplit());
  }

  private static <K, V> TaskInput open(
      InputFormat<K, V> format, InputSplit split, TaskAttemptContext context)
      throws IOException, InterruptedException {
    RecordReader<K, V> reader = format.createRecordReader(split, context);
    reader.initialize(split, context);
    return new TaskInput() {
      @Override
      public Optional<String> next() throws IOException, InterruptedException {
        if (!reader.nextKeyValue()) {
          return Optional.empty();
        }
        Path file = file(split);
        if (split instanceof LogicalSplit
            && !file.toString()
                .equals(context.getConfiguration().get("mapreduce.map.input.file"))) {
          throw new IOException("the job's configuration shows another file than " + file);
        }
        return Optional.of(file + "\t" + reader.getCurrentKey() + "\t" + reader.getCurrentValue());
      }

      @Override
      public void close() throws IOException {
        reader.close();
      }
    };
  }

  private static Path file(InputSplit split) {
    return split instanceof CombineFileSplit combined
        ? combined.getPath(0)
        : ((FileSplit) split).getPath();
  }

  private final class Reporter extends StatusReporter {
    @Override
    public Counter getCounter(Enum<?> name) {
      return counters.findCounter(name);
    }

    @Override
    public Counter getCounter(String group, String name) {
      return counters.findCounter(group, name);
    }

    @Override
    public void progress() {}

    @Override
    public float getProgress() {
      return 0;
    }

    @Override
    public void setStatus(String status) {}
  }
}
