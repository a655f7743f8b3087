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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Jobs over numbered records while something dies: nothing is missing, nothing doubled, and with a
 * reducer the output is the same, byte for byte, as that of an undisturbed job. A run whose fault
 * did not happen fails.
 *
 * <p>The build makes the runs {@value #DEFAULT_RUNS}, the Maven profile {@code exactly-once} makes
 * 30; {@code -Donce.runs=3,7,20-29} chooses others.
 */
@Timeout(300)
class ExactlyOnceIT {
  private static final String DEFAULT_RUNS = "0-1";

  private static OnceCluster cluster;
  private static byte[] quiet;

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

  static List<OnceRun> runs() {
    String chosen = System.getProperty("vdfs.it.once.runs", DEFAULT_RUNS);
    return Arrays.stream(chosen.split(",", -1))
        .flatMapToInt(ExactlyOnceIT::range)
        .mapToObj(OnceRun::of)
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
  void shouldProcessEachRecordOnce(OnceRun run) throws Exception {
    cluster.yarn().awaitIdle();
    Map<String, String> options = run.options(cluster.localDirectory("gate" + run.name()));
    RunningOnce job = cluster.submit(run.name(), run.reducers(), options, run.oldApi());
    Fault.Trace trace = run.fault().strike(job, run);
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
