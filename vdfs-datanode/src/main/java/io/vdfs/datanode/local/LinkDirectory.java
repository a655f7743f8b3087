package io.vdfs.datanode.local;

import io.vdfs.common.metrics.Counters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The names of a volume's combined files for local readers: hard links of 128 random bits in a
 * directory that others may pass through but not list. As the combined files themselves stand in a
 * directory that is closed to others, such a name is the only way to them. Thread-safe.
 */
final class LinkDirectory {
  static final String NAME = "local";

  private static final Logger LOG = LoggerFactory.getLogger(LinkDirectory.class);
  private static final int NAME_BYTES = 16;
  private static final Set<PosixFilePermission> PASS_THROUGH =
      PosixFilePermissions.fromString("rwx--x--x");
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");

  private final Path directory;
  private final SecureRandom random;
  private final Counters<LocalCounter> counters;

  private LinkDirectory(Path directory, SecureRandom random, Counters<LocalCounter> counters) {
    this.directory = directory;
    this.random = random;
    this.counters = counters;
  }

  /**
   * Makes the directory, or empties it of what an earlier run left.
   *
   * @param blocks holds the volume's combined files; closed to others from now on
   * @throws IOException if the filesystem lacks permissions or the directory cannot be used
   */
  static LinkDirectory open(
      Path volume, Path blocks, SecureRandom random, Counters<LocalCounter> counters)
      throws IOException {
    Path directory = volume.toAbsolutePath().resolve(NAME);
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectory(directory);
    }
    LinkDirectory links = new LinkDirectory(directory, random, counters);
    long found = links.clear();
    counters.add(LocalCounter.LINKS_FOUND, found);
    if (found > 0) {
      LOG.info(
          "removed names that an earlier run made for local readers: directory={}, names={}",
          directory,
          found);
    }
    // what the umask makes of a mode at creation does not matter
    Files.setPosixFilePermissions(directory, PASS_THROUGH);
    Files.createDirectories(blocks);
    Files.setPosixFilePermissions(blocks, OWNER_ONLY);
    return links;
  }

  /** A new name of {@code file}, which lies on the same volume. */
  Path link(Path file) throws IOException {
    byte[] name = new byte[NAME_BYTES];
    random.nextBytes(name);
    Path link = directory.resolve(HexFormat.of().formatHex(name));
    Files.createLink(link, file);
    counters.increment(LocalCounter.LINKS_MADE);
    return link;
  }

  void remove(Path link) {
    try {
      Files.deleteIfExists(link);
      counters.increment(LocalCounter.LINKS_REMOVED);
    } catch (IOException e) {
      counters.increment(LocalCounter.LINKS_STUCK);
      LOG.warn("a name for local readers stays until the next start: link={}", link, e);
    }
  }

  private long clear() throws IOException {
    long removed = 0;
    try (Stream<Path> entries = Files.list(directory)) {
      for (Path entry : (Iterable<Path>) entries::iterator) {
        Files.delete(entry);
        removed++;
      }
    }
    return removed;
  }
}
