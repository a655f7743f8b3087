package io.vdfs.it.quickstart;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * {@code bin/vdfs quickstart} as a process with its own directory for temporary files. Confined to
 * the test's thread.
 */
final class QuickstartCommand implements AutoCloseable {
  private static final Duration PAUSE = Duration.ofMillis(50);

  private final Path output;
  private final Path error;
  private final Path temporary;
  private final Process process;

  private QuickstartCommand(Path output, Path error, Path temporary, Process process) {
    this.output = output;
    this.error = error;
    this.temporary = temporary;
    this.process = process;
  }

  /**
   * @param directory exists and is empty
   */
  static QuickstartCommand start(
      Path directory, Map<String, String> environment, String... arguments) throws IOException {
    Path output = directory.resolve("output");
    Path error = directory.resolve("error");
    Path temporary = Files.createDirectory(directory.resolve("tmp"));
    List<String> command = new ArrayList<>();
    // a build in the background ignores interrupts, and so would every process that it starts
    command.addAll(List.of("env", "--default-signal=INT"));
    command.add(Path.of(System.getProperty("vdfs.home"), "bin", "vdfs").toString());
    command.add("quickstart");
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(output.toFile()).redirectError(error.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("TMPDIR", temporary.toString());
    builder.environment().putAll(environment);
    return new QuickstartCommand(output, error, temporary, builder.start());
  }

  int awaitExit(Duration limit) throws InterruptedException, IOException {
    assertTrue(
        process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS),
        "still running after " + limit + ":\n" + output() + error());
    return process.exitValue();
  }

  void signal(String name) throws IOException, InterruptedException {
    List<String> kill = List.of("kill", "-" + name, Long.toString(process.pid()));
    int exit = new ProcessBuilder(kill).start().waitFor();
    assertTrue(exit == 0, "the quickstart has ended early:\n" + output() + error());
  }

  /** Waits for a condition, as long as the command runs. */
  void await(String what, Duration limit, BooleanSupplier condition) throws IOException {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertTrue(
          process.isAlive() && System.nanoTime() - start < limit.toNanos(),
          "no " + what + ":\n" + output() + error());
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  /** Waits until nothing is left of the command, no process and no file. */
  void awaitNothingLeft(Duration limit) throws IOException {
    long start = System.nanoTime();
    while (!processes().isEmpty() || !files().isEmpty()) {
      assertTrue(
          System.nanoTime() - start < limit.toNanos(),
          "left: processes=" + processes() + ", files=" + files());
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  /** Command lines of processes that name the directory for temporary files. */
  List<String> processes() throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
      for (Path entry : processes.toList()) {
        String commandLine = commandLine(entry);
        if (commandLine.contains(temporary + "/")) {
          found.add(commandLine);
        }
      }
    }
    return found;
  }

  private static String commandLine(Path process) {
    try {
      return new String(Files.readAllBytes(process.resolve("cmdline")), StandardCharsets.ISO_8859_1)
          .replace('\0', ' ');
    } catch (IOException e) {
      // no process, or one that is ending
      return "";
    }
  }

  /** Everything below the directory for temporary files. */
  List<Path> files() throws IOException {
    try (Stream<Path> entries = Files.list(temporary)) {
      return entries.toList();
    }
  }

  String output() throws IOException {
    return Files.readString(output, StandardCharsets.UTF_8);
  }

  String error() throws IOException {
    return Files.readString(error, StandardCharsets.UTF_8);
  }

  /** Ends the command if it still runs; it cleans up on its own. */
  @Override
  public void close() {
    process.destroyForcibly();
  }
}
