package io.vdfs.datanode.store.disk;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A disk that forces a directory no more once that failed. The system tells of such a failure once,
 * whoever asks first, and takes the names that it lost for clean: a second force would come through
 * and mean nothing. Thread-safe.
 */
public final class UnforgivingDisk extends ForwardingDisk {
  /** Those that are being forced, and those of which that failed. */
  private final Map<Path, Forces> directories = new ConcurrentHashMap<>();

  public UnforgivingDisk(Disk disk) {
    super(disk);
  }

  @FunctionalInterface
  private interface Force {
    void force(Path directory) throws IOException;
  }

  /**
   * The forces of one directory, one after the other, so that all learn of a failure. A caller
   * shares a force that began after its call.
   */
  private static final class Forces {
    private final ReentrantLock forcing = new ReentrantLock();
    private volatile long begun;

    /** Number of the last force that came through; guarded by {@link #forcing}. */
    private long done;

    private volatile Optional<Throwable> failure = Optional.empty();

    /** Callers in {@link #force}; changed by the map only, which does so one at a time. */
    private int users;

    private void force(Force force, Path directory) throws IOException {
      long before = begun;
      forcing.lock();
      try {
        if (failure.isPresent()) {
          throw new IOException(
              "a force of the directory failed before, check its disk, then restart the daemon:"
                  + " directory=%s, failure=%s".formatted(directory, failure.get()),
              failure.get());
        }
        if (done <= before) {
          forceNow(force, directory);
        }
      } finally {
        forcing.unlock();
      }
    }

    private void forceNow(Force force, Path directory) throws IOException {
      long number = begun + 1;
      begun = number;
      try {
        force.force(directory);
        done = number;
      } catch (ClosedChannelException | FileSystemException | TooManyOpenFilesException e) {
        // an interrupt, or the directory could not be opened: nothing was lost
        throw e;
      } catch (IOException | RuntimeException | Error e) {
        failure = Optional.of(e);
        throw e;
      }
    }
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    Forces forces =
        directories.compute(
            directory,
            (path, known) -> {
              Forces used = known == null ? new Forces() : known;
              used.users++;
              return used;
            });
    try {
      forces.force(super::forceDirectory, directory);
    } finally {
      directories.computeIfPresent(
          directory,
          (path, used) -> {
            used.users--;
            return used.users > 0 || used.failure.isPresent() ? used : null;
          });
    }
  }
}
