package io.vdfs.datanode.store.disk;

import io.vdfs.common.error.PathTrouble;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** A file channel. Thread-safe. */
final class LocalDiskFile implements DiskFile {
  private final Path file;
  private final FileChannel channel;
  private final CachedPages cachedPages;

  LocalDiskFile(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
    this.cachedPages = new CachedPages(channel);
  }

  /** Tells what the machine has no means for; the JDK does so in the message only. */
  static IOException translate(IOException failure) {
    if (PathTrouble.isFull(failure)) {
      return new DiskFullException(failure.getMessage(), failure);
    }
    return PathTrouble.isTooManyOpen(failure)
        ? new TooManyOpenFilesException(failure.getMessage(), failure)
        : failure;
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    return channel.read(target, position);
  }

  @Override
  public boolean isCached(long position, long length) {
    return cachedPages.contain(position, length);
  }

  @Override
  public int write(ByteBuffer source, long position) throws IOException {
    try {
      return channel.write(source, position);
    } catch (IOException e) {
      throw translate(e);
    }
  }

  @Override
  public void force() throws IOException {
    try {
      channel.force(false);
    } catch (IOException e) {
      throw translate(e);
    }
  }

  @Override
  public void truncate(long size) throws IOException {
    try {
      channel.truncate(size);
    } catch (IOException e) {
      throw translate(e);
    }
  }

  @Override
  public void deallocate(long position, long length) throws IOException {
    HolePunch.punch(file, position, length);
  }

  @Override
  public long size() throws IOException {
    return channel.size();
  }

  @Override
  public void close() throws IOException {
    cachedPages.close();
    channel.close();
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
