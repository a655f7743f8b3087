package io.vdfs.it.quickstart;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects text that is on every machine that has built VDFS: the poms of a local Maven repository,
 * and licences, manifests, properties and documents from its jars. Confined to the main thread.
 */
final class RepositoryText {
  private static final Logger LOG = LoggerFactory.getLogger(RepositoryText.class);
  private static final int MAX_ENTRY = 4 << 20;
  private static final Set<String> ENDINGS = Set.of("txt", "md", "html", "xml", "properties", "mf");
  private static final Set<String> NAMES = Set.of("license", "notice", "readme", "copying");

  private final long limit;
  private final Screen screen;
  private long bytes;
  private int poms;
  private int jars;

  /**
   * @param limit bytes after which no further file is opened
   */
  RepositoryText(long limit, Screen screen) {
    this.limit = limit;
    this.screen = screen;
  }

  /** Writes the text of {@code repository} to {@code target}, in the order of paths. */
  void collect(Path repository, Path target) throws IOException {
    try (Stream<Path> tree = Files.walk(repository);
        OutputStream out = new BufferedOutputStream(Files.newOutputStream(target), 1 << 20)) {
      Iterator<Path> paths = tree.sorted().iterator();
      while (paths.hasNext() && bytes < limit) {
        Path path = paths.next();
        String name = path.getFileName().toString();
        if (name.endsWith(".pom")) {
          poms++;
          append(Files.readAllBytes(path), out);
        } else if (name.endsWith(".jar")) {
          jars++;
          appendEntries(path, out);
        }
        screen.progress(this.toString());
      }
    }
  }

  private void appendEntries(Path jar, OutputStream out) throws IOException {
    try (ZipInputStream in = new ZipInputStream(Files.newInputStream(jar))) {
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        if (isText(entry.getName())) {
          append(readEntry(in), out);
        }
      }
    } catch (IOException e) {
      LOG.warn("passed over a jar that cannot be read: {}", jar, e);
    }
  }

  private static byte[] readEntry(InputStream in) throws IOException {
    return in.readNBytes(MAX_ENTRY);
  }

  private void append(byte[] text, OutputStream out) throws IOException {
    for (byte b : text) {
      if (b == 0) {
        return;
      }
    }
    out.write(text);
    out.write('\n');
    bytes += text.length + 1;
  }

  static boolean isText(String entry) {
    String name = entry.substring(entry.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
    String ending = name.substring(name.lastIndexOf('.') + 1);
    return ENDINGS.contains(ending) || NAMES.contains(ending);
  }

  /** How much has been collected, and from where. */
  @Override
  public String toString() {
    return Amounts.mebibytes(bytes)
        + " out of "
        + Amounts.of(poms, "pom")
        + " and "
        + Amounts.of(jars, "jar");
  }
}
