package io.vdfs.datanode.store.disk;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A disk that forces a directory no more once that failed. The system tells of such a failure once,
 * whoever asks first, and takes the names that it lost for clean: a second force would come through
 * and mean nothing. Thread-safe.
 */
public final class UnforgivingDisk implements Disk {
  private final Disk disk;

  /** Those that are being forced, and those of which that failed. */
  private final Map<Path, Forces> directories = new ConcurrentHashMap<>();

  public UnforgivingDisk(Disk disk) {
    this.disk = disk;
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

    private void force(Disk disk, Path directory) throws IOException {
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
          forceNow(disk, directory);
        }
      } finally {
        forcing.unlock();
      }
    }

    private void forceNow(Disk disk, Path directory) throws IOException {
      long number = begun + 1;
      begun = number;
      try {
        disk.forceDirectory(directory);
        done = number;
      } catch (ClosedChannelException | FileSystemException e) {
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
      forces.force(disk, directory);
    } finally {
      directories.computeIfPresent(
          directory,
          (path, used) -> {
            used.users--;
            return used.users > 0 || used.failure.isPresent() ? used : null;
          });
    }
  }

  @Override
  public DiskFile open(Path file) throws IOException {
    return disk.open(file);
  }

  @Override
  public DiskFile create(Path file) throws IOException {
    return disk.create(file);
  }

  @Override
  public DiskFile createFilled(Path file, int size) throws IOException {
    return disk.createFilled(file, size);
  }

  @Override
  public void link(Path name, Path file) throws IOException {
    disk.link(name, file);
  }

  @Override
  public boolean isSame(Path one, Path other) throws IOException {
    return disk.isSame(one, other);
  }

  @Override
  public boolean exists(Path path) throws IOException {
    return disk.exists(path);
  }

  @Override
  public long size(Path file) throws IOException {
    return disk.size(file);
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    disk.createDirectories(directory);
  }

  @Override
  public List<String> list(Path directory) throws IOException {
    return disk.list(directory);
  }

  @Override
  public void delete(Path file) throws IOException {
    disk.delete(file);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    disk.rename(from, to);
  }

  @Override
  public long capacity(Path path) throws IOException {
    return disk.capacity(path);
  }

  @Override
  public long usable(Path path) throws IOException {
    return disk.usable(path);
  }

  @Override
  public Optional<AutoCloseable> lock(Path file) throws IOException {
    return disk.lock(file);
  }
}
