package io.vdfs.common.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs the races of {@code src/race} under jcstress, in virtual machines of their own: briefly in
 * each build, in all modes with {@code -Praces}.
 */
class RacesTest {
  private static final int RACES = 5;
  private static final Pattern RESULTS =
      Pattern.compile("Results: (\\d+) planned; (\\d+) passed, (\\d+) failed");

  @Test
  @Timeout(3600)
  void shouldShowAllowedOutcomesOnly() throws IOException, InterruptedException {
    Path directory = Path.of(System.getProperty("vdfs.races.directory"));
    Files.createDirectories(directory);
    Path log = directory.resolve("log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of("org.openjdk.jcstress.Main", "-t", "io.vdfs.common.segment"));
    command.addAll(List.of("-r", directory.toString()));
    command.addAll(List.of(System.getProperty("vdfs.races").split(" ")));

    Process races =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertTrue(races.waitFor(55, TimeUnit.MINUTES), "still running: log=" + log);
    } finally {
      races.destroyForcibly();
    }

    String said = Files.readString(log);
    assertEquals(0, races.exitValue(), said);
    Matcher results = RESULTS.matcher(said);
    int passed = 0;
    while (results.find()) {
      passed = Integer.parseInt(results.group(2));
    }
    assertTrue(passed >= RACES, said);
  }
}
