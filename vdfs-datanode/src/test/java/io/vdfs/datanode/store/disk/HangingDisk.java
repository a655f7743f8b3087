package io.vdfs.datanode.store.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** A disk that hangs once where a file is opened, until it is told how that ends. Thread-safe. */
public final class HangingDisk implements Disk {
  private final Disk disk;
  private final AtomicReference<String> hanging = new AtomicReference<>("");
  private final AtomicInteger opened = new AtomicInteger();
  private final AtomicInteger open = new AtomicInteger();
  private final CountDownLatch hangs = new CountDownLatch(1);
  private final CompletableFuture<Void> end = new CompletableFuture<>();

  public HangingDisk(Disk disk) {
    this.disk = disk;
  }

  /** The next opening of the file whose name ends so hangs; to be called once. */
  public void hangAt(String suffix) {
    opened.set(0);
    hanging.set(suffix);
  }

  /** Waits until an opening hangs. */
  public void awaitHanging() throws InterruptedException {
    if (!hangs.await(20, TimeUnit.SECONDS)) {
      throw new AssertionError("nobody opens the file: suffix=" + hanging.get());
    }
  }

  /** What hangs goes on. */
  public void goOn() {
    end.complete(null);
  }

  /** What hangs fails. */
  public void fail() {
    end.completeExceptionally(new IOException("planned error in open"));
  }

  /** Files opened since the call of {@link #hangAt}, those that hang or failed included. */
  public int opened() {
    return opened.get();
  }

  /** Files that were opened and not closed. */
  public int open() {
    return open.get();
  }

  @Override
  public DiskFile open(Path file) throws IOException {
    opened.incrementAndGet();
    String suffix = hanging.get();
    if (!suffix.isEmpty()
        && file.toString().endsWith(suffix)
        && hanging.compareAndSet(suffix, "")) {
      hang();
    }
    OpenFile found = new OpenFile(disk.open(file));
    open.incrementAndGet();
    return found;
  }

  private void hang() throws IOException {
    hangs.countDown();
    try {
      end.join();
    } catch (CompletionException e) {
      throw new IOException(e.getCause().getMessage(), e);
    }
  }

  @Override
  public DiskFile create(Path file) throws IOException {
    return disk.create(file);
  }

  @Override
  public boolean exists(Path path) {
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

  private final class OpenFile implements DiskFile {
    private final DiskFile file;

    private OpenFile(DiskFile file) {
      this.file = file;
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      return file.read(target, position);
    }

    @Override
    public boolean isCached(long position, long length) {
      return file.isCached(position, length);
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
      return file.write(source, position);
    }

    @Override
    public void force() throws IOException {
      file.force();
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public void close() throws IOException {
      open.decrementAndGet();
      file.close();
    }
  }
}
