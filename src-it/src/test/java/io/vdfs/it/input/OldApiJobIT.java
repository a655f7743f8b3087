package io.vdfs.it.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.ledger.StreamStatus;
import io.vdfs.client.ledger.TaskDraws;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.mapreduce.StreamCounter;
import io.vdfs.mapreduce.mapred.VdfsInputFormat;
import io.vdfs.mapreduce.settings.InputKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.FileSplit;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobContext;
import org.apache.hadoop.mapred.JobContextImpl;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.MapRunnable;
import org.apache.hadoop.mapred.Mapper;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.OutputCommitter;
import org.apache.hadoop.mapred.RecordReader;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.RunningJob;
import org.apache.hadoop.mapred.lib.InputSampler;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.streaming.StreamJob;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole jobs of the old API and of Hadoop Streaming, in this JVM: input, files shown, commit. */
@Timeout(120)
class OldApiJobIT {
  private static final String INPUT = "/old";

  private static LocalJobs jobs;

  @BeforeAll
  @Timeout(120)
  static void makeInput() throws Exception {
    jobs = LocalJobs.open("old-api");
    jobs.writeInput(INPUT);
  }

  @AfterAll
  static void close() throws IOException {
    if (jobs != null) {
      jobs.close();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void shouldShowMappersTheFileTheyReadAndCommitOutput(int algorithm) throws Exception {
    JobConf job = job("/old-out" + algorithm);
    job.setInt("mapreduce.fileoutputcommitter.algorithm.version", algorithm);
    job.setMapperClass(NamingMapper.class);
    job.setNumReduceTasks(0);
    RunningJob ran = JobClient.runJob(job);
    assertTrue(jobs.fileSystem().exists(new Path("/old-out" + algorithm, "_SUCCESS")));
    assertEquals(jobs.namedLines(INPUT), jobs.output("/old-out" + algorithm));
    long bytes = jobs.fileSystem().getContentSummary(new Path(INPUT)).getLength();
    assertEquals(bytes, ran.getCounters().getCounter(StreamCounter.BYTES));
    StreamStatus stream = jobs.stream(ran.getConfiguration());
    assertTrue(stream.tasks().size() > 1);
    assertTrue(stream.tasks().stream().allMatch(TaskDraws::finished));
  }

  @Test
  void shouldCommitWhenMappersStopEarly() throws Exception {
    RunningJob ran = JobClient.runJob(hasty("/old-early"));
    List<String> read = jobs.output("/old-early");
    StreamStatus stream = jobs.stream(ran.getConfiguration());
    assertEquals(HastyRunner.RECORDS * stream.tasks().size(), read.size());
    assertEquals(read.size(), Set.copyOf(read).size(), "each record once");
    assertTrue(stream.tasks().stream().allMatch(TaskDraws::stopped));
    assertTrue(stream.remainingBlocks() > 0, "what nobody wanted");
    assertEquals(stream.tasks().size(), ran.getCounters().getCounter(StreamCounter.STOPPED_TASKS));
    JobContext context = context(ran);
    OutputCommitter committer = context.getJobConf().getOutputCommitter();
    committer.setupJob(context);
    committer.commitJob(context);
    committer.abortJob(context, JobStatus.State.FAILED);
    VdfsException gone =
        assertThrows(VdfsException.class, () -> jobs.stream(ran.getConfiguration()));
    assertEquals(ErrorCode.NOT_FOUND, gone.code(), "an aborted job gives its stream up");
  }

  @Test
  void shouldRefuseToCommitWhenATaskNeverCommitted() throws Exception {
    PlannedInput<?> planned =
        Api.OLD.planLogical(job("/old-lost"), Api.OLD.formatName("TextInputFormat"), INPUT);
    for (int task = 0; task < planned.tasks(); task++) {
      planned.attempt(task).close();
    }
    JobConf job = new JobConf(planned.configuration());
    JobContext context = new JobContextImpl(job, new JobID("lost", 1));
    OutputCommitter committer = job.getOutputCommitter();
    committer.setupJob(context);
    IOException refused = assertThrows(IOException.class, () -> committer.commitJob(context));
    assertTrue(refused.getMessage().contains("task never finished its list"), refused.getMessage());
    committer.abortJob(context, JobStatus.State.FAILED);
  }

  @Test
  void shouldLetMappersStopEarlyWithoutTheAudit() throws Exception {
    JobConf job = hasty("/old-hasty");
    job.setBoolean(InputKeys.AUDIT, false);
    JobClient.runJob(job);
    assertTrue(jobs.fileSystem().exists(new Path("/old-hasty/_SUCCESS")));
  }

  /** As with static splits: a sampler of one split must not read the whole input. */
  @Test
  void shouldSampleOneShareOfTheInputAndLeaveNothingBehind() throws Exception {
    JobConf job = job("/old-sampled");
    int records = jobs.namedLines(INPUT).size();

    int one = sample(new InputSampler.IntervalSampler<>(1, 1), job);
    int some = sample(new InputSampler.SplitSampler<>(50), job);

    StreamStatus stream = jobs.stream(job);
    int tasks = stream.tasks().size();
    assertTrue(tasks > 1);
    assertEquals(records / (double) tasks, one, 0.1 * records / tasks);
    assertEquals(50 / tasks * tasks, some);
    assertEquals(stream.totals().blocks(), stream.remainingBlocks(), "none was drawn");
    assertNull(job.get("vdfs.mapreduce.stopped"));
    assertNull(job.get("vdfs.mapreduce.unfinished"));
    assertNull(job.get("mapreduce.map.input.file"));
  }

  private static <K, V> int sample(InputSampler.Sampler<K, V> sampler, JobConf job)
      throws IOException {
    return ((Object[]) sampler.getSample(new VdfsInputFormat<>(), job)).length;
  }

  @Test
  void shouldFeedStreamingMappersWithLines() throws Exception {
    String[] arguments = {
      "-D", "mapreduce.job.reduces=0",
      "-inputformat", VdfsInputFormat.class.getName(),
      "-input", INPUT,
      "-output", "/streamed",
      "-mapper", "cat"
    };
    assertEquals(0, ToolRunner.run(jobs.configuration(), new StreamJob(), arguments));
    List<String> expected = new ArrayList<>(jobs.lines(new Path(INPUT, "a")));
    expected.addAll(jobs.lines(new Path(INPUT, "b")));
    expected.sort(null);
    assertEquals(expected, jobs.output("/streamed"), "keys are not part of the lines");
  }

  private static JobConf hasty(String output) throws IOException {
    JobConf job = job(output);
    job.setMapRunnerClass(HastyRunner.class);
    job.setNumReduceTasks(0);
    return job;
  }

  private static JobContext context(RunningJob ran) {
    return new JobContextImpl(new JobConf(ran.getConfiguration()), ran.getID());
  }

  private static JobConf job(String output) throws IOException {
    JobConf job = new JobConf(jobs.configuration());
    job.setInputFormat(VdfsInputFormat.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    FileInputFormat.setInputPaths(job, INPUT);
    FileOutputFormat.setOutputPath(job, new Path(output));
    return job;
  }

  /** Puts the name of its file before each line, and asserts that all sources of it agree. */
  public static final class NamingMapper extends MapReduceBase
      implements Mapper<LongWritable, Text, Text, Text> {
    private JobConf job;

    @Override
    public void configure(JobConf conf) {
      job = conf;
      if (job.get("map.input.file") == null) {
        throw new IllegalStateException("no file is known before the first record");
      }
    }

    @Override
    public void map(
        LongWritable key, Text value, OutputCollector<Text, Text> output, Reporter reporter)
        throws IOException {
      String file = ((FileSplit) reporter.getInputSplit()).getPath().toString();
      if (!file.equals(job.get("map.input.file"))
          || !file.equals(job.get("mapreduce.map.input.file"))) {
        throw new IOException("split and configuration differ: " + file);
      }
      output.collect(new Text(file), value);
    }
  }

  /** Stops after ten records. */
  public static final class HastyRunner implements MapRunnable<LongWritable, Text, Text, Text> {
    static final int RECORDS = 10;

    @Override
    public void configure(JobConf job) {}

    @Override
    public void run(
        RecordReader<LongWritable, Text> input,
        OutputCollector<Text, Text> output,
        Reporter reporter)
        throws IOException {
      LongWritable key = input.createKey();
      Text value = input.createValue();
      for (int record = 0; record < RECORDS && input.next(key, value); record++) {
        output.collect(new Text(key.toString()), value);
      }
    }
  }
}
