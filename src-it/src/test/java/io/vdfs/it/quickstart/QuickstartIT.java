package io.vdfs.it.quickstart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(value = OS.LINUX, disabledReason = "looks for left-over processes in /proc")
@Timeout(value = 6, unit = TimeUnit.MINUTES)
class QuickstartIT {
  private static final Duration RUN_LIMIT = Duration.ofMinutes(5);
  private static final Duration CLEANING_LIMIT = Duration.ofSeconds(30);

  /** Of each file. */
  private static final int LINES = 700_000;

  private static final String LINE = "Some Words of a Text File\n";
  private static final int NODES = 3;

  /** Of each node, as the quickstart shares out the machine's. */
  private static final int CORES =
      Math.max(1, Math.min(2, Runtime.getRuntime().availableProcessors() / NODES));

  private static final Pattern TASK = Pattern.compile("\n  \\d+ on (\\S+) ");
  private static final Pattern DREW = Pattern.compile(" map tasks?, 1 reduce task; drew 9 blocks");
  private static final Pattern KILLED =
      Pattern.compile(
          "Meanwhile the DataNode at (?<host>\\S+) was killed when \\d of 9 blocks were handed out;");

  @TempDir private Path directory;
  private String[] files;

  @BeforeEach
  void writeFiles() throws IOException {
    files = new String[NODES];
    for (int file = 0; file < NODES; file++) {
      Path path = directory.resolve("words" + file + ".txt");
      files[file] = Files.writeString(path, LINE.repeat(LINES)).toString();
    }
  }

  @Test
  void shouldRunStockJobsOnTheNamedFilesAndLeaveNothing() throws Exception {
    try (QuickstartCommand command = start(files)) {
      int exitCode = command.awaitExit(RUN_LIMIT);
      String output = command.output();
      assertEquals("", command.error(), output);
      assertEquals(0, exitCode, output);
      assertContains(output, "wordcount: 12,600,000 words, 6 different; the most frequent\n");
      assertContains(output, "       2,100,000  Words\n");
      assertContains(output, "grep '[A-Z][a-z]+ [A-Z][a-z]+': 4,200,000 matches, 2 different");
      assertContains(output, "       2,100,000  Some Words\n");
      assertTrue(DREW.matcher(output).find(), output);
      assertTasksOnNodes(section(output, "Blocks of wordcount, by node and by task\n"));
      assertTasksOnNodes(section(output, "Blocks of grep, by node and by task\n"));
      Matcher killed = KILLED.matcher(output);
      assertTrue(killed.find(), output);
      assertContains(output, "the answer is the one that counting in the local files gives.\n");
      assertFalse(section(output, "Reads of the nodes for wordcount\n").contains("killed"), output);
      assertContains(
          section(output, "Reads of the nodes for grep\n").replaceAll(" +", " "),
          "\n " + killed.group("host") + " killed\n");
      command.awaitNothingLeft(Duration.ZERO);
    }
  }

  private static String section(String output, String title) {
    int start = output.indexOf(title);
    assertTrue(start >= 0, "missing '" + title + "' in:\n" + output);
    return output.substring(start, output.indexOf("\n\n", start) + 1);
  }

  /** No node has more tasks than cores; which nodes small files lie on is chance. */
  private static void assertTasksOnNodes(String section) {
    List<String> hosts = TASK.matcher(section).results().map(task -> task.group(1)).toList();
    assertFalse(hosts.isEmpty(), section);
    assertTrue(hosts.size() <= CORES * Set.copyOf(hosts).size(), section);
  }

  @Test
  void shouldLeaveNothingWhenInterruptedWhileAJobRuns() throws Exception {
    try (QuickstartCommand command = start(files)) {
      command.await("container", RUN_LIMIT, () -> showsContainer(command));
      command.signal("INT");
      int exitCode = command.awaitExit(CLEANING_LIMIT);
      command.awaitNothingLeft(Duration.ZERO);
      assertEquals("vdfs quickstart: interrupted, cleaning up\n", command.error());
      assertEquals(130, exitCode);
    }
  }

  @Test
  void shouldLeaveNothingWhenKilledWhileDataNodesRun() throws Exception {
    try (QuickstartCommand command = start(files)) {
      command.await("DataNode", RUN_LIMIT, () -> showsDataNode(command));
      command.signal("KILL");
      command.awaitExit(CLEANING_LIMIT);
      command.awaitNothingLeft(CLEANING_LIMIT);
    }
  }

  @Test
  void shouldNameAFileThatDoesNotExist() throws Exception {
    assertFailure(
        "no such file: /no/such.txt; name text files that exist", Map.of(), "/no/such.txt");
  }

  @Test
  void shouldRefuseADirectory() throws Exception {
    String path = directory.toString();
    assertFailure(path + " is a directory; name its files instead: " + path + "/*", Map.of(), path);
  }

  @Test
  void shouldNameAWrongJava() throws Exception {
    Path java = Files.createDirectories(directory.resolve("jdk/bin")).resolve("java");
    Files.writeString(java, "#!/bin/sh\necho '    java.specification.version = 11'\n");
    assertTrue(java.toFile().setExecutable(true));
    assertFailure(
        "Java 11 found where JDK 17 is needed: command=" + java + "; set JAVA_HOME to a JDK 17",
        Map.of("JAVA_HOME", directory.resolve("jdk").toString()));
  }

  @Test
  void shouldNameASizeThatIsNone() throws Exception {
    assertFailure(
        "--size takes a number of MiB from 1 to 999999: many", Map.of(), "--size", "many");
  }

  private void assertFailure(String message, Map<String, String> environment, String... arguments)
      throws Exception {
    Path run = Files.createDirectory(directory.resolve("run"));
    try (QuickstartCommand command = QuickstartCommand.start(run, environment, arguments)) {
      int exitCode = command.awaitExit(CLEANING_LIMIT);
      assertEquals("vdfs quickstart: " + message + "\n", command.error());
      assertEquals("", command.output());
      assertEquals(1, exitCode);
      command.awaitNothingLeft(Duration.ZERO);
    }
  }

  private QuickstartCommand start(String... arguments) throws IOException {
    return QuickstartCommand.start(
        Files.createDirectory(directory.resolve("run")), Map.of(), arguments);
  }

  private static boolean showsContainer(QuickstartCommand command) {
    return shows(command, "-Dyarn.app.container.log.dir=");
  }

  private static boolean showsDataNode(QuickstartCommand command) {
    return shows(command, "io.vdfs.datanode.DataNodeMain");
  }

  private static boolean shows(QuickstartCommand command, String words) {
    try {
      return command.processes().stream().anyMatch(process -> process.contains(words));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void assertContains(String text, String part) {
    assertTrue(text.contains(part), "missing '" + part + "' in:\n" + text);
  }
}
