package io.vdfs.it.once;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;
import org.apache.hadoop.mapreduce.lib.output.committer.manifest.ManifestCommitterFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Jobs over numbered records while something dies: nothing is missing, nothing doubled, and with a
 * reducer the output is the same, byte for byte, as that of a job to which nothing happened. A run
 * whose fault did not happen fails.
 *
 * <p>The build makes the runs {@value #DEFAULT_RUNS}, the Maven profile {@code exactly-once} makes
 * 30; {@code -Donce.runs=3,7,20-29} chooses others.
 */
@Timeout(300)
class ExactlyOnceIT {
  private static final String DEFAULT_RUNS = "0-2";

  /** In the order in which they take their turns. */
  private static final List<Fault> FAULTS =
      List.of(
          Fault.TERMINATE_MASTER,
          Fault.FREEZE_THIEF,
          Fault.KILL_ATTEMPT,
          Fault.KILL_DATA_NODE,
          Fault.KILL_MASTER,
          Fault.LOSE_NODE_MANAGER,
          Fault.EXPIRE_SESSION,
          Fault.KILL_CONTAINER,
          Fault.KILL_MASTER_WITHOUT_RECOVERY,
          Fault.KILL_MASTER_THAT_RUNS_THE_TASKS,
          Fault.PREEMPT);

  private static final List<Committer> COMMITTERS =
      List.of(Committer.ALGORITHM_1, Committer.ALGORITHM_2, Committer.MANIFEST);

  private static OnceCluster cluster;
  private static byte[] quiet;

  /** Ways to commit output; the audit wraps them all. */
  private enum Committer {
    ALGORITHM_1("mapreduce.fileoutputcommitter.algorithm.version", "1"),
    ALGORITHM_2("mapreduce.fileoutputcommitter.algorithm.version", "2"),
    MANIFEST(
        PathOutputCommitterFactory.COMMITTER_FACTORY_CLASS,
        ManifestCommitterFactory.class.getName());

    private final String key;
    private final String value;

    Committer(String key, String value) {
      this.key = key;
      this.value = value;
    }
  }

  /**
   * One job and its fault.
   *
   * @param reducers none: the job writes pairs (record, attempt)
   * @param oldApi whether mapper, formats and committer are those of {@code mapred}
   */
  private record Run(
      int number,
      Fault fault,
      int reducers,
      Committer committer,
      boolean speculation,
      boolean oldApi) {
    static Run of(int number) {
      Fault fault = FAULTS.get(number % FAULTS.size());
      int round = number / FAULTS.size();
      boolean reduce = fault.needsReducer() || (number + round) % 2 == 1;
      Committer committer = COMMITTERS.get((number + round) % COMMITTERS.size());
      boolean even = round % 2 == 0;
      return new Run(number, fault, reduce ? 1 : 0, committer, even, !reduce && !even);
    }

    String name() {
      return "run" + number;
    }

    Map<String, String> options() throws IOException {
      Map<String, String> options = new HashMap<>();
      options.put(committer.key, committer.value);
      options.put("mapreduce.map.speculative", Boolean.toString(speculation));
      options.putAll(fault.options(cluster.localDirectory("gate" + name())));
      return options;
    }
  }

  @BeforeAll
  @Timeout(180)
  static void start() throws Exception {
    cluster = OnceCluster.start();
    Map<String, String> options = new HashMap<>();
    options.put("mapreduce.job.ubertask.enable", "true");
    options.put(OnceJob.REST_MILLIS, "0");
    RunningOnce job = cluster.submit("quiet", 1, options, false);
    job.awaitSuccess();
    cluster.assertExact(job.output());
    quiet = reduced(job.output());
  }

  @AfterAll
  static void stop() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
  }

  static List<Run> runs() {
    String chosen = System.getProperty("vdfs.it.once.runs", DEFAULT_RUNS);
    return Arrays.stream(chosen.split(",", -1))
        .flatMapToInt(ExactlyOnceIT::range)
        .mapToObj(Run::of)
        .toList();
  }

  /**
   * @param text a number, or the first and the last one with a dash between
   */
  private static IntStream range(String text) {
    String[] ends = text.split("-", 2);
    return IntStream.rangeClosed(
        Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]));
  }

  @ParameterizedTest
  @MethodSource("runs")
  void shouldProcessEachRecordOnce(Run run) throws Exception {
    cluster.yarn().awaitIdle();
    RunningOnce job = cluster.submit(run.name(), run.reducers(), run.options(), run.oldApi());
    Fault.Trace trace = run.fault().strike(job, run.number() % OnceCluster.NODES);
    job.awaitSuccess();
    trace.check(job);
    cluster.assertExact(job.output());
    if (run.reducers() == 1) {
      assertArrayEquals(quiet, reduced(job.output()));
    }
  }

  private static byte[] reduced(Path output) throws IOException {
    try (FSDataInputStream in = cluster.fileSystem().open(new Path(output, "part-r-00000"))) {
      return in.readAllBytes();
    }
  }
}
