package io.vdfs.it.input;

import io.vdfs.mapreduce.StreamCounter;
import io.vdfs.mapreduce.mapred.LogicalSplit;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.FileSplit;
import org.apache.hadoop.mapred.InputFormat;
import org.apache.hadoop.mapred.InputSplit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RecordReader;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.lib.CombineFileSplit;
import org.apache.hadoop.util.ReflectionUtils;

/** Input of a job of the old API. */
final class OldApiInput extends PlannedInput<InputSplit> {
  private static final int WANTED_SPLITS = 2;

  private final JobConf job;
  private final InputFormat<?, ?> format;
  private final Counters counters = new Counters();

  private OldApiInput(JobConf job, InputFormat<?, ?> format, InputSplit[] splits) {
    super(List.of(splits));
    this.job = job;
    this.format = format;
  }

  static OldApiInput plan(Configuration conf, Class<?> format, String inputs) throws IOException {
    JobConf job = new JobConf(conf);
    FileInputFormat.setInputPaths(job, inputs);
    InputFormat<?, ?> planner = (InputFormat<?, ?>) ReflectionUtils.newInstance(format, job);
    return new OldApiInput(job, planner, planner.getSplits(job, WANTED_SPLITS));
  }

  @Override
  int logicalTasks() {
    return (int) splits().stream().filter(LogicalSplit.class::isInstance).count();
  }

  @Override
  Configuration configuration() {
    return job;
  }

  @Override
  long counter(StreamCounter counter) {
    return counters.findCounter(counter).getValue();
  }

  @Override
  TaskInput attempt(int task) throws IOException {
    JobConf conf = new JobConf(job);
    InputSplit split = splits().get(task);
    InputSplit copy = split instanceof LogicalSplit logical ? copy(logical) : split;
    return open(format, copy, conf);
  }

  private static LogicalSplit copy(LogicalSplit split) throws IOException {
    return ReflectionUtils.copy(new Configuration(false), split, new LogicalSplit());
  }

  private <K, V> TaskInput open(InputFormat<K, V> opened, InputSplit split, JobConf conf)
      throws IOException {
    RecordReader<K, V> reader = opened.getRecordReader(split, conf, new TaskReporter(split));
    K key = reader.createKey();
    V value = reader.createValue();
    return new TaskInput() {
      @Override
      public Optional<String> next() throws IOException {
        if (!reader.next(key, value)) {
          return Optional.empty();
        }
        Path file = file(split);
        if (split instanceof LogicalSplit
            && !file.toString().equals(conf.get("mapreduce.map.input.file"))) {
          throw new IOException("the job's configuration shows another file than " + file);
        }
        return Optional.of(file + "\t" + key + "\t" + value);
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

  private final class TaskReporter implements Reporter {
    private final InputSplit split;

    TaskReporter(InputSplit split) {
      this.split = split;
    }

    @Override
    public Counters.Counter getCounter(Enum<?> name) {
      return counters.findCounter(name);
    }

    @Override
    public Counters.Counter getCounter(String group, String name) {
      return counters.findCounter(group, name);
    }

    @Override
    public void incrCounter(Enum<?> key, long amount) {
      counters.incrCounter(key, amount);
    }

    @Override
    public void incrCounter(String group, String counter, long amount) {
      counters.incrCounter(group, counter, amount);
    }

    @Override
    public InputSplit getInputSplit() {
      return split;
    }

    @Override
    public float getProgress() {
      return 0;
    }

    @Override
    public void setStatus(String status) {}

    @Override
    public void progress() {}
  }
}
