package io.vdfs.it.structure;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A renamed cluster test does not drop unnoticed from the list of tests that run alone. */
class LoneTestsTest {
  private static final Path LIST = Path.of("src", "test", "resources", "lone-tests.txt");
  private static final Path TESTS = Path.of("src", "test", "java");

  @Test
  void shouldListTestsThatExist() throws IOException {
    List<String> patterns =
        Files.readAllLines(LIST).stream().filter(line -> !line.startsWith("#")).toList();
    assertFalse(patterns.isEmpty());
    for (String pattern : patterns) {
      PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + pattern + ".java");
      try (Stream<Path> files = Files.walk(TESTS)) {
        assertTrue(files.map(TESTS::relativize).anyMatch(matcher::matches), pattern);
      }
    }
  }
}
