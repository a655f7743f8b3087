package io.vdfs.it.structure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.it.cluster.VdfsHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links of README and docs lead somewhere, and so do the pages that code and settings name. */
class MarkdownPagesTest {
  private static final Path HOME = VdfsHome.path();
  private static final Pattern SOURCE = Pattern.compile(".*\\.(java|xml|sh|proto|properties)");
  private static final Pattern LITERALS = Pattern.compile("\"\\s*\\+\\s*\"");
  private static final Pattern NAMED =
      Pattern.compile("(?:'([A-Z][^'\"\\n]+)' in\\s+)?\\b(docs/[\\w/-]+\\.md)");

  private static MarkdownPages pages;

  @TempDir private Path directory;

  @BeforeAll
  static void read() throws IOException {
    pages = MarkdownPages.of(HOME, "README.md", "docs");
    assertTrue(pages.size() > 50, () -> "pages=" + pages.size());
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files =
        Files.find(HOME, 20, (file, attributes) -> attributes.isRegularFile())) {
      return files
          .filter(file -> SOURCE.matcher(file.toString()).matches())
          .filter(file -> !file.toString().contains("/target/"))
          .toList();
    }
  }

  private List<String> brokenIn(String text) throws IOException {
    Files.writeString(directory.resolve("page.md"), text);
    return MarkdownPages.of(directory, "").broken();
  }

  @Test
  void shouldLinkToWhatExists() {
    assertEquals(List.of(), pages.broken());
  }

  @Test
  void shouldNamePagesAndHeadingsThatExistInSources() throws IOException {
    List<String> wrong = new ArrayList<>();
    int[] named = new int[2];
    for (Path file : sources()) {
      String text = LITERALS.matcher(Files.readString(file)).replaceAll("");
      NAMED
          .matcher(text)
          .results()
          .forEach(
              result -> {
                named[0]++;
                Path page = Path.of(result.group(2));
                boolean right = Files.exists(HOME.resolve(page));
                if (result.group(1) != null) {
                  named[1]++;
                  right = pages.hasHeading(page, result.group(1));
                }
                if (!right) {
                  wrong.add(HOME.relativize(file) + ": " + result.group());
                }
              });
    }
    assertTrue(named[0] > 10 && named[1] > 2, () -> named[0] + ", " + named[1]);
    assertEquals(List.of(), wrong);
  }

  @Test
  void shouldFindLinkToNoFile() throws IOException {
    assertEquals(
        List.of("page.md: gone.md", "page.md: ../gone.svg", "page.md: gone.md#there"),
        brokenIn("[a](gone.md) ![b](../gone.svg) [c](gone.md#there) [d](page.md) [e](https://f)"));
  }

  @Test
  void shouldFindLinkToNoHeading() throws IOException {
    String headings = "# One `two`, [three](page.md): A_B-c!\n\n## Again\n\n## Again\n\n";

    assertEquals(
        List.of("page.md: #gone", "page.md: page.md#again-2"),
        brokenIn(
            headings
                + "[a](#one-two-three-a_b-c) [b](page.md#again) [c](#again-1) [d](#gone)"
                + " [e](page.md#again-2)"));
  }

  @Test
  void shouldNotLookIntoCode() throws IOException {
    assertEquals(
        List.of("page.md: #heading"),
        brokenIn("`[a](gone.md)`\n\n```\n# Heading\n[b](gone.md)\n```\n\n[c](#heading)\n"));
  }
}
