package io.vdfs.client.trace;

import io.vdfs.common.concurrent.DaemonThreads;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the calls of a process to one file. Callers put records into a bounded queue and never
 * wait: a record that finds no room is dropped and counted. One thread, {@code vdfs-trace}, writes
 * them. If the sink fails, the log says so once; from then on records are lost and counted, and the
 * traced program notices nothing.
 *
 * <p>Thread-safe.
 */
public final class TraceRecorder implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(TraceRecorder.class);
  private static final int FRAME_BYTES = 64 << 10;
  private static final int BUSY = 1 << 10;
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Where the bytes of a trace go. */
  @FunctionalInterface
  public interface Sink {
    /**
     * Called by the writer's thread, once. {@code flush} of what it returns makes bytes visible to
     * others.
     */
    OutputStream open() throws IOException;
  }

  private final TraceQueue queue;
  private final TraceHeader header;
  private final String name;
  private final Sink sink;
  private final long flushNanos;
  private final Duration closeLimit;
  private final Thread writer;
  private final CountDownLatch done = new CountDownLatch(1);
  private volatile boolean closing;
  private final AtomicLong written = new AtomicLong();
  private final AtomicLong lost = new AtomicLong();

  // of the writer
  private OutputStream out;
  private IOException failure;
  private long added;
  private long droppedTold;
  private int inFrame;

  /**
   * Starts the writer; its first record opens the sink.
   *
   * @param name of the sink, for messages
   * @param capacity records that may wait; a power of two
   * @param flush how long records may wait for others before they are written
   * @param closeLimit how long {@link #close} waits for the sink
   */
  public TraceRecorder(
      TraceHeader header,
      String name,
      Sink sink,
      int capacity,
      Duration flush,
      Duration closeLimit) {
    this.queue = new TraceQueue(capacity);
    this.header = header;
    this.name = name;
    this.sink = sink;
    this.flushNanos = flush.toNanos();
    this.closeLimit = closeLimit;
    this.writer = DaemonThreads.of("vdfs-trace", this::run);
    writer.start();
  }

  /**
   * A record to fill and publish at once, in the name of the calling thread.
   *
   * @param start by {@code System.nanoTime}
   */
  public TraceSlot claim(TraceOp op, long start) {
    return claim(op, start, System.nanoTime());
  }

  /** As {@link #claim(TraceOp, long)}, of a call that ended before now. */
  public TraceSlot claim(TraceOp op, long start, long end) {
    return queue.claim().begin(op, start, end);
  }

  /** Records that found no room in the queue. */
  public long dropped() {
    return queue.dropped();
  }

  /** Records that the sink did not take. */
  public long lost() {
    return lost.get();
  }

  /** Records that the sink took. */
  public long written() {
    return written.get();
  }

  /**
   * Writes what was published before and ends the file. Gives up waiting for the sink after the
   * limit; the writer then goes on as long as the process lives. Idempotent.
   */
  @Override
  public void close() {
    closing = true;
    LockSupport.unpark(writer);
    try {
      if (!done.await(closeLimit.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.warn("the trace does not end: its sink does not answer: sink={}", name);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    TraceEncoder encoder = new TraceEncoder(header);
    try {
      long flushed = System.nanoTime();
      while (true) {
        boolean last = closing;
        boolean busy = drain(encoder);
        long now = System.nanoTime();
        if (encoder.pending() > 0 && (last || now - flushed >= flushNanos)) {
          write(encoder, true);
          flushed = now;
        }
        if (last) {
          break;
        }
        if (!busy) {
          LockSupport.parkNanos(POLL_NANOS);
        }
      }
      end(encoder);
    } finally {
      done.countDown();
    }
  }

  /** Whether so many came that more may be there already. */
  private boolean drain(TraceEncoder encoder) {
    int drained = queue.drain(slot -> add(encoder, slot));
    long dropped = queue.dropped();
    if (dropped > droppedTold) {
      encoder.addDropped(dropped - droppedTold);
      droppedTold = dropped;
    }
    return drained >= BUSY;
  }

  private void add(TraceEncoder encoder, TraceSlot slot) {
    encoder.add(slot);
    inFrame++;
    added++;
    if (encoder.pending() >= FRAME_BYTES) {
      write(encoder, false);
    }
  }

  private void write(TraceEncoder encoder, boolean flush) {
    int records = inFrame;
    inFrame = 0;
    if (failure == null) {
      try {
        openOnce();
        encoder.writeFrame(out);
        if (flush) {
          out.flush();
        }
        written.addAndGet(records);
        return;
      } catch (IOException | RuntimeException e) {
        fail(e);
      }
    }
    encoder.forget();
    lost.addAndGet(records);
  }

  private void openOnce() throws IOException {
    if (out == null) {
      out = sink.open();
      out.write(TraceFormat.MAGIC);
    }
  }

  private void fail(Exception cause) {
    failure = cause instanceof IOException e ? e : new IOException(cause);
    LOG.warn("the trace is lost from here on, the work goes on: sink={}", name, cause);
  }

  private void end(TraceEncoder encoder) {
    long dropped = queue.dropped();
    encoder.addEnd(added, dropped);
    write(encoder, true);
    if (out != null) {
      try {
        out.close();
      } catch (IOException | RuntimeException e) {
        if (failure == null) {
          fail(e);
        }
      }
    }
    LOG.info("trace ended: sink={}, written={}, dropped={}, lost={}", name, written, dropped, lost);
  }
}
