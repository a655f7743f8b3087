package io.vdfs.it.structure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A name means one type, so that no reader has to ask which. The classes of Hadoop's old API
 * ({@code mapred}) have the names of those of the new one, as Hadoop's own do.
 */
class TypeNamesTest {
  private static final Path HOME = Path.of("..");
  private static final Path MAIN = Path.of("src", "main", "java");

  @Test
  void shouldHaveNoTwoTypesOfOneName() throws IOException {
    try (Stream<Path> files = Files.walk(HOME, 16)) {
      List<Path> sources =
          files
              .map(HOME::relativize)
              .filter(file -> file.toString().startsWith("vdfs-"))
              .filter(file -> file.toString().contains(MAIN + "/"))
              .filter(file -> file.toString().endsWith(".java"))
              .filter(file -> !file.endsWith("package-info.java"))
              .filter(file -> !file.getParent().endsWith("mapred"))
              .toList();
      assertTrue(sources.size() > 900, () -> "sources=" + sources.size());
      assertEquals(List.of(), severally(sources));
    }
  }

  @Test
  void shouldFindTwoOfOneName() {
    assertEquals(
        List.of("[a/B.java, c/B.java]"),
        severally(List.of(Path.of("c", "B.java"), Path.of("a", "C.java"), Path.of("a", "B.java"))));
  }

  private static List<String> severally(List<Path> sources) {
    return sources.stream()
        .collect(
            Collectors.groupingBy(
                file -> file.getFileName().toString(),
                TreeMap::new,
                Collectors.toCollection(TreeSet::new)))
        .entrySet()
        .stream()
        .map(Map.Entry::getValue)
        .filter(files -> files.size() > 1)
        .map(Collection::toString)
        .toList();
  }
}
