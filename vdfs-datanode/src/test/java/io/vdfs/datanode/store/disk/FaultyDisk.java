package io.vdfs.datanode.store.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** A disk that fills up and stays full, and on which writes stand still until told. Thread-safe. */
public final class FaultyDisk extends ForwardingDisk {
  private volatile boolean full;
  private volatile CountDownLatch stall = new CountDownLatch(0);

  public FaultyDisk(Disk disk) {
    super(disk);
  }

  /** From now on nothing can be written. */
  public void fillUp() {
    full = true;
  }

  /** From now on writes wait until {@link #goOn}. */
  public void stall() {
    stall = new CountDownLatch(1);
  }

  public void goOn() {
    stall.countDown();
  }

  @Override
  public DiskFile open(Path file) throws IOException {
    return new OpenFile(super.open(file));
  }

  @Override
  public DiskFile create(Path file) throws IOException {
    if (full) {
      throw new DiskFullException("No space left on device: create " + file);
    }
    return new OpenFile(super.create(file));
  }

  @Override
  public DiskFile createFilled(Path file, int size) throws IOException {
    if (full) {
      throw new DiskFullException("No space left on device: create " + file);
    }
    return new OpenFile(super.createFilled(file, size));
  }

  @Override
  public long usable(Path path) throws IOException {
    return full ? 0 : super.usable(path);
  }

  private final class OpenFile extends ForwardingFile {
    private OpenFile(DiskFile file) {
      super(file);
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
      try {
        stall.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted in a write", e);
      }
      if (full) {
        throw new DiskFullException("No space left on device: write at " + position);
      }
      return super.write(source, position);
    }
  }
}
