package io.vdfs.datanode.store.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Passes all on to another disk; a subclass overrides what is to go another way. */
public class ForwardingDisk implements Disk {
  private final Disk disk;

  public ForwardingDisk(Disk disk) {
    this.disk = disk;
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
  public long size(Path file) throws IOException {
    return disk.size(file);
  }

  @Override
  public boolean exists(Path path) throws IOException {
    return disk.exists(path);
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
  public void forceDirectory(Path directory) throws IOException {
    disk.forceDirectory(directory);
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
