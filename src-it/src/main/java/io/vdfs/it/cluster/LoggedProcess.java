package io.vdfs.it.cluster;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A child process whose standard output and error each go to a file. It is killed when closed.
 * Confined to the thread that started it.
 */
public final class LoggedProcess implements AutoCloseable {
  private static final Duration DEATH_LIMIT = Duration.ofSeconds(10);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(15);

  private final String name;
  private final Process process;
  private final Path output;
  private final Path error;
  private final int errorBefore;

  private LoggedProcess(String name, Process process, Path output, Path error, int errorBefore) {
    this.name = name;
    this.process = process;
    this.output = output;
    this.error = error;
    this.errorBefore = errorBefore;
  }

  /**
   * @param name of the log files, which are appended to
   * @param environment added to that of this process
   */
  public static LoggedProcess start(
      String name, Path logDirectory, List<String> command, Map<String, String> environment)
      throws IOException {
    Path output = logDirectory.resolve(name + ".out");
    Path error = logDirectory.resolve(name + ".err");
    int errorBefore = Files.exists(error) ? Math.toIntExact(Files.size(error)) : 0;
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
            .redirectError(ProcessBuilder.Redirect.appendTo(error.toFile()));
    builder.environment().putAll(environment);
    return new LoggedProcess(name, builder.start(), output, error, errorBefore);
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** What it has written to standard output so far. */
  public String output() throws IOException {
    return Files.readString(output, StandardCharsets.UTF_8);
  }

  /** What it has written to standard error so far. */
  public String error() throws IOException {
    return Files.readString(error, StandardCharsets.UTF_8);
  }

  /** As {@link #error}, without what was there before, from others of its name. */
  public String errorOfItsOwn() throws IOException {
    byte[] all = Files.readAllBytes(error);
    return new String(all, errorBefore, all.length - errorBefore, StandardCharsets.UTF_8);
  }

  /**
   * @return the exit code
   * @throws IllegalStateException if it is still running then; it is not killed
   */
  public int awaitExit(Duration limit) throws IOException, InterruptedException {
    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new IllegalStateException(
          name + " still runs after " + limit + ": pid=" + pid() + "\n" + tail());
    }
    return process.exitValue();
  }

  /** Sends SIGKILL; returns when the process is gone. */
  public void kill() throws IOException, InterruptedException {
    process.destroyForcibly();
    awaitExit(DEATH_LIMIT);
  }

  /** The end of what it has written. */
  public String tail() throws IOException {
    String all = output() + error();
    return all.substring(Math.max(0, all.length() - 4_000));
  }

  /** Asks the process to end, and kills it if it does not. */
  @Override
  public void close() throws IOException {
    process.destroy();
    try {
      if (!process.waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        kill();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while ending " + name);
    }
  }
}
