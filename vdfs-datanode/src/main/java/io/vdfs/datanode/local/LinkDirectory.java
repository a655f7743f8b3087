package io.vdfs.datanode.local;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The names of a volume's combined files for local readers: hard links of 128 random bits in a
 * directory that others may pass through but not list. As the combined files themselves stand in a
 * directory that is closed to others, such a name is the only way to them. They are made and
 * removed on a thread of the volume's own, in the order asked for, so that a disk that hangs delays
 * only the requests for names on it. Thread-safe.
 */
final class LinkDirectory implements AutoCloseable {
  static final String NAME = "local";

  private static final Logger LOG = LoggerFactory.getLogger(LinkDirectory.class);
  private static final int NAME_BYTES = 16;
  private static final Set<PosixFilePermission> PASS_THROUGH =
      PosixFilePermissions.fromString("rwx--x--x");
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");

  private final Path directory;
  private final HardLinks hardLinks;
  private final SecureRandom random;
  private final Counters<LocalCounter> counters;
  private final LocalThreads thread = new LocalThreads("vdfs-local-names", 1);

  private LinkDirectory(
      Path directory, HardLinks hardLinks, SecureRandom random, Counters<LocalCounter> counters) {
    this.directory = directory;
    this.hardLinks = hardLinks;
    this.random = random;
    this.counters = counters;
  }

  /** Makes names on a filesystem. */
  @FunctionalInterface
  interface HardLinks {
    void create(Path link, Path file) throws IOException;
  }

  /**
   * Makes the directory, or empties it of what an earlier run left.
   *
   * @param blocks holds the volume's combined files; closed to others from now on
   * @throws IOException if the filesystem lacks permissions or the directory cannot be used
   */
  static LinkDirectory open(
      Path volume,
      Path blocks,
      HardLinks hardLinks,
      SecureRandom random,
      Counters<LocalCounter> counters)
      throws IOException {
    // so that the umask does not matter
    Files.createDirectories(blocks);
    Files.setPosixFilePermissions(blocks, OWNER_ONLY);
    Path directory = volume.toAbsolutePath().resolve(NAME);
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectory(directory);
    }
    LinkDirectory links = new LinkDirectory(directory, hardLinks, random, counters);
    long found = links.clear();
    counters.add(LocalCounter.LINKS_FOUND, found);
    if (found > 0) {
      LOG.info(
          "removed names that an earlier run made for local readers: directory={}, names={}",
          directory,
          found);
    }
    Files.setPosixFilePermissions(directory, PASS_THROUGH);
    return links;
  }

  /**
   * Makes a new name of {@code file}, which lies on the same volume. Never blocks.
   *
   * @return fails with UNSUPPORTED if there cannot be one
   */
  CompletableFuture<Path> link(Path file) {
    CompletableFuture<Path> name = new CompletableFuture<>();
    if (!execute(() -> link(file, name))) {
      name.completeExceptionally(
          new VdfsException(
              ErrorCode.UNSUPPORTED, "too many names are being made: directory=" + directory));
    }
    return name;
  }

  private void link(Path file, CompletableFuture<Path> name) {
    byte[] bits = new byte[NAME_BYTES];
    random.nextBytes(bits);
    Path link = directory.resolve(HexFormat.of().formatHex(bits));
    try {
      hardLinks.create(link, file);
      counters.increment(LocalCounter.LINKS_MADE);
      name.complete(link);
    } catch (IOException | RuntimeException | Error e) {
      name.completeExceptionally(
          new VdfsException(
              ErrorCode.UNSUPPORTED, "cannot name a file for a local reader: " + e, e));
    }
  }

  /** Removes names as soon as they are made. Never blocks. */
  void remove(List<CompletableFuture<Path>> names) {
    if (!execute(() -> names.forEach(this::removeMade))) {
      counters.add(LocalCounter.LINKS_STUCK, names.size());
      LOG.warn(
          "names for local readers stay until the next start: directory={}, names={}",
          directory,
          names.size());
    }
  }

  private void removeMade(CompletableFuture<Path> name) {
    var unused = name.thenAccept(this::remove);
  }

  private void remove(Path link) {
    try {
      Files.deleteIfExists(link);
      counters.increment(LocalCounter.LINKS_REMOVED);
    } catch (IOException e) {
      counters.increment(LocalCounter.LINKS_STUCK);
      LOG.warn("a name for local readers stays until the next start: link={}", link, e);
    }
  }

  private boolean execute(Runnable step) {
    boolean taken = thread.execute(step);
    counters.add(LocalCounter.STEPS_REJECTED, taken ? 0 : 1);
    return taken;
  }

  /** Makes no further names, and waits for those that were begun, but not for a disk that hangs. */
  @Override
  public void close() {
    if (!thread.end()) {
      LOG.warn("names for local readers may stay until the next start: directory={}", directory);
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
