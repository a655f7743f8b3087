package io.vdfs.datanode.meta.raft.disk;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The files that Ratis keeps of one group, forced where Ratis leaves that out. It forces the bytes
 * of its log and of its vote before it relies on them, but neither the names of new log files and
 * of the renamed vote, nor anything of a snapshot that a leader sends.
 *
 * <pre>
 * current/   log files, raft-meta (term and vote), raft-meta.conf (members)
 * sm/        snapshots with their digests
 * tmp/       a snapshot that is arriving; becomes sm/ as a whole
 * </pre>
 *
 * <p>Thread-safe.
 */
public final class RatisFiles {
  static final String CURRENT = "current";
  static final String SNAPSHOTS = "sm";
  static final String ARRIVING = "tmp";

  /** A directory that was changed so lately may change again without getting a newer time. */
  private static final Duration CLOCK_STEP = Duration.ofMillis(50);

  private final Path storage;
  private final DiskForce force;
  private final InstantSource clock;

  /** When the names in {@link #CURRENT} last changed before they were forced. */
  private Instant forced = Instant.MIN; // guarded by this

  /**
   * @param storage the group's directory, which need not exist yet
   * @param clock the clock that the file system's times come from
   */
  public RatisFiles(Path storage, DiskForce force, InstantSource clock) {
    this.storage = storage;
    this.force = force;
    this.clock = clock;
  }

  /** Forces the names of log files and of the vote, where they changed since the last time. */
  public synchronized void forceNames() throws IOException {
    Path current = storage.resolve(CURRENT);
    Instant changed = Files.getLastModifiedTime(current).toInstant();
    if (changed.equals(forced)) {
      return;
    }
    Instant now = clock.instant();
    force.names(current);
    forced = changed.plus(CLOCK_STEP).isBefore(now) ? changed : Instant.MIN;
  }

  /** Forces a snapshot that has arrived, before it takes the place of the one before. */
  public void forceArrived() throws IOException {
    Path arriving = storage.resolve(ARRIVING);
    if (!Files.exists(arriving)) {
      return;
    }
    Files.walkFileTree(
        arriving,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            force.file(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path directory, IOException failure)
              throws IOException {
            if (failure != null) {
              throw failure;
            }
            force.names(directory);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /** Forces that a snapshot which arrived is in its place. */
  public void forcePlaced() throws IOException {
    force.names(storage);
  }
}
