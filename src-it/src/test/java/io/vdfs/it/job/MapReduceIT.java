package io.vdfs.it.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.ledger.StreamStatus;
import io.vdfs.client.ledger.TaskDraws;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.it.bench.costly.CostlyMapper;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.JavaCommand;
import io.vdfs.it.jobs.GatedTextInputFormat;
import io.vdfs.it.jobs.LeavingMapper;
import io.vdfs.it.jobs.StockExample;
import io.vdfs.it.jobs.StoppingMapper;
import io.vdfs.it.jobs.TaskGates;
import io.vdfs.it.jobs.UnreachableZooKeeperInputFormat;
import io.vdfs.mapreduce.StreamCounter;
import io.vdfs.mapreduce.VdfsInputFormat;
import io.vdfs.mapreduce.settings.InputKeys;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskCompletionEvent.Status;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.map.InverseMapper;
import org.apache.hadoop.streaming.StreamJob;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Stock jobs with logical splits give the same output as on HDFS, whatever happens to their tasks;
 * and their input really came through the ledger.
 */
@Timeout(300)
class MapReduceIT {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final Map<Program, JobOutput> EXPECTED = new EnumMap<>(Program.class);

  /** Work of the long job with waves, all its tasks together. */
  private static final Duration WAVES_WORK = Duration.ofSeconds(75);

  /** Work of the job that yields, all its tasks together. */
  private static final Duration LATE_WORK = Duration.ofSeconds(160);

  /** Several times the containers that YARN has room for. */
  private static final int WAVES_TASKS = 24;

  /** Tasks of the job that leaves blocks: more than run at once. */
  private static final int AUDITED_TASKS = 8;

  private static final int BUILD_KILLS = 20;

  private static JobClusters clusters;

  @BeforeAll
  @Timeout(300)
  static void startClusters() throws Exception {
    clusters = JobClusters.start();
    for (Program program : Program.values()) {
      JobOutput output = clusters.runOnHdfs(program);
      output.assertNotEmpty();
      EXPECTED.put(program, output);
    }
  }

  @AfterAll
  static void stopClusters() throws IOException {
    if (clusters != null) {
      clusters.close();
    }
  }

  /** One in the build, all with {@code -Pkills}. */
  static List<Program> programsWithFaults() {
    return Integer.getInteger("vdfs.it.kills", BUILD_KILLS) > BUILD_KILLS
        ? List.of(Program.values())
        : List.of(Program.WORDCOUNT);
  }

  @ParameterizedTest
  @EnumSource
  void shouldGiveTheOutputOfHdfsWhenNothingHappens(Program program) throws Exception {
    Map<String, String> options = logicalSplits();
    options.put(
        "mapreduce.fileoutputcommitter.algorithm.version",
        program == Program.WORDCOUNT ? "1" : "2");
    Path output = new Path("/plain-" + program.exampleName());
    try (StockExample example = clusters.start(program, NestedInput.WITH_INPUT, options, output)) {
      FinishedJob job = clusters.await(example);
      JobOutput expected = EXPECTED.get(program);
      if (program == Program.WORDCOUNT) {
        expected = expected.with(NestedInput.COUNTS);
      }
      expected.assertSame(JobOutput.read(clusters.vdfs(), output));
      ClusterGeometry geometry = clusters.spec().geometry();
      job.assertDrew(
          clusters.input().bytes() + NestedInput.bytes(),
          clusters.input().blocks(geometry) + NestedInput.blocks(geometry));
      job.assertTakenByOthers(clusters.tasklessNode());
      assertEquals(
          job.stream().tasks().size() + 1,
          job.job().getTaskReports(TaskType.MAP).length,
          "what cannot be split has a task of its own");
      assertKeptOnVdfs(job.job().getJobID());
    }
  }

  @ParameterizedTest
  @MethodSource("programsWithFaults")
  void shouldGiveTheOutputOfHdfsWhenAnAttemptIsKilledHalfWay(Program program) throws Exception {
    Path output = new Path("/kill-" + program.exampleName());
    TaskGates gates = gates(output);
    try (StockExample example = clusters.start(program, gated(output), output)) {
      TaskGates.Stopped stopped = gates.awaitStopped();
      assertTrue(ProcessHandle.of(stopped.pid()).orElseThrow().destroyForcibly());
      FinishedJob job = clusters.await(example);
      assertResult(program, output, job);
      assertTrue(gates.hadSecondAttempt());
      List<TaskCompletionEvent> attempts = job.mapAttempts(0);
      assertEquals(2, attempts.size(), attempts.toString());
      assertNotEquals(Status.SUCCEEDED, status(attempts, 0));
      assertEquals(Status.SUCCEEDED, status(attempts, 1));
    }
  }

  @ParameterizedTest
  @MethodSource("programsWithFaults")
  void shouldGiveTheOutputOfHdfsWhenTwoAttemptsOfATaskRun(Program program) throws Exception {
    Path output = new Path("/speculation-" + program.exampleName());
    TaskGates gates = gates(output);
    Map<String, String> options = gated(output);
    options.put("mapreduce.map.speculative", "true");
    try (StockExample example = clusters.start(program, options, output)) {
      gates.awaitStopped();
      gates.awaitSecondAttempt();
      gates.release();
      FinishedJob job = clusters.await(example);
      assertResult(program, output, job);
      List<TaskCompletionEvent> attempts = job.mapAttempts(0);
      assertTrue(attempts.size() > 1, attempts.toString());
      assertEquals(
          1,
          attempts.stream().filter(attempt -> attempt.getStatus() == Status.SUCCEEDED).count(),
          attempts.toString());
    }
  }

  @ParameterizedTest
  @MethodSource("programsWithFaults")
  void shouldGiveTheOutputOfHdfsWhenAFinishedMapIsLostWithItsNode(Program program)
      throws Exception {
    Path output = new Path("/loss-" + program.exampleName());
    TaskGates gates = gates(output);
    clusters.yarn().awaitIdle();
    try (StockExample example = clusters.start(program, gated(output), output)) {
      TaskGates.Stopped stopped = gates.awaitStopped();
      Job job = clusters.job(example.awaitFirstJob(LIMIT));
      int others = job.getTaskReports(TaskType.MAP).length - 1;
      Await.until("all other maps", LIMIT, () -> finishedMaps(job).size() == others);
      String lost = nodeToLose(job, stopped.host());
      Set<Integer> lostTasks = tasksOn(job, lost);
      clusters.yarn().stopNodeManager(lost);
      try {
        Await.until("the lost maps to run again", LIMIT, () -> ranAgain(job, lostTasks));
        gates.release();
        FinishedJob finished = clusters.await(example);
        assertResult(program, output, finished);
        for (int task : lostTasks) {
          List<TaskCompletionEvent> attempts = finished.mapAttempts(task);
          assertNotEquals(Status.SUCCEEDED, status(attempts, 0), attempts.toString());
          assertEquals(Status.SUCCEEDED, status(attempts, attempts.size() - 1));
        }
      } finally {
        clusters.yarn().startNodeManager(lost);
      }
    }
  }

  /** The first attempt of task 0 fails where its mapper would have stopped. */
  @Test
  void shouldCommitWhenMappersStopEarly() throws Exception {
    Path output = new Path("/stopped");
    Job job = clusters.newJob(Map.of(), output);
    job.setMapperClass(StoppingMapper.class);
    job.setOutputValueClass(NullWritable.class);
    assertTrue(job.waitForCompletion(false), () -> failure(job));
    FinishedJob finished = FinishedJob.of(clusters.job(job.getJobID()), clusters.vdfs());
    int tasks = finished.stream().tasks().size();
    List<String> read = JobOutput.read(clusters.vdfs(), output).lines();
    assertEquals(tasks * StoppingMapper.RECORDS, read.size());
    assertEquals(read.size(), Set.copyOf(read).size(), "each record once");
    assertTrue(
        finished.stream().tasks().stream().allMatch(TaskDraws::stopped),
        finished.stream().toString());
    assertTrue(finished.stream().remainingBlocks() > 0, "what nobody wanted");
    assertEquals(tasks, finished.counter(StreamCounter.STOPPED_TASKS));
    assertEquals(Status.FAILED, status(finished.mapAttempts(0), 0));
    assertEquals(Status.SUCCEEDED, status(finished.mapAttempts(0), 1));
  }

  /** All its tasks succeed; only the audit at the job's commit finds that blocks were left. */
  @Test
  void shouldFailAJobInItsMasterWhenTheAuditFails() throws Exception {
    Path output = new Path("/audited");
    String taskBytes = Long.toString(clusters.input().bytes() / AUDITED_TASKS);
    Map<String, String> options =
        Map.of(
            InputKeys.TASK_BYTES, taskBytes, TaskGates.DIRECTORY, gateDirectory(output).toString());
    Job job = clusters.newJob(options, output);
    job.setMapperClass(LeavingMapper.class);
    job.setNumReduceTasks(0);

    assertFalse(job.waitForCompletion(false), "blocks were left and the job succeeded");

    assertEquals(JobStatus.State.FAILED, job.getJobState());
    assertEquals(job.getTaskReports(TaskType.MAP).length, finishedMaps(job).size());
    String failure = failure(job);
    assertTrue(failure.contains("commit failed"), failure);
    assertTrue(failure.contains("mappers stopped early"), failure);
    Await.until("the stream to be given up", LIMIT, () -> isGivenUp(job));
    assertFalse(clusters.vdfs().exists(new Path(output, "_SUCCESS")));
  }

  @Test
  void shouldNotNeedZooKeeperInContainers() throws Exception {
    Path output = new Path("/hinted");
    String zooKeeper = "fs.vdfs.cluster." + clusters.spec().name() + ".zookeeper";
    Job job = clusters.newJob(Map.of(UnreachableZooKeeperInputFormat.KEY, zooKeeper), output);
    job.setInputFormatClass(UnreachableZooKeeperInputFormat.class);
    job.setMapperClass(InverseMapper.class);
    job.setOutputValueClass(LongWritable.class);
    assertTrue(job.waitForCompletion(false), () -> failure(job));
    assertEquals("127.0.0.1:1", job.getConfiguration().get(zooKeeper));
    assertEquals(clusters.input().lines(), JobOutput.read(clusters.vdfs(), output).lines().size());
  }

  @Test
  void shouldLeaveNothingOfAKilledJob() throws Exception {
    Path output = new Path("/killed");
    Path temporary = new Path(output, "_temporary");
    TaskGates gates = gates(output);
    Map<String, String> options = gated(output);
    // else YARN ends a slow ApplicationMaster before it has cleaned up
    options.put("yarn.app.mapreduce.am.hard-kill-timeout-ms", Long.toString(LIMIT.toMillis()));
    Job job = clusters.newJob(options, output);
    job.setMapperClass(InverseMapper.class);
    job.setOutputValueClass(LongWritable.class);
    job.submit();
    gates.awaitStopped();
    assertTrue(FinishedJob.stream(job.getConfiguration(), clusters.vdfs()).sealed());
    assertTrue(clusters.vdfs().exists(temporary));
    job.killJob();
    Await.until("the end of " + job.getJobID(), LIMIT, job::isComplete);
    assertEquals(JobStatus.State.KILLED, job.getJobState());
    Await.until("the stream to be given up", LIMIT, () -> isGivenUp(job));
    assertFalse(clusters.vdfs().exists(temporary), "the output is aborted first");
    clusters.yarn().awaitIdle();
  }

  /** The first job has all containers when the second one comes. */
  @Test
  void shouldLetAnotherJobInBetweenTheWavesOfALongOne() throws Exception {
    clusters.yarn().awaitIdle();
    long nanos = WAVES_WORK.toNanos() / clusters.input().lines();
    Job longOne =
        clusters.newJob(
            Map.of(
                InputKeys.TASK_BYTES,
                Long.toString(clusters.input().bytes() / WAVES_TASKS),
                CostlyMapper.RECORD_NANOS,
                Long.toString(nanos),
                // as many as YARN has room for, whichever nodes are alive when it is planned
                MRJobConfig.JOB_RUNNING_MAP_LIMIT,
                Integer.toString(WAVES_TASKS - 1)),
            new Path("/waves"));
    longOne.setMapperClass(CostlyMapper.class);
    longOne.setNumReduceTasks(0);
    longOne.submit();
    Await.until("full nodes", LIMIT, () -> clusters.yarn().isFull() || longOne.isComplete());
    assertFalse(longOne.isComplete(), () -> "it never had all containers: " + failure(longOne));
    Job shortOne = clusters.newJob(Map.of(), new Path("/between-waves"));
    FileInputFormat.setInputPaths(shortOne, new Path(JobClusters.INPUT, "d"));
    shortOne.setNumReduceTasks(0);
    assertTrue(shortOne.waitForCompletion(false), () -> failure(shortOne));
    int finished = finishedMaps(longOne).size();
    int maps = longOne.getTaskReports(TaskType.MAP).length;
    assertTrue(maps >= WAVES_TASKS, "maps: " + maps);
    assertTrue(finished < maps - 1, "the short job waited for the long one: finished=" + finished);

    Await.until("the end of " + longOne.getJobID(), LIMIT, longOne::isComplete);
    assertEquals(JobStatus.State.SUCCEEDED, longOne.getJobState());
    FinishedJob.of(clusters.job(longOne.getJobID()), clusters.vdfs())
        .assertDrew(clusters.input().bytes(), clusters.input().blocks(clusters.spec().geometry()));
  }

  /**
   * The room that the first job leaves is enough only for the second one's ApplicationMaster, so
   * that without yields it would draw nothing before the first one ends.
   */
  @Test
  void shouldYieldToAJobThatArrivesLate() throws Exception {
    clusters.yarn().awaitIdle();
    long nanos = LATE_WORK.toNanos() / clusters.input().lines();
    Job early =
        clusters.newJob(
            Map.of(
                InputKeys.YIELDING,
                "true",
                InputKeys.YIELD_AFTER,
                "1s",
                CostlyMapper.RECORD_NANOS,
                Long.toString(nanos)),
            new Path("/early"));
    early.setMapperClass(CostlyMapper.class);
    early.setNumReduceTasks(0);
    early.submit();
    StreamStatus planned = FinishedJob.stream(early.getConfiguration(), clusters.vdfs());
    int atOnce = early.getConfiguration().getInt(MRJobConfig.JOB_RUNNING_MAP_LIMIT, 0);
    assertTrue(planned.tasks().size() > atOnce, "surplus: " + planned.tasks().size());
    Await.until("tasks that draw", LIMIT, () -> drawing(early) == atOnce);

    Job late = clusters.newJob(Map.of(), new Path("/late"));
    FileInputFormat.setInputPaths(late, new Path(JobClusters.INPUT, "d"));
    late.setMapperClass(InverseMapper.class);
    late.setOutputValueClass(LongWritable.class);
    late.setNumReduceTasks(0);
    assertTrue(late.waitForCompletion(false), () -> failure(late));
    assertFalse(early.isComplete(), "the late job waited for the first one");

    Await.until("the end of " + early.getJobID(), LIMIT, early::isComplete);
    assertEquals(JobStatus.State.SUCCEEDED, early.getJobState());
    FinishedJob finished = FinishedJob.of(clusters.job(early.getJobID()), clusters.vdfs());
    finished.assertDrew(
        clusters.input().bytes(), clusters.input().blocks(clusters.spec().geometry()));
    long yielded = finished.stream().tasks().stream().filter(TaskDraws::yielded).count();
    assertTrue(yielded > 0 && yielded <= atOnce / 2, "yielded: " + yielded + " of " + atOnce);
    assertEquals(yielded, finished.counter(StreamCounter.YIELDED_TASKS));
  }

  private static long drawing(Job job) throws IOException {
    return FinishedJob.stream(job.getConfiguration(), clusters.vdfs()).tasks().stream()
        .filter(task -> task.runs() > 0)
        .count();
  }

  private static boolean isGivenUp(Job job) throws IOException {
    try {
      FinishedJob.stream(job.getConfiguration(), clusters.vdfs());
      return false;
    } catch (VdfsException e) {
      assertEquals(ErrorCode.NOT_FOUND, e.code());
      return true;
    }
  }

  /** The environment of a streaming command is made once, when its task begins. */
  @Test
  void shouldShowStreamingMappersTheFirstFileOfTheirTask() throws Exception {
    Path output = new Path("/streamed");
    String[] arguments = {
      "-D",
      "mapreduce.job.reduces=1",
      "-inputformat",
      io.vdfs.mapreduce.mapred.VdfsInputFormat.class.getName(),
      "-input",
      JobClusters.INPUT.toString(),
      "-output",
      output.toString(),
      "-mapper",
      script("mapper", "exec sed \"s|.*|$mapreduce_task_id $mapreduce_map_input_file|\""),
      "-reducer",
      script("reducer", "uniq -c | sed \"s|^|${mapreduce_map_input_file:-none} |\"")
    };
    assertEquals(0, ToolRunner.run(clusters.yarn().configuration(), new StreamJob(), arguments));
    long lines = 0;
    Set<String> tasks = new HashSet<>();
    for (String line : JobOutput.read(clusters.vdfs(), output).lines()) {
      String[] words = line.trim().split("\\s+", -1);
      assertEquals("none", words[0], "a reducer reads no file");
      lines += Long.parseLong(words[1]);
      assertTrue(tasks.add(words[2]), "one name for all files of a task: " + line);
      assertTrue(clusters.input().files().contains(new Path(words[3]).getName()), line);
    }
    assertEquals(clusters.input().lines(), lines);
    assertFalse(tasks.isEmpty());
  }

  private static String script(String name, String command) throws IOException {
    java.nio.file.Path file = clusters.localDirectory("streaming").resolve(name);
    Files.writeString(file, command + "\n");
    return "sh " + file;
  }

  private static String failure(Job job) {
    try {
      return job.getStatus().getFailureInfo();
    } catch (IOException | InterruptedException e) {
      return e.toString();
    }
  }

  @Test
  void shouldTellStaticSplitsFromLogicalOnes() throws Exception {
    Path output = new Path("/static");
    try (StockExample example = clusters.start(Program.WORDCOUNT, new HashMap<>(), output)) {
      Job job = clusters.job(example.await(LIMIT).get(0));
      EXPECTED.get(Program.WORDCOUNT).assertSame(JobOutput.read(clusters.vdfs(), output));
      assertEquals(
          0,
          job.getCounters().findCounter(StreamCounter.BYTES).getValue(),
          "the counter proves nothing");
    }
  }

  private static void assertResult(Program program, Path output, FinishedJob job)
      throws IOException {
    EXPECTED.get(program).assertSame(JobOutput.read(clusters.vdfs(), output));
    job.assertDrew(clusters.input().bytes(), clusters.input().blocks(clusters.spec().geometry()));
    job.assertTakenByOthers(clusters.tasklessNode());
  }

  /** History and logs of the job lie on VDFS. */
  private static void assertKeptOnVdfs(JobID job) throws Exception {
    String application = job.toString().replace("job_", "application_");
    Await.until("history of " + job, LIMIT, () -> holds("/history", job.toString()));
    Await.until("logs of " + application, LIMIT, () -> holds("/logs", application));
  }

  private static boolean holds(String directory, String name) throws IOException {
    RemoteIterator<org.apache.hadoop.fs.LocatedFileStatus> files =
        clusters.vdfs().listFiles(new Path(directory), true);
    while (files.hasNext()) {
      if (files.next().getPath().toString().contains(name)) {
        return true;
      }
    }
    return false;
  }

  /** The cluster keeps its own files on HDFS, so that the containers start. */
  @Test
  void shouldSayInOneLineThatTheNodesLackTheJar() throws Exception {
    String hdfs = clusters.hdfs().getUri().toString();
    Map<String, String> options = logicalSplits();
    options.put("fs.defaultFS", hdfs);
    options.put("mapreduce.jobhistory.intermediate-done-dir", hdfs + "/history/intermediate");
    options.put("yarn.is.minicluster", "false");
    options.put("mapreduce.application.classpath", classPathWithoutVdfs());
    String input = clusters.vdfs().getUri() + JobClusters.INPUT.toString();
    Path output = new Path("/no-jar");
    try (StockExample example = clusters.start(Program.WORDCOUNT, input, options, output)) {
      IOException failure =
          assertThrows(IOException.class, () -> example.await(JobClusters.JOB_LIMIT));
      List<String> lines =
          failure.getMessage().lines().filter(line -> line.contains("jar of VDFS")).toList();
      assertEquals(1, lines.size(), failure::getMessage);
      String line = lines.get(0);
      assertTrue(line.contains("failed with state FAILED due to: "), line);
      assertTrue(
          clusters.yarn().hosts().stream()
              .map(host -> "not on the class path of this container: host=" + host + "; put ")
              .anyMatch(line::contains),
          line);
    }
    assertFalse(clusters.hdfs().exists(output.suffix("/_SUCCESS")));
  }

  /** Hadoop and the libraries of this build, without the build's own classes or jars. */
  private static String classPathWithoutVdfs() {
    return Arrays.stream(JavaCommand.classPath().split(File.pathSeparator))
        .filter(entry -> entry.endsWith(".jar"))
        .filter(entry -> !new File(entry).getName().startsWith("vdfs-"))
        .collect(Collectors.joining(","));
  }

  private static Map<String, String> logicalSplits() {
    Map<String, String> options = new HashMap<>();
    options.put("mapreduce.job.inputformat.class", VdfsInputFormat.class.getName());
    return options;
  }

  private static Map<String, String> gated(Path output) throws IOException {
    Map<String, String> options = logicalSplits();
    options.put(InputKeys.WRAPPED_FORMAT, GatedTextInputFormat.class.getName());
    options.put(TaskGates.DIRECTORY, gateDirectory(output).toString());
    return options;
  }

  private static TaskGates gates(Path output) throws IOException {
    return new TaskGates(gateDirectory(output));
  }

  private static java.nio.file.Path gateDirectory(Path output) throws IOException {
    return clusters.localDirectory("gates-" + output.getName());
  }

  private static Status status(List<TaskCompletionEvent> attempts, int attempt) {
    return attempts.stream()
        .filter(event -> event.getTaskAttemptId().getId() == attempt)
        .findFirst()
        .orElseThrow()
        .getStatus();
  }

  private static List<TaskCompletionEvent> finishedMaps(Job job)
      throws IOException, InterruptedException {
    return Arrays.stream(job.getTaskCompletionEvents(0, 1_000))
        .filter(TaskCompletionEvent::isMapTask)
        .filter(event -> event.getStatus() == Status.SUCCEEDED)
        .toList();
  }

  /** A node with a finished map, but neither the stopped attempt nor the ApplicationMaster. */
  private static String nodeToLose(Job job, String stoppedHost) throws Exception {
    String master =
        clusters.yarn().applicationMasterHost(TypeConverter.toYarn(job.getJobID()).getAppId());
    return finishedMaps(job).stream()
        .map(MapReduceIT::host)
        .filter(host -> !host.equals(stoppedHost) && !host.equals(master))
        .findFirst()
        .orElseThrow();
  }

  private static Set<Integer> tasksOn(Job job, String host)
      throws IOException, InterruptedException {
    return finishedMaps(job).stream()
        .filter(event -> host(event).equals(host))
        .map(MapReduceIT::task)
        .collect(Collectors.toSet());
  }

  private static boolean ranAgain(Job job, Set<Integer> tasks)
      throws IOException, InterruptedException {
    return finishedMaps(job).stream()
        .filter(event -> event.getTaskAttemptId().getId() > 0)
        .map(MapReduceIT::task)
        .collect(Collectors.toSet())
        .containsAll(tasks);
  }

  private static int task(TaskCompletionEvent event) {
    return event.getTaskAttemptId().getTaskID().getId();
  }

  private static String host(TaskCompletionEvent event) {
    return URI.create(event.getTaskTrackerHttp()).getHost();
  }
}
