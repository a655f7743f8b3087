package io.vdfs.it.jobs;

import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.JavaCommand;
import io.vdfs.it.cluster.LoggedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.mapreduce.JobID;

/**
 * A program of hadoop-mapreduce-examples, run as {@code hadoop jar} runs it, in a JVM of its own.
 * Confined to the thread that started it; closing it kills the client, not its jobs.
 */
public final class StockExample implements AutoCloseable {
  private static final String DRIVER = "org.apache.hadoop.examples.ExampleDriver";
  private static final Pattern SUBMITTED = Pattern.compile("Running job: (job_\\d+_\\d+)");
  private static final String LOGGING =
      """
      log4j.rootLogger=WARN,console
      log4j.logger.org.apache.hadoop.mapreduce=INFO
      log4j.appender.console=org.apache.log4j.ConsoleAppender
      log4j.appender.console.target=System.err
      log4j.appender.console.layout=org.apache.log4j.PatternLayout
      log4j.appender.console.layout.ConversionPattern=%d{HH:mm:ss.SSS} %p %c{2}: %m%n
      """;

  private final LoggedProcess process;

  private StockExample(LoggedProcess process) {
    this.process = process;
  }

  /**
   * @param confDirectory holds Hadoop's configuration files
   * @param logName unique among the examples with this configuration
   * @param program name of the example: {@code wordcount}
   * @param options job properties, given with {@code -D}
   * @param arguments of the program
   */
  public static StockExample start(
      Path confDirectory,
      String logName,
      String program,
      Map<String, String> options,
      List<String> arguments)
      throws IOException {
    Files.writeString(confDirectory.resolve("log4j.properties"), LOGGING);
    List<String> command = new ArrayList<>();
    command.add(program);
    options.forEach((key, value) -> command.add("-D" + key + "=" + value));
    command.addAll(arguments);
    return new StockExample(
        LoggedProcess.start(
            logName,
            confDirectory,
            JavaCommand.of(confDirectory, "256m", DRIVER, command),
            Map.of()));
  }

  /** Waits until its first job is submitted. */
  public JobID awaitFirstJob(Duration limit) throws Exception {
    return Await.value(
        "a job to be submitted",
        limit,
        () -> {
          if (!process.isAlive() && jobs().isEmpty()) {
            throw new IOException("the example ended without a job:\n" + process.tail());
          }
          return jobs().isEmpty() ? Optional.empty() : Optional.of(jobs().get(0));
        });
  }

  /**
   * Waits until it has ended well.
   *
   * @return the jobs it has run, in their order
   * @throws IOException if it failed, with its output
   */
  public List<JobID> await(Duration limit) throws IOException, InterruptedException {
    int exit = process.awaitExit(limit);
    if (exit != 0) {
      throw new IOException("the example failed: exit code=" + exit + "\n" + process.tail());
    }
    return jobs();
  }

  private List<JobID> jobs() throws IOException {
    List<JobID> jobs = new ArrayList<>();
    Matcher matcher = SUBMITTED.matcher(process.error());
    while (matcher.find()) {
      jobs.add(JobID.forName(matcher.group(1)));
    }
    return jobs;
  }

  @Override
  public void close() throws IOException {
    process.close();
  }
}
