package io.vdfs.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code bin/vdfs} passes on about its terminals, seen by a fake JVM. */
@Timeout(60)
class TerminalTest {
  private static final Path SCRIPT = Path.of("bin", "vdfs");
  private static final List<Path> TERMINALS =
      List.of(Path.of("/usr/bin/script"), Path.of("/usr/bin/stty"));

  @TempDir private Path directory;

  @BeforeEach
  void install() throws IOException {
    Path home = Path.of("").toAbsolutePath();
    while (!Files.exists(home.resolve(SCRIPT))) {
      home = home.getParent();
    }
    Files.createDirectories(directory.resolve("bin"));
    Files.createDirectories(directory.resolve("vdfs-datanode/target/lib"));
    Files.createDirectories(directory.resolve("vdfs-client/cli/target/lib"));
    for (String name : List.of("vdfs", "vdfs-env.sh")) {
      Files.copy(home.resolve("bin").resolve(name), directory.resolve("bin").resolve(name));
    }
    Path java = directory.resolve("bin/java");
    Files.writeString(
        java,
        """
        #!/bin/sh
        for argument; do
          case $argument in -Dvdfs.*.width=*) echo "${argument#-D}" >>"$TOLD" ;; esac
        done
        """);
    assertTrue(java.toFile().setExecutable(true));
  }

  /** Runs a line in which {@code vdfs} stands for the script. */
  private List<String> widths(String... command) throws Exception {
    Path told = directory.resolve("told");
    ProcessBuilder process = new ProcessBuilder(command);
    process
        .environment()
        .putAll(
            Map.of(
                "JAVA_HOME", directory.toString(),
                "TOLD", told.toString(),
                "VDFS", directory.resolve(SCRIPT).toString()));
    Path output = directory.resolve("output");
    process.redirectErrorStream(true).redirectOutput(output.toFile());
    Process running = process.start();
    running.getOutputStream().close();
    assertTrue(running.waitFor(30, TimeUnit.SECONDS));
    assertEquals("", Files.readString(output).strip());
    assertEquals(0, running.exitValue());
    List<String> lines = new ArrayList<>(Files.readAllLines(told));
    Files.delete(told);
    return lines;
  }

  private List<String> onTerminal(String line) throws Exception {
    assumeTrue(TERMINALS.stream().allMatch(Files::isExecutable), "no means to have a terminal");
    return widths("script", "-qec", line, "/dev/null");
  }

  @Test
  void shouldTellNoWidthWhereThereIsNoTerminal() throws Exception {
    List<String> none = List.of("vdfs.terminal.width=0", "vdfs.output.width=0");
    assertEquals(none, widths("bash", "-c", "\"$VDFS\" report"));
    assertEquals(none, widths("bash", "-c", "\"$VDFS\" report >&-"));
  }

  @Test
  void shouldTellTheWidthOfEachTerminal() throws Exception {
    String size = "stty cols 123 rows 40; ";
    assertEquals(
        List.of("vdfs.terminal.width=123", "vdfs.output.width=123"),
        onTerminal(size + "\"$VDFS\" report"));
    assertEquals(
        List.of("vdfs.terminal.width=123", "vdfs.output.width=0"),
        onTerminal(size + "\"$VDFS\" report >/dev/null"));
    assertEquals(
        List.of("vdfs.terminal.width=0", "vdfs.output.width=123"),
        onTerminal(size + "\"$VDFS\" report 2>/dev/null"));
  }

  @Test
  void shouldTakeADefaultWhereATerminalDoesNotTellItsWidth() throws Exception {
    assertEquals(
        List.of("vdfs.terminal.width=80", "vdfs.output.width=80"),
        onTerminal("stty cols 0 rows 0; \"$VDFS\" report"));
  }
}
