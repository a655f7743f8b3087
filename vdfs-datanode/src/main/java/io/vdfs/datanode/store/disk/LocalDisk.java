package io.vdfs.datanode.store.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The disks of this machine. Thread-safe. */
public final class LocalDisk implements Disk {
  @Override
  public DiskFile open(Path file) throws IOException {
    return new LocalDiskFile(
        file, FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE));
  }

  @Override
  public DiskFile create(Path file) throws IOException {
    try {
      return new LocalDiskFile(
          file,
          FileChannel.open(
              file,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              StandardOpenOption.CREATE_NEW));
    } catch (FileAlreadyExistsException e) {
      throw e;
    } catch (IOException e) {
      throw LocalDiskFile.translate(e);
    }
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
  public void createDirectories(Path directory) throws IOException {
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw LocalDiskFile.translate(e);
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
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  @Override
  public long capacity(Path path) throws IOException {
    return Files.getFileStore(path).getTotalSpace();
  }

  @Override
  public long usable(Path path) throws IOException {
    return Files.getFileStore(path).getUsableSpace();
  }

  @Override
  public Optional<AutoCloseable> lock(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
    try {
      FileLock lock = channel.tryLock();
      if (lock != null) {
        return Optional.of(channel);
      }
    } catch (OverlappingFileLockException e) {
      // held by this process: the same answer as if another one had it
      channel.close();
      return Optional.empty();
    }
    channel.close();
    return Optional.empty();
  }
}
