package io.vdfs.datanode.store.disk;

import com.sun.nio.file.ExtendedOpenOption;
import io.vdfs.common.security.OwnerOnly;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The disks of this machine. Thread-safe. */
public final class LocalDisk implements Disk {
  /** Of bytes that are written past the page cache: no filesystem has larger blocks. */
  private static final int ALIGNMENT = 1 << 16;

  private static final Set<PosixFilePermission> READABLE =
      PosixFilePermissions.fromString("rw-r--r--");
  private static final Set<PosixFilePermission> PASS_THROUGH =
      PosixFilePermissions.fromString("rwx--x--x");

  /** Allocated by the first use only. */
  private static final class Zeros {
    static final ByteBuffer PAGES =
        ByteBuffer.allocateDirect(2 * ALIGNMENT).alignedSlice(ALIGNMENT).asReadOnlyBuffer();
  }

  @Override
  public DiskFile open(Path file) throws IOException {
    try {
      return new LocalDiskFile(
          file, FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE));
    } catch (IOException e) {
      throw LocalDiskFile.translate(e);
    }
  }

  @Override
  public DiskFile create(Path file) throws IOException {
    try {
      FileChannel channel =
          FileChannel.open(
              file,
              Set.of(
                  StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW),
              PosixFilePermissions.asFileAttribute(READABLE));
      boolean made = false;
      try {
        giveBack(file, READABLE);
        made = true;
      } finally {
        if (!made) {
          channel.close();
          Files.deleteIfExists(file);
        }
      }
      return new LocalDiskFile(file, channel);
    } catch (FileAlreadyExistsException e) {
      throw e;
    } catch (IOException e) {
      throw LocalDiskFile.translate(e);
    }
  }

  @Override
  public DiskFile createFilled(Path file, int size) throws IOException {
    DiskFile made = create(file);
    try {
      if (!fillDirectly(file, size)) {
        DiskTransfer.writeFully(made, ByteBuffer.allocate(size), 0);
      }
      return made;
    } catch (IOException e) {
      made.close();
      Files.deleteIfExists(file);
      throw LocalDiskFile.translate(e);
    }
  }

  /**
   * Writes past the page cache, which would choose the place on the disk only later.
   *
   * @return false if the filesystem does not take that, or not for a file of this size
   */
  private static boolean fillDirectly(Path file, int size) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.WRITE, ExtendedOpenOption.DIRECT)) {
      for (int at = 0; at < size; ) {
        at += channel.write(Zeros.PAGES.duplicate().limit(Math.min(size - at, ALIGNMENT)), at);
      }
      return true;
    } catch (UnsupportedOperationException e) {
      return false;
    } catch (IOException e) {
      if (LocalDiskFile.translate(e) instanceof DiskFullException full) {
        throw full;
      }
      // not every filesystem takes direct writes, and each says so in its own way
      return false;
    }
  }

  @Override
  public void link(Path name, Path file) throws IOException {
    try {
      Files.createLink(name, file);
    } catch (IOException e) {
      throw LocalDiskFile.translate(e);
    }
  }

  @Override
  public boolean isSame(Path one, Path other) throws IOException {
    return Files.isSameFile(one, other);
  }

  @Override
  public boolean exists(Path path) throws IOException {
    try {
      Files.readAttributes(path, BasicFileAttributes.class);
      return true;
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  @Override
  public long size(Path file) throws IOException {
    return Files.size(file);
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    try {
      Deque<Path> missing = new ArrayDeque<>();
      for (Path at = directory.toAbsolutePath();
          at != null && !Files.isDirectory(at);
          at = at.getParent()) {
        missing.push(at);
      }
      for (Path made : missing) {
        make(made);
      }
    } catch (IOException e) {
      throw LocalDiskFile.translate(e);
    }
  }

  private static void make(Path directory) throws IOException {
    try {
      Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(PASS_THROUGH));
    } catch (FileAlreadyExistsException e) {
      if (Files.isDirectory(directory)) {
        return; // another thread was quicker
      }
      throw e;
    }
    giveBack(directory, PASS_THROUGH);
  }

  /** Gives what was just made the permissions that the umask took away, if it took any. */
  private static void giveBack(Path made, Set<PosixFilePermission> permissions) throws IOException {
    if (!Files.getPosixFilePermissions(made).containsAll(permissions)) {
      Files.setPosixFilePermissions(made, permissions);
    }
  }

  @Override
  public List<String> list(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  @Override
  public void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw LocalDiskFile.translate(e);
    }
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (IOException e) {
      throw LocalDiskFile.translate(e);
    }
  }

  @Override
  public long capacity(Path path) throws IOException {
    long found = path.toFile().getTotalSpace();
    return found > 0 ? found : Files.getFileStore(path).getTotalSpace();
  }

  @Override
  public long usable(Path path) throws IOException {
    // a FileStore is looked up among all mounts, which takes some thirty system calls, but where
    // File says 0 it tells a full disk from one that does not answer
    long found = path.toFile().getUsableSpace();
    return found > 0 ? found : Files.getFileStore(path).getUsableSpace();
  }

  @Override
  public Optional<AutoCloseable> lock(Path file) throws IOException {
    FileChannel channel =
        OwnerOnly.open(file, Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE));
    boolean locked = false;
    try {
      // a user who may read a file may lock it, too
      OwnerOnly.file(file);
      locked = channel.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      // held by this process: the same answer as if another one had it
      return Optional.empty();
    } finally {
      if (!locked) {
        channel.close();
      }
    }
    return locked ? Optional.of(channel) : Optional.empty();
  }
}
