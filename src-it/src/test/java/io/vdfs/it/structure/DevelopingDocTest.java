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

/** Everything that {@code docs/developing.md} and {@code docs/formats.md} name exists. */
class DevelopingDocTest {
  private static final Path HOME = VdfsHome.path();
  private static final Pattern CLASS = Pattern.compile("`([A-Z][a-z]\\w+)`");
  private static final Pattern THREAD = Pattern.compile("`(vdfs-[a-z-]+)`");
  private static final Pattern TEST = Pattern.compile("test=([A-Z]\\w+)");

  private static final Pattern MESSAGE = Pattern.compile("(?m)^message (\\w+)");
  private static final Pattern VERSION =
      Pattern.compile("static final (?:int|byte) (?:FORMAT_)?VERSION = (\\d+);");

  /** A test that must not exist, so that only another one is run. */
  private static final Set<String> NO_CLASS = Set.of("NoSuchTest");

  /** Modules whose names look like a thread's. */
  private static final Set<String> NO_THREAD = Set.of("vdfs-datanode");

  private static String developing() throws IOException {
    return Files.readString(HOME.resolve("docs/developing.md"));
  }

  private static String formats() throws IOException {
    return Files.readString(HOME.resolve("docs/formats.md"));
  }

  private static Set<String> named(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map(result -> result.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<Path> sources(String tree, String suffix) throws IOException {
    try (Stream<Path> files =
        Files.find(HOME, 20, (file, attributes) -> attributes.isRegularFile())) {
      return files
          .filter(file -> file.toString().contains(tree) && file.toString().endsWith(suffix))
          .filter(file -> !file.toString().contains("/target/"))
          .toList();
    }
  }

  @Test
  void shouldNameClassesThatExist() throws IOException {
    Set<String> classes =
        sources("/src/", ".java").stream()
            .map(DevelopingDocTest::className)
            .collect(Collectors.toSet());
    for (Path messages : sources("/src/main/", ".proto")) {
      classes.addAll(named(MESSAGE, Files.readString(messages)));
    }
    Set<String> missing = named(CLASS, developing() + formats());
    missing.addAll(named(TEST, developing()));
    assertTrue(missing.size() > 50, missing::toString);
    missing.removeAll(classes);
    missing.removeAll(NO_CLASS);

    assertEquals(Set.of(), missing);
  }

  private static String className(Path source) {
    return source.getFileName().toString().replace(".java", "");
  }

  @Test
  void shouldTellNumberOfEachFormat() throws IOException {
    List<String> rows = formats().lines().filter(line -> line.startsWith("|")).toList();
    Set<String> told = new TreeSet<>();
    Set<String> untold = new TreeSet<>();
    for (Path file : sources("/src/main/", ".java")) {
      Matcher version = VERSION.matcher(Files.readString(file));
      if (version.find()) {
        String name = "`" + className(file) + "`";
        Pattern number = Pattern.compile("\\| " + version.group(1) + "\\b[^|]*\\|");
        boolean found =
            rows.stream().anyMatch(row -> row.contains(name) && number.matcher(row).find());
        (found ? told : untold).add(name + " " + version.group(1));
      }
    }
    assertTrue(told.size() > 10, told::toString);

    assertEquals(Set.of(), untold);
  }

  @Test
  void shouldNameThreadsThatExist() throws IOException {
    StringBuilder code = new StringBuilder();
    for (Path file : sources("/src/main/", ".java")) {
      code.append(Files.readString(file));
    }
    Set<String> missing = named(THREAD, developing());
    assertTrue(missing.size() > 20, missing::toString);
    missing.removeIf(thread -> code.indexOf("\"" + thread + "\"") >= 0);
    missing.removeAll(NO_THREAD);

    assertEquals(Set.of(), missing);
  }
}
