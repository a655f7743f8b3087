package io.vdfs.datanode.segment;

import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.NodeId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The segments of a node: files of 128 random bits in a directory that others may pass through but
 * neither list nor change. A file is made by this process or not at all, is readable only by the
 * daemon's user, or one group as well, and has all its memory before its name is told. Thread-safe.
 */
final class SegmentDirectory {
  static final String PREFIX = "vdfs-segment-";

  private static final Logger LOG = LoggerFactory.getLogger(SegmentDirectory.class);
  private static final int NAME_BYTES = 16;
  private static final int WRITABLE_BY_OTHERS = 0022;
  private static final int STICKY = 01000;
  private static final int MODE_BITS = 07777;

  /** Written from duplicates; made once, as a node short of memory could not make it later. */
  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(256 << 10).asReadOnlyBuffer();

  private static final Set<PosixFilePermission> PASS_THROUGH =
      PosixFilePermissions.fromString("rwx--x--x");
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> READABLE_BY_GROUP =
      PosixFilePermissions.fromString("rw-r-----");

  private final Path directory;
  private final Optional<String> group;
  private final SecureRandom random;
  private final SegmentFiles files;
  private final Counters<SegmentCounter> counters;

  private SegmentDirectory(
      Path directory,
      Optional<String> group,
      SecureRandom random,
      SegmentFiles files,
      Counters<SegmentCounter> counters) {
    this.directory = directory;
    this.group = group;
    this.random = random;
    this.files = files;
    this.counters = counters;
  }

  /**
   * Makes the node's directory below {@code parent}, or empties it of what an earlier run left.
   *
   * @param parent where no other user may rename or remove what is ours: sticky, or not writable
   * @throws IOException if the directory is not ours alone or cannot be used
   */
  static SegmentDirectory open(
      Path parent,
      NodeId node,
      Optional<String> group,
      SecureRandom random,
      SegmentFiles files,
      Counters<SegmentCounter> counters)
      throws IOException {
    requireSafe(parent);
    Path directory = of(parent, node);
    SegmentDirectory opened = new SegmentDirectory(directory, group, random, files, counters);
    if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    }
    opened.requireOwn();
    // closed while it is swept, whatever it was before
    Files.setPosixFilePermissions(directory, OWNER_ONLY);
    long found = opened.clear();
    counters.add(SegmentCounter.SEGMENTS_FOUND, found);
    if (found > 0) {
      LOG.info("removed segments of an earlier run: directory={}, files={}", directory, found);
    }
    Files.setPosixFilePermissions(directory, PASS_THROUGH);
    return opened;
  }

  /** The directory of a node, whether it is there or not. */
  static Path of(Path parent, NodeId node) {
    return parent.toAbsolutePath().resolve(PREFIX + node);
  }

  /** Where others may rename and remove, what is ours today may be another user's tomorrow. */
  private static void requireSafe(Path parent) throws IOException {
    int mode = (Integer) Files.getAttribute(parent, "unix:mode");
    if ((mode & WRITABLE_BY_OTHERS) != 0 && (mode & STICKY) == 0) {
      throw new IOException(
          "others may remove what the daemon makes: path=%s, mode=%s; set its sticky bit"
              .formatted(parent, Integer.toOctalString(mode & MODE_BITS)));
    }
  }

  /** What we make belongs to us; so must the directory in which we make it. */
  private void requireOwn() throws IOException {
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException("not a directory: path=" + directory + "; remove it");
    }
    Path probe = newName();
    files.create(probe).close();
    Object self = Files.getOwner(probe, LinkOption.NOFOLLOW_LINKS);
    Files.delete(probe);
    Object owner = Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS);
    if (!owner.equals(self)) {
      throw new IOException(
          "somebody else's directory: path=%s, owner=%s, daemon's user=%s; remove it"
              .formatted(directory, owner, self));
    }
  }

  private Path newName() {
    byte[] name = new byte[NAME_BYTES];
    random.nextBytes(name);
    return directory.resolve(HexFormat.of().formatHex(name));
  }

  /**
   * Makes a segment of zeros.
   *
   * @throws IOException if there is no memory for it or its name is taken; nothing is left behind
   */
  Segment create(long bytes) throws IOException {
    Path path = newName();
    Segment segment = new Segment(path, files.create(path));
    boolean made = false;
    try {
      fill(segment, bytes);
      if (group.isPresent()) {
        share(path, group.get());
      }
      made = true;
    } finally {
      if (!made) {
        discard(segment);
      }
    }
    counters.increment(SegmentCounter.SEGMENTS_MADE);
    return segment;
  }

  private static void fill(Segment segment, long bytes) throws IOException {
    ByteBuffer zeros = ZEROS.duplicate();
    for (long done = 0; done < bytes; done += zeros.limit()) {
      segment
          .file()
          .write(zeros.clear().limit((int) Math.min(zeros.capacity(), bytes - done)), done);
    }
  }

  private static void share(Path path, String group) throws IOException {
    PosixFileAttributeView view =
        Files.getFileAttributeView(path, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    view.setGroup(
        path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByGroupName(group));
    view.setPermissions(READABLE_BY_GROUP);
  }

  /** Ends a segment: its memory becomes free, even while a process has it open. */
  void remove(Segment segment) {
    if (discard(segment)) {
      counters.increment(SegmentCounter.SEGMENTS_REMOVED);
    }
  }

  private boolean discard(Segment segment) {
    try {
      try {
        segment.file().close();
      } finally {
        Files.deleteIfExists(segment.path());
      }
      return true;
    } catch (IOException e) {
      counters.increment(SegmentCounter.SEGMENTS_STUCK);
      LOG.warn("a segment stays until the next start: path={}", segment.path(), e);
      return false;
    }
  }

  private long clear() throws IOException {
    long removed = 0;
    try (Stream<Path> entries = Files.list(directory)) {
      for (Path entry : (Iterable<Path>) entries::iterator) {
        cut(entry);
        Files.delete(entry);
        removed++;
      }
    }
    return removed;
  }

  /**
   * Frees the memory of a file, which its reader of the earlier run may still have open. One that
   * has a name elsewhere too is left alone: it may be more than a segment.
   */
  private static void cut(Path entry) {
    try {
      Map<String, Object> found =
          Files.readAttributes(entry, "unix:isRegularFile,nlink", LinkOption.NOFOLLOW_LINKS);
      if (found.get("isRegularFile").equals(true) && found.get("nlink").equals(1)) {
        FileChannel.open(
                entry,
                StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING,
                LinkOption.NOFOLLOW_LINKS)
            .close();
      }
    } catch (IOException e) {
      LOG.warn("a segment keeps its memory until its reader closes it: path={}", entry, e);
    }
  }

  /** Removes the directory, which is empty once all segments are removed. */
  void close() {
    try {
      Files.deleteIfExists(directory);
    } catch (IOException e) {
      LOG.warn("the directory of segments stays: path={}, cause={}", directory, e.toString());
    }
  }
}
