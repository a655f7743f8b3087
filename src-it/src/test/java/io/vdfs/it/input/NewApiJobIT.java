package io.vdfs.it.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.ledger.StreamOverview;
import io.vdfs.client.ledger.StreamStatus;
import io.vdfs.client.ledger.TaskDraws;
import io.vdfs.common.model.StreamId;
import io.vdfs.mapreduce.StreamCounter;
import io.vdfs.mapreduce.VdfsInputFormat;
import io.vdfs.mapreduce.settings.InputKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormatCounter;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat;
import org.apache.hadoop.mapreduce.lib.input.LineRecordReader;
import org.apache.hadoop.mapreduce.lib.input.NLineInputFormat;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.mapreduce.lib.partition.InputSampler;
import org.apache.hadoop.mapreduce.lib.partition.TotalOrderPartitioner;
import org.apache.hadoop.mapreduce.task.JobContextImpl;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole jobs of the new API, in this JVM: files shown, mappers that stop early, commit. */
@Timeout(120)
class NewApiJobIT {
  private static final String INPUT = "/new";
  private static final String SCATTERED = "/new-scattered";

  private static LocalJobs jobs;

  @BeforeAll
  @Timeout(120)
  static void makeInput() throws Exception {
    jobs = LocalJobs.open("new-api");
    jobs.writeInput(INPUT);
  }

  @AfterAll
  static void close() throws IOException {
    if (jobs != null) {
      jobs.close();
    }
  }

  @Test
  void shouldShowMappersTheFileTheyRead() throws Exception {
    Job job = job("/new-named", NamingMapper.class, 0);
    assertTrue(job.waitForCompletion(false));
    assertEquals(jobs.namedLines(INPUT), jobs.output("/new-named"));
    StreamStatus stream = jobs.stream(job.getConfiguration());
    assertTrue(stream.tasks().size() > 1);
    assertTrue(stream.tasks().stream().allMatch(TaskDraws::finished));
    assertEquals(0, counter(job, StreamCounter.STOPPED_TASKS));
    StreamOverview listed = listed(job, true).orElseThrow();
    assertEquals(
        new StreamStatus(
            stream.owner(),
            stream.sealed(),
            stream.files(),
            stream.totals(),
            stream.remainingBlocks(),
            stream.expiresMillis(),
            stream.nodes(),
            List.of()),
        listed.status());
    assertEquals(stream.tasks().size(), listed.endedTasks());
    assertEquals(INPUT + "/a", listed.firstPath());
    assertEquals(
        stream.totals().blocks(),
        stream.nodes().stream().mapToLong(node -> node.localBlocks() + node.lostBlocks()).sum());
    assertEquals(Optional.empty(), listed(job, false), "its tasks have ended");
    commit(job);
  }

  private static Optional<StreamOverview> listed(Job job, boolean ended) throws IOException {
    StreamId id = StreamId.parse(job.getConfiguration().get(InputKeys.STREAM_ID));
    return jobs.fileSystem().vdfsClient().ledger().list(ended).stream()
        .filter(stream -> stream.stream().equals(id))
        .findFirst();
  }

  /** One task at a time, as Hadoop counts the bytes of the process. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldCountHowFarInputCameAndNotWhatMappersOpen(boolean statically) throws Exception {
    jobs.writeInputOnce(SCATTERED);
    Job job = job("/new-far-" + statically, OpeningMapper.class, 0);
    FileInputFormat.setInputPaths(job, SCATTERED);
    Configuration conf = job.getConfiguration();
    conf.setInt("mapreduce.local.map.tasks.maximum", 1);
    if (statically) {
      conf.set(InputKeys.WRAPPED_FORMAT, NLineInputFormat.class.getName());
      NLineInputFormat.setNumLinesPerSplit(job, jobs.namedLines(SCATTERED).size() / 4);
    }
    assertTrue(job.waitForCompletion(false));
    assertEquals(statically, job.getConfiguration().get(InputKeys.STREAM_ID) == null);
    assertTrue(counter(job, StreamCounter.LOCAL_BYTES) > 0);
    assertTrue(counter(job, StreamCounter.RACK_BYTES) > 0);
    assertTrue(counter(job, StreamCounter.REMOTE_BYTES) > 0);
    long far =
        counter(job, StreamCounter.LOCAL_BYTES)
            + counter(job, StreamCounter.RACK_BYTES)
            + counter(job, StreamCounter.REMOTE_BYTES);
    assertEquals(job.getCounters().findCounter(FileInputFormatCounter.BYTES_READ).getValue(), far);
    assertTrue(far >= jobs.length(SCATTERED), "far=" + far);
  }

  /** With a reducer, map tasks have only the stop to commit. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void shouldCommitWhenMappersStopEarly(int reducers) throws Exception {
    String output = "/new-early" + reducers;
    Job job = job(output, HastyMapper.class, reducers);
    assertTrue(job.waitForCompletion(false));
    List<String> read = jobs.output(output);
    StreamStatus stream = jobs.stream(job.getConfiguration());
    assertEquals(HastyMapper.RECORDS * stream.tasks().size(), read.size());
    assertEquals(read.size(), Set.copyOf(read).size(), "each record once");
    assertTrue(stream.tasks().stream().allMatch(TaskDraws::stopped));
    assertTrue(stream.remainingBlocks() > 0, "what nobody wanted");
    assertEquals(stream.tasks().size(), counter(job, StreamCounter.STOPPED_TASKS));
    commit(job);
  }

  /** The others read the blocks that the stopping mapper has not drawn. */
  @Test
  void shouldReadTheRestWhenOneMapperStopsEarly() throws Exception {
    Job job = job("/new-one", OneHastyMapper.class, 0);
    assertTrue(job.waitForCompletion(false));
    List<String> read = jobs.output("/new-one");
    assertEquals(read.size(), Set.copyOf(read).size(), "each record once");
    StreamStatus stream = jobs.stream(job.getConfiguration());
    assertEquals(0, stream.remainingBlocks());
    assertEquals(1, counter(job, StreamCounter.STOPPED_TASKS));
    assertEquals(
        stream.totals().blocks() - stream.tasks().get(0).totals().blocks(),
        counter(job, StreamCounter.BLOCKS),
        "it stopped in its first block");
    commit(job);
  }

  /** With a reducer, map tasks have no output to commit. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void shouldRefuseToCommitWhenAMapperHidesThatItsInputCannotBeRead(int reducers) throws Exception {
    Job job = job("/new-hidden" + reducers, HidingMapper.class, reducers);
    job.getConfiguration().set(InputKeys.WRAPPED_FORMAT, BrokenTextInputFormat.class.getName());
    assertFalse(job.waitForCompletion(false), "no attempt may commit");
    assertEquals(0, counter(job, StreamCounter.STOPPED_TASKS));
    IOException refused = assertThrows(IOException.class, () -> commit(job));
    assertTrue(refused.getMessage().contains("task never finished its list"), refused.getMessage());
  }

  @Test
  void shouldKeepTheStreamForAReducerThatBegins() throws Exception {
    Job job = job("/new-kept", NamingMapper.class, 0);
    assertTrue(job.waitForCompletion(false));
    long expires = jobs.stream(job.getConfiguration()).expiresMillis();
    committer(job).setupTask(attempt(job, TaskType.REDUCE));
    assertTrue(jobs.stream(job.getConfiguration()).expiresMillis() > expires);
  }

  /** A sampler reads no more than with static splits, and leaves nothing behind for the job. */
  @Test
  void shouldSortByAPartitionThatWasSampled() throws Exception {
    Job job = sortingJob("/new-sorted");
    Configuration conf = job.getConfiguration();
    TotalOrderPartitioner.setPartitionFile(conf, new Path("/new-partition"));
    int records = jobs.namedLines(INPUT).size();
    InputSampler.writePartitionFile(job, new InputSampler.SplitSampler<Text, Text>(200));
    StreamStatus sampled = jobs.stream(conf);
    assertEquals(sampled.totals().blocks(), sampled.remainingBlocks(), "none was drawn");
    assertTrue(sampled.tasks().size() > 1);
    assertNull(conf.get("vdfs.mapreduce.stopped"));
    assertNull(conf.get("vdfs.mapreduce.unfinished"));
    assertNull(conf.get("mapreduce.map.input.file"));
    assertTrue(job.waitForCompletion(false));

    List<String> sorted = new ArrayList<>();
    for (int part = 0; part < 3; part++) {
      List<String> lines = jobs.lines(new Path("/new-sorted/part-r-0000" + part));
      assertFalse(lines.isEmpty(), "part=" + part);
      sorted.addAll(lines);
    }
    assertEquals(records, sorted.size());
    assertEquals(jobs.output("/new-sorted"), sorted, "in the order of the parts");
    assertEquals(0, counter(job, StreamCounter.STOPPED_TASKS));
    assertTrue(jobs.stream(job.getConfiguration()).tasks().stream().allMatch(TaskDraws::finished));
    commit(job);
  }

  /** As with static splits: a sampler of one split must not read the whole input. */
  @Test
  void shouldSampleOneShareOfTheInput() throws Exception {
    Job job = sortingJob("/new-sampled");
    int records = jobs.namedLines(INPUT).size();

    int one = sample(new InputSampler.IntervalSampler<>(1, 1), job).size();
    List<Object> all = sample(new InputSampler.RandomSampler<>(1, 10 * records), job);

    int tasks = jobs.stream(job.getConfiguration()).tasks().size();
    assertTrue(tasks > 1);
    assertEquals(records / (double) tasks, one, 0.1 * records / tasks);
    assertEquals(records, all.size());
    assertEquals(records, Set.copyOf(all).size(), "each record once");
  }

  private static <K, V> List<Object> sample(InputSampler.Sampler<K, V> sampler, Job job)
      throws IOException, InterruptedException {
    return List.of((Object[]) sampler.getSample(new VdfsInputFormat<>(), job));
  }

  /** With lines as keys. */
  private static Job sortingJob(String output) throws IOException {
    Job job = Job.getInstance(jobs.configuration());
    job.setInputFormatClass(VdfsInputFormat.class);
    job.getConfiguration().set(InputKeys.WRAPPED_FORMAT, KeyValueTextInputFormat.class.getName());
    job.setPartitionerClass(TotalOrderPartitioner.class);
    job.setNumReduceTasks(3);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    FileInputFormat.setInputPaths(job, INPUT);
    FileOutputFormat.setOutputPath(job, new Path(output));
    return job;
  }

  /** As the ApplicationMaster does it. */
  private static void commit(Job job) throws IOException {
    JobContext context = new JobContextImpl(job.getConfiguration(), job.getJobID());
    OutputCommitter committer = committer(job);
    committer.setupJob(context);
    committer.commitJob(context);
  }

  private static OutputCommitter committer(Job job) throws IOException {
    return new TextOutputFormat<>().getOutputCommitter(attempt(job, TaskType.MAP));
  }

  private static TaskAttemptContext attempt(Job job, TaskType type) {
    return new TaskAttemptContextImpl(
        job.getConfiguration(), new TaskAttemptID("new", 1, type, 0, 0));
  }

  private static long counter(Job job, StreamCounter counter) throws IOException {
    return job.getCounters().findCounter(counter).getValue();
  }

  private static Job job(
      String output, Class<? extends Mapper<LongWritable, Text, Text, Text>> mapper, int reducers)
      throws IOException {
    Job job = Job.getInstance(jobs.configuration());
    job.setInputFormatClass(VdfsInputFormat.class);
    job.setMapperClass(mapper);
    job.setNumReduceTasks(reducers);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    FileInputFormat.setInputPaths(job, INPUT);
    FileOutputFormat.setOutputPath(job, new Path(output));
    return job;
  }

  /** Puts the name of its file before each line, and asserts that all sources of it agree. */
  public static class NamingMapper extends Mapper<LongWritable, Text, Text, Text> {
    @Override
    protected void map(LongWritable key, Text value, Context context)
        throws IOException, InterruptedException {
      FileSplit split = (FileSplit) context.getInputSplit();
      String file = split.getPath().toString();
      if (!file.equals(context.getConfiguration().get("mapreduce.map.input.file"))
          || split.getStart()
              != context.getConfiguration().getLong("mapreduce.map.input.start", -1)) {
        throw new IOException("split and configuration differ: " + split);
      }
      context.write(new Text(file), value);
    }
  }

  /** Reads a file other than its input. */
  public static final class OpeningMapper extends Mapper<LongWritable, Text, Text, Text> {
    @Override
    protected void map(LongWritable key, Text value, Context context)
        throws IOException, InterruptedException {
      context.write(value, value);
    }

    @Override
    protected void setup(Context context) throws IOException {
      Path file = new Path(INPUT + "/a");
      try (FSDataInputStream opened = file.getFileSystem(context.getConfiguration()).open(file)) {
        opened.readFully(0, new byte[100_000]);
      }
    }
  }

  /** Stops after ten records. */
  public static class HastyMapper extends NamingMapper {
    static final int RECORDS = 10;

    @Override
    public void run(Context context) throws IOException, InterruptedException {
      setup(context);
      for (int record = 0; record < most(context) && context.nextKeyValue(); record++) {
        map(context.getCurrentKey(), context.getCurrentValue(), context);
      }
      cleanup(context);
    }

    int most(Context context) {
      return RECORDS;
    }
  }

  /** Stops after ten records of the first task, on which all others wait before they read. */
  public static final class OneHastyMapper extends HastyMapper {
    private static final CountDownLatch STOPPED = new CountDownLatch(1);

    @Override
    public void run(Context context) throws IOException, InterruptedException {
      if (isFirst(context)) {
        super.run(context);
        STOPPED.countDown();
        return;
      }
      if (!STOPPED.await(1, TimeUnit.MINUTES)) {
        throw new IOException("the first task has not stopped");
      }
      super.run(context);
    }

    private static boolean isFirst(Context context) {
      return context.getTaskAttemptID().getTaskID().getId() == 0;
    }

    @Override
    int most(Context context) {
      return isFirst(context) ? RECORDS : Integer.MAX_VALUE;
    }
  }

  /** Ends with success although its input cannot be read. */
  public static final class HidingMapper extends NamingMapper {
    @Override
    public void run(Context context) throws IOException, InterruptedException {
      try {
        super.run(context);
      } catch (IOException e) {
        context.setStatus("hidden: " + e);
      }
    }
  }

  /** Cannot read the hundredth line. */
  public static final class BrokenTextInputFormat extends TextInputFormat {
    @Override
    public RecordReader<LongWritable, Text> createRecordReader(
        InputSplit split, TaskAttemptContext context) {
      return new LineRecordReader() {
        private int lines;

        @Override
        public boolean nextKeyValue() throws IOException {
          if (++lines == 100) {
            throw new IOException("unreadable");
          }
          return super.nextKeyValue();
        }
      };
    }
  }
}
