package io.vdfs.datanode.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A segment in a file of this machine. Thread-safe: writers share the lock, and the end has it
 * alone, as a write that came after the cut would make the file grow again.
 */
final class ChannelSegmentFile implements SegmentFile {
  private final FileChannel channel;
  private final ReadWriteLock ending = new ReentrantReadWriteLock();

  /**
   * @param channel owned by this file
   */
  ChannelSegmentFile(FileChannel channel) {
    this.channel = channel;
  }

  @Override
  public void write(ByteBuffer bytes, long position) throws IOException {
    ending.readLock().lock();
    try {
      long at = position;
      while (bytes.hasRemaining()) {
        at += channel.write(bytes, at);
      }
    } finally {
      ending.readLock().unlock();
    }
  }

  @Override
  public void close() throws IOException {
    ending.writeLock().lock();
    try (channel) {
      if (channel.isOpen()) {
        channel.truncate(0);
      }
    } finally {
      ending.writeLock().unlock();
    }
  }
}
