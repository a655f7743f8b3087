package io.vdfs.datanode.store.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** A disk that hangs once where a file is opened, until it is told how that ends. Thread-safe. */
public final class HangingDisk extends ForwardingDisk {
  private final AtomicReference<String> hanging = new AtomicReference<>("");
  private final AtomicInteger opened = new AtomicInteger();
  private final AtomicInteger open = new AtomicInteger();
  private final CountDownLatch hangs = new CountDownLatch(1);
  private final CompletableFuture<Void> end = new CompletableFuture<>();

  public HangingDisk(Disk disk) {
    super(disk);
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
    OpenFile found = new OpenFile(super.open(file));
    open.incrementAndGet();
    return found;
  }

  @Override
  public DiskFile createFilled(Path file, int size) throws IOException {
    OpenFile made = new OpenFile(super.createFilled(file, size));
    open.incrementAndGet();
    return made;
  }

  private void hang() throws IOException {
    hangs.countDown();
    try {
      end.join();
    } catch (CompletionException e) {
      throw new IOException(e.getCause().getMessage(), e);
    }
  }

  private final class OpenFile extends ForwardingFile {
    private OpenFile(DiskFile file) {
      super(file);
    }

    @Override
    public void close() throws IOException {
      open.decrementAndGet();
      super.close();
    }
  }
}
