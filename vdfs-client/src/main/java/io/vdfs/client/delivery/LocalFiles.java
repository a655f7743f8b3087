package io.vdfs.client.delivery;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.vdfs.client.io.IoCounter;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.net.DataBuffers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Block files of this machine's node that are open in this process. A handle has one user at a
 * time, as an interrupt closes the channel that its thread reads; unused handles are kept for a
 * short while, at most {@link #MAX_IDLE} of them, so that many blocks cost one opening and one
 * window and a deleted file does not keep its space. Thread-safe: the monitor guards the idle
 * handles.
 */
public final class LocalFiles implements AutoCloseable {
  static final int MAX_IDLE = 32;

  private static final Duration IDLE = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(LocalFiles.class);

  private final long idleNanos;
  private final LongSupplier nanoClock;
  private final Executor later;
  private final Counters<IoCounter> counters;
  private final Supplier<DiskReads> diskReads;
  private final ByteBufAllocator windows;
  private final Deque<Handle> idle = new ArrayDeque<>();
  private boolean sweepPending;
  private boolean closed;

  /**
   * @param idleNanos how long an unused handle is kept
   * @param later runs a task after about that time
   * @param diskReads gives each handle one of its own
   * @param windows gives those of handles
   */
  LocalFiles(
      long idleNanos,
      LongSupplier nanoClock,
      Executor later,
      Counters<IoCounter> counters,
      Supplier<DiskReads> diskReads,
      ByteBufAllocator windows) {
    this.idleNanos = idleNanos;
    this.nanoClock = nanoClock;
    this.later = later;
    this.counters = counters;
    this.diskReads = diskReads;
    this.windows = windows;
  }

  /** The files of one client; an unused handle is kept for a few seconds. */
  public static LocalFiles of(Counters<IoCounter> counters, Supplier<DiskReads> diskReads) {
    return new LocalFiles(
        IDLE.toNanos(),
        System::nanoTime,
        CompletableFuture.delayedExecutor(IDLE.toMillis(), TimeUnit.MILLISECONDS),
        counters,
        diskReads,
        DataBuffers.windows());
  }

  /**
   * Opens a file for reading, or takes an unused handle of it.
   *
   * @param path of a regular file; anything else, a link too, is refused, as opening it might block
   * @return to be released
   */
  public Handle open(String path) throws IOException {
    Handle known = takeIdle(path);
    if (known != null) {
      return known;
    }
    Path file = Path.of(path);
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new NoSuchFileException(path, null, "not a file that this process can reach");
    }
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    counters.increment(IoCounter.LOCAL_FILES_OPENED);
    return new Handle(path, channel, diskReads.get());
  }

  /** Number of unused handles. */
  synchronized int idle() {
    return idle.size();
  }

  /** Closes unused handles; one in use is closed when it is released. */
  @Override
  public void close() {
    List<Handle> unused;
    synchronized (this) {
      closed = true;
      unused = List.copyOf(idle);
      idle.clear();
    }
    unused.forEach(Handle::close);
  }

  private synchronized Handle takeIdle(String path) {
    for (Iterator<Handle> handles = idle.descendingIterator(); handles.hasNext(); ) {
      Handle handle = handles.next();
      if (handle.path.equals(path)) {
        handles.remove();
        return handle;
      }
    }
    return null;
  }

  private void keep(Handle handle) {
    List<Handle> tooMany = new ArrayList<>();
    synchronized (this) {
      handle.idleSince = nanoClock.getAsLong();
      if (closed) {
        tooMany.add(handle);
      } else {
        idle.addLast(handle);
        if (idle.size() > MAX_IDLE) {
          tooMany.add(idle.removeFirst());
        }
        scheduleSweep();
      }
    }
    tooMany.forEach(Handle::close);
  }

  private synchronized void scheduleSweep() {
    if (!sweepPending && !idle.isEmpty()) {
      sweepPending = true;
      var unused = CompletableFuture.runAsync(this::sweep, later);
    }
  }

  private void sweep() {
    List<Handle> old = new ArrayList<>();
    synchronized (this) {
      sweepPending = false;
      long now = nanoClock.getAsLong();
      while (!idle.isEmpty() && now - idle.getFirst().idleSince >= idleNanos) {
        old.add(idle.removeFirst());
      }
      scheduleSweep();
    }
    old.forEach(Handle::close);
  }

  /** An open file with one user. */
  public final class Handle {
    private final String path;
    private final FileChannel channel;
    private final DiskReads diskReads;
    private long idleSince;
    private ByteBuf memory;

    /**
     * The bytes of {@link #memory}. Some of Netty's buffers are wrapped to find leaks, and code
     * that was compiled before it met one of those is thrown away; a buffer of the JDK's has one
     * class.
     */
    private ByteBuffer window;

    private Handle(String path, FileChannel channel, DiskReads diskReads) {
      this.path = path;
      this.channel = channel;
      this.diskReads = diskReads;
    }

    public FileChannel channel() {
      return channel;
    }

    public DiskReads diskReads() {
      return diskReads;
    }

    /**
     * Memory for bytes of the file; the user's alone until it releases the handle, and kept with
     * the handle for the next one.
     *
     * @param capacity bytes; the same whenever this is called
     */
    public ByteBuffer window(int capacity) {
      if (window == null) {
        memory = windows.directBuffer(capacity, capacity);
        window = memory.nioBuffer(0, capacity);
      }
      return window;
    }

    /** Gives the handle back; the caller must not use it, or its window, any more. */
    public void release() {
      if (channel.isOpen()) {
        keep(this);
      } else {
        releaseAll();
      }
    }

    private void releaseAll() {
      diskReads.close();
      if (memory != null) {
        memory.release();
        memory = null;
        window = null;
      }
    }

    private void close() {
      releaseAll();
      try {
        channel.close();
      } catch (IOException e) {
        LOG.debug("closing a block file failed: path={}", path, e);
      }
    }
  }
}
