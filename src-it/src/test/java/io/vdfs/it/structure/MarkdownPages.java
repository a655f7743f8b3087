package io.vdfs.it.structure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Pages in Markdown, and whether their relative links lead somewhere. Anchors are GitHub's: the
 * heading in lower case without punctuation, with hyphens for blanks, and with {@code -1} and so on
 * behind it where the page has had it before. Immutable.
 */
final class MarkdownPages {
  private static final Pattern HEADING = Pattern.compile("^#{1,6} +(.*)$");
  private static final Pattern FENCE = Pattern.compile("^\\s*```.*$");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^()\\s]+)\\)");
  private static final Pattern LINK_IN_HEADING = Pattern.compile("\\[([^\\]]*)\\]\\([^)]*\\)");
  private static final Pattern CODE = Pattern.compile("`[^`]*`");
  private static final Pattern SCHEME = Pattern.compile("^[a-z]+:.*");
  private static final Pattern DROPPED = Pattern.compile("[^\\p{L}\\p{M}\\p{N}\\p{Pc}\\- ]");

  private final Path root;
  private final Map<Path, String> prose = new TreeMap<>();
  private final Map<Path, Set<String>> anchors = new HashMap<>();

  private MarkdownPages(Path root) {
    this.root = root;
  }

  /**
   * Reads the pages that lie at or below some paths of a directory.
   *
   * @param root the directory that the pages' names and the files that they link to start from
   * @param tops files and directories, relative to it
   */
  static MarkdownPages of(Path root, String... tops) throws IOException {
    MarkdownPages pages = new MarkdownPages(root);
    for (String top : tops) {
      List<Path> files;
      try (Stream<Path> walk = Files.walk(root.resolve(top))) {
        files = walk.filter(file -> file.toString().endsWith(".md")).toList();
      }
      for (Path file : files) {
        pages.read(root.relativize(file), Files.readAllLines(file));
      }
    }
    return pages;
  }

  private void read(Path file, List<String> lines) {
    StringBuilder text = new StringBuilder();
    Set<String> here = new LinkedHashSet<>();
    Map<String, Integer> seen = new HashMap<>();
    boolean fenced = false;
    for (String line : lines) {
      if (FENCE.matcher(line).matches()) {
        fenced = !fenced;
      } else if (!fenced) {
        text.append(line).append('\n');
        Matcher heading = HEADING.matcher(line);
        if (heading.matches()) {
          String anchor = anchor(heading.group(1));
          int before = seen.merge(anchor, 1, Integer::sum) - 1;
          here.add(before == 0 ? anchor : anchor + "-" + before);
        }
      }
    }
    prose.put(file, CODE.matcher(text).replaceAll(""));
    anchors.put(file, here);
  }

  private static String anchor(String heading) {
    String shown = LINK_IN_HEADING.matcher(heading.strip()).replaceAll("$1");
    return DROPPED.matcher(shown.toLowerCase(Locale.ROOT)).replaceAll("").replace(' ', '-');
  }

  /** How many pages there are. */
  int size() {
    return prose.size();
  }

  /** Whether a page, by its path relative to the root, has a heading with that text. */
  boolean hasHeading(Path page, String heading) {
    return anchors.getOrDefault(page, Set.of()).contains(anchor(heading));
  }

  /** Links to files or headings that are not there, as {@code page: target}, by page. */
  List<String> broken() {
    return prose.entrySet().stream()
        .flatMap(
            page ->
                LINK.matcher(page.getValue())
                    .results()
                    .map(link -> link.group(1))
                    .filter(target -> !leads(page.getKey(), target))
                    .map(target -> page.getKey() + ": " + target))
        .toList();
  }

  private boolean leads(Path from, String target) {
    if (SCHEME.matcher(target).matches()) {
      return true;
    }
    int hash = target.indexOf('#');
    String file = hash < 0 ? target : target.substring(0, hash);
    Path to = file.isEmpty() ? from : from.resolveSibling(file).normalize();
    if (!Files.exists(root.resolve(to))) {
      return false;
    }
    return hash < 0 || anchors.getOrDefault(to, Set.of()).contains(target.substring(hash + 1));
  }
}
