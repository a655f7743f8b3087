package io.vdfs.it.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.io.BaseEncoding;
import com.google.protobuf.ByteString;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.StreamStatusQuery;
import io.vdfs.common.wire.proto.StreamStatusResult;
import io.vdfs.common.wire.proto.StreamTaskStatus;
import io.vdfs.it.cluster.WorkDirectory;
import io.vdfs.mapreduce.InputKeys;
import io.vdfs.mapreduce.StreamCounter;
import io.vdfs.mapreduce.mapred.VdfsInputFormat;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
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
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.MapRunnable;
import org.apache.hadoop.mapred.Mapper;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.OutputCommitter;
import org.apache.hadoop.mapred.RecordReader;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.RunningJob;
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
  private static final int BLOCK = InputCluster.SPEC.geometry().blockSize();

  private static WorkDirectory directory;
  private static VdfsFileSystem fileSystem;

  @BeforeAll
  @Timeout(120)
  static void makeInput() throws Exception {
    directory = WorkDirectory.create("old-api");
    fileSystem = (VdfsFileSystem) InputCluster.newFileSystem();
    InputFiles files = new InputFiles(fileSystem, 4);
    files.text("/old/a", 7L * BLOCK, "\n", 60);
    files.text("/old/b", 5L * BLOCK, "\n", 60);
  }

  @AfterAll
  static void close() throws IOException {
    if (fileSystem != null) {
      fileSystem.close();
      directory.close();
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
    assertTrue(fileSystem.exists(new Path("/old-out" + algorithm, "_SUCCESS")));
    List<String> expected = new ArrayList<>();
    for (String file : List.of("/old/a", "/old/b")) {
      for (String line : lines(new Path(file))) {
        expected.add(fileSystem.makeQualified(new Path(file)) + "\t" + line);
      }
    }
    expected.sort(null);
    assertEquals(expected, output("/old-out" + algorithm));
    long bytes = fileSystem.getContentSummary(new Path("/old")).getLength();
    assertEquals(bytes, ran.getCounters().getCounter(StreamCounter.BYTES));
    StreamStatusResult stream = stream(ran);
    assertTrue(stream.getTasksCount() > 1);
    assertTrue(stream.getTasksList().stream().allMatch(StreamTaskStatus::getFinished));
  }

  /** The local runner takes the committer that stood in the client's settings, so asks no audit. */
  @Test
  void shouldRefuseToCommitWhenMappersStopEarly() throws Exception {
    JobConf job = job("/old-early");
    job.setMapRunnerClass(HastyRunner.class);
    job.setNumReduceTasks(0);
    RunningJob ran = JobClient.runJob(job);
    JobConf submitted = new JobConf(ran.getConfiguration());
    JobContext context = new JobContextImpl(submitted, ran.getID());
    OutputCommitter committer = submitted.getOutputCommitter();
    committer.setupJob(context);
    IOException refused = assertThrows(IOException.class, () -> committer.commitJob(context));
    assertTrue(refused.getMessage().contains("task never finished its list"), refused.getMessage());
    committer.abortJob(context, JobStatus.State.FAILED);
    VdfsException gone = assertThrows(VdfsException.class, () -> stream(ran));
    assertEquals(ErrorCode.NOT_FOUND, gone.code(), "an aborted job gives its stream up");
  }

  @Test
  void shouldLetMappersStopEarlyWithoutTheAudit() throws Exception {
    JobConf job = job("/old-hasty");
    job.setMapRunnerClass(HastyRunner.class);
    job.setNumReduceTasks(0);
    job.setBoolean(InputKeys.AUDIT, false);
    JobClient.runJob(job);
    assertTrue(fileSystem.exists(new Path("/old-hasty/_SUCCESS")));
  }

  @Test
  void shouldFeedStreamingMappersWithLines() throws Exception {
    String[] arguments = {
      "-D", "mapreduce.job.reduces=0",
      "-inputformat", VdfsInputFormat.class.getName(),
      "-input", "/old",
      "-output", "/streamed",
      "-mapper", "cat"
    };
    Configuration conf = localRunner();
    assertEquals(0, ToolRunner.run(conf, new StreamJob(), arguments));
    List<String> expected = new ArrayList<>(lines(new Path("/old/a")));
    expected.addAll(lines(new Path("/old/b")));
    expected.sort(null);
    assertEquals(expected, output("/streamed"), "keys are not part of the lines");
  }

  private static Configuration localRunner() throws IOException {
    Configuration conf = InputCluster.configuration();
    conf.set("mapreduce.framework.name", "local");
    conf.set("hadoop.tmp.dir", directory.directory("tmp").toString());
    conf.setInt("mapreduce.local.map.tasks.maximum", 3);
    conf.setInt("mapreduce.client.progressmonitor.pollinterval", 50);
    conf.setInt("mapreduce.client.completion.pollinterval", 50);
    return conf;
  }

  private static JobConf job(String output) throws IOException {
    JobConf job = new JobConf(localRunner());
    job.setInputFormat(VdfsInputFormat.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    FileInputFormat.setInputPaths(job, "/old");
    FileOutputFormat.setOutputPath(job, new Path(output));
    return job;
  }

  private static StreamStatusResult stream(RunningJob job) throws IOException {
    String stream = job.getConfiguration().get(InputKeys.STREAM_ID);
    byte[] id = BaseEncoding.base16().lowerCase().decode(stream);
    return fileSystem
        .vdfsClient()
        .ledger()
        .status(StreamStatusQuery.newBuilder().setStreamId(ByteString.copyFrom(id)).build());
  }

  private static List<String> output(String name) throws IOException {
    List<String> all = new ArrayList<>();
    for (FileStatus file : fileSystem.globStatus(new Path(name, "part-*"))) {
      all.addAll(lines(file.getPath()));
    }
    all.sort(null);
    return all;
  }

  private static List<String> lines(Path file) throws IOException {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(fileSystem.open(file), StandardCharsets.UTF_8))) {
      return reader.lines().toList();
    }
  }

  /** Puts the name of its file before each line, and insists that all sources of it agree. */
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
    private static final int RECORDS = 10;

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
