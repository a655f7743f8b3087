package io.vdfs.it.structure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.it.cluster.VdfsHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What {@code docs/developing.md} names is there. */
class DevelopingDocTest {
  private static final Path HOME = VdfsHome.path();
  private static final Pattern CLASS = Pattern.compile("`([A-Z][a-z]\\w+)`");
  private static final Pattern THREAD = Pattern.compile("`(vdfs-[a-z-]+)`");
  private static final Pattern TEST = Pattern.compile("test=([A-Z]\\w+)");

  /** Generated messages, and a test that shall not exist, so that only another one is run. */
  private static final Set<String> NO_CLASS = Set.of("MetaRequest", "MetaResponse", "NoSuchTest");

  /** Modules whose names look like a thread's. */
  private static final Set<String> NO_THREAD = Set.of("vdfs-datanode");

  private static Set<String> named(Pattern pattern) throws IOException {
    Matcher matcher = pattern.matcher(Files.readString(HOME.resolve("docs/developing.md")));
    return matcher
        .results()
        .map(result -> result.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<Path> sources(String tree) throws IOException {
    try (Stream<Path> files =
        Files.find(HOME, 20, (file, attributes) -> attributes.isRegularFile())) {
      return files
          .filter(file -> file.toString().contains(tree) && file.toString().endsWith(".java"))
          .filter(file -> !file.toString().contains("/target/"))
          .toList();
    }
  }

  @Test
  void shouldNameClassesThatExist() throws IOException {
    Set<String> classes =
        sources("/src/").stream()
            .map(file -> file.getFileName().toString().replace(".java", ""))
            .collect(Collectors.toSet());
    Set<String> missing = named(CLASS);
    missing.addAll(named(TEST));
    assertTrue(missing.size() > 50, missing::toString);
    missing.removeAll(classes);
    missing.removeAll(NO_CLASS);

    assertEquals(Set.of(), missing);
  }

  @Test
  void shouldNameThreadsThatExist() throws IOException {
    StringBuilder code = new StringBuilder();
    for (Path file : sources("/src/main/")) {
      code.append(Files.readString(file));
    }
    Set<String> missing = named(THREAD);
    assertTrue(missing.size() > 20, missing::toString);
    missing.removeIf(thread -> code.indexOf("\"" + thread + "\"") >= 0);
    missing.removeAll(NO_THREAD);

    assertEquals(Set.of(), missing);
  }
}
