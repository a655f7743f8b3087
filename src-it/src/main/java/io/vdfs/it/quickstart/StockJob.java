package io.vdfs.it.quickstart;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A program of hadoop-mapreduce-examples, unmodified, in a JVM of its own as {@code hadoop jar}
 * runs it. Confined to the main thread.
 */
final class StockJob {
  private static final String DRIVER = "org.apache.hadoop.examples.ExampleDriver";
  private static final String INPUT_FORMAT =
      "-Dmapreduce.job.inputformat.class=io.vdfs.mapreduce.VdfsInputFormat";
  private static final Duration LIMIT = Duration.ofHours(1);

  /** Watches a program while it runs. */
  @FunctionalInterface
  interface Watch {
    /** How far its jobs are, in a line. */
    String state() throws IOException, InterruptedException;
  }

  private final RunDirectory run;
  private final Children children;

  StockJob(RunDirectory run, Children children) {
    this.run = run;
    this.children = children;
  }

  /**
   * Runs a program to its end.
   *
   * @param program as in {@code wordcount}
   * @param watch asked how far its jobs are, again and again
   * @throws QuickstartException if it fails
   */
  void run(String program, List<String> arguments, Screen screen, Watch watch)
      throws QuickstartException, IOException, InterruptedException {
    Process process = children.start(program, command(program, arguments), Map.of());
    long start = System.nanoTime();
    while (!process.waitFor(500, TimeUnit.MILLISECONDS)) {
      screen.progress(watch.state());
      if (System.nanoTime() - start > LIMIT.toNanos()) {
        throw new QuickstartException(program + " still runs after " + LIMIT.toMinutes() + " min");
      }
    }
    if (process.exitValue() != 0) {
      throw new QuickstartException(
          program + " failed: exit code=" + process.exitValue() + ", cause=" + cause(program));
    }
  }

  private List<String> command(String program, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", classPath(), DRIVER, program, INPUT_FORMAT));
    command.addAll(arguments);
    return command;
  }

  private String classPath() throws IOException {
    StringBuilder classPath = new StringBuilder(run.conf().toString());
    for (Path jar : VdfsInstallation.hadoopClassPath()) {
      classPath.append(File.pathSeparatorChar).append(jar);
    }
    return classPath.toString();
  }

  /** The first line of its log that reports a failure. */
  private String cause(String program) throws IOException {
    List<String> lines = children.lines(program);
    return lines.stream()
        .filter(line -> line.contains("failed with state") || line.contains("Exception"))
        .findFirst()
        .orElse(lines.isEmpty() ? "none given" : lines.get(lines.size() - 1))
        .strip();
  }
}
