package io.vdfs.client.hadoop.streams;

import io.vdfs.client.files.ContentWriter;
import io.vdfs.client.hadoop.cluster.SharedClients;
import io.vdfs.client.hadoop.terms.HadoopErrors;
import io.vdfs.client.hadoop.terms.HadoopErrors.Action;
import io.vdfs.client.hadoop.terms.HadoopErrors.Intent;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.fs.impl.StoreImplementationUtils;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsStore;

/**
 * A file open for writing. It is complete once {@link #close} has returned, or {@link #complete},
 * with which its filesystem ends streams that are still open. A process that ends without either
 * leaves the file to the end of its lease.
 *
 * <p>A failure, whatever it was, is final: bytes that were accepted may be lost, so every further
 * call fails, and so does the first {@link #close}. It is not {@code Abortable}, as the file can be
 * seen from its creation on.
 *
 * <p>Thread-safe: one lock guards all state but {@code abandoned}; {@link #abandon} does not wait
 * for it.
 *
 * <pre>
 *   OPEN --close, complete--> CLOSED
 *    |
 *    +--failure, abandon--> FAILED --close--> CLOSED
 * </pre>
 */
public final class VdfsOutputStream extends OutputStream
    implements Syncable, StreamCapabilities, IOStatisticsSource {
  private enum State {
    OPEN,
    FAILED,
    CLOSED
  }

  /** Small writes are gathered before they reach the writer and its lock. */
  private static final int BUFFER_BYTES = 8 << 10;

  private final Path path;
  private final ContentWriter writer;
  private final SharedClients.Lease client;
  private final Consumer<VdfsOutputStream> onClose;
  private final Cleaner.Cleanable release;
  private final ReentrantLock lock = new ReentrantLock();
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private final IOStatisticsStore counters =
      IOStatisticsBinding.iostatisticsStore()
          .withCounters(StreamStatisticNames.STREAM_WRITE_BYTES)
          .build();
  private int buffered;
  private State state = State.OPEN;
  private Throwable failure;
  private volatile boolean abandoned;

  /**
   * Continues at the writer's position.
   *
   * @param path qualified, for messages
   * @param client kept in use for as long as the stream can be reached
   * @param onClose hears once of the end
   */
  public VdfsOutputStream(
      Path path,
      ContentWriter writer,
      SharedClients.Lease client,
      Consumer<VdfsOutputStream> onClose) {
    this.path = path;
    this.writer = writer;
    this.client = client;
    this.onClose = onClose;
    // of streams that are lost with their filesystem; the writer does not refer to the stream
    this.release = SharedClients.CLEANER.register(this, writer::abort);
  }

  Path path() {
    return path;
  }

  /** Bytes of the file before anything is written here. */
  public long startPosition() {
    return writer.position();
  }

  @Override
  public void write(int b) throws IOException {
    lock.lock();
    try {
      requireOpen();
      if (buffered == buffer.length) {
        carryOut(this::drain);
      }
      buffer[buffered++] = (byte) b;
    } finally {
      lock.unlock();
    }
    counters.incrementCounter(StreamStatisticNames.STREAM_WRITE_BYTES);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    lock.lock();
    try {
      requireOpen();
      if (length > buffer.length - buffered) {
        carryOut(this::drain);
      }
      if (length >= buffer.length) {
        carryOut(() -> writer.write(bytes, offset, length));
      } else {
        System.arraycopy(bytes, offset, buffer, buffered, length);
        buffered += length;
      }
    } finally {
      lock.unlock();
    }
    counters.incrementCounter(StreamStatisticNames.STREAM_WRITE_BYTES, length);
  }

  private void drain() throws IOException {
    if (buffered > 0) {
      writer.write(buffer, 0, buffered);
      buffered = 0;
    }
  }

  /** Passes on what was gathered here; promises nothing. */
  @Override
  public void flush() throws IOException {
    run(this::drain);
  }

  @Override
  public void hflush() throws IOException {
    run(
        () -> {
          drain();
          writer.flush();
        });
  }

  @Override
  public void hsync() throws IOException {
    run(
        () -> {
          drain();
          writer.sync();
        });
  }

  @Override
  public boolean hasCapability(String capability) {
    return StoreImplementationUtils.isProbeForSyncable(capability)
        || capability.equalsIgnoreCase(StreamCapabilities.IOSTATISTICS);
  }

  @Override
  public IOStatistics getIOStatistics() {
    return counters;
  }

  private void run(Action step) throws IOException {
    lock.lock();
    try {
      requireOpen();
      carryOut(step);
    } finally {
      lock.unlock();
    }
  }

  /** Under the lock, with the stream open. */
  private void carryOut(Action step) throws IOException {
    try {
      step.run();
    } catch (VdfsException e) {
      fail(e);
      throw HadoopErrors.exception(path, Intent.OPEN, e);
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
      throw e;
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  private void fail(Throwable cause) {
    state = State.FAILED;
    failure = cause;
    writer.abort();
  }

  private void requireOpen() throws IOException {
    if (state == State.CLOSED && client.isClosed()) {
      throw new IOException("Filesystem closed: path=" + path);
    }
    if (state == State.CLOSED) {
      throw new ClosedChannelException();
    }
    requireNoFailure();
  }

  private void requireNoFailure() throws IOException {
    if (abandoned && state == State.OPEN) {
      fail(
          new VdfsException(
              ErrorCode.UNAVAILABLE,
              "the filesystem was closed before the file was complete: path=" + path));
    }
    if (state == State.FAILED) {
      String message = "writing failed before: path=" + path + ", reason=" + failure.getMessage();
      throw failure instanceof VdfsException known
          ? HadoopErrors.exception(
              path, Intent.OPEN, new VdfsException(known.code(), message, failure))
          : new IOException(message, failure);
    }
  }

  /**
   * Makes the file complete. Idempotent; fails once after a failure, and the file then stays open
   * for writing until its lease is recovered.
   */
  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      if (state != State.CLOSED) {
        onClose.accept(this);
        requireNoFailure();
        finish();
      }
    } finally {
      state = State.CLOSED;
      lock.unlock();
      release.clean();
    }
  }

  /**
   * Makes the file complete for its filesystem, which is being closed. If that fails the owner's
   * {@link #close} fails too.
   *
   * @param limitNanos of waiting for a call of another thread to end
   */
  void complete(long limitNanos) throws IOException, InterruptedException {
    if (!lock.tryLock(limitNanos, TimeUnit.NANOSECONDS)) {
      throw new IOException("another thread is writing to it");
    }
    try {
      if (state != State.CLOSED) {
        requireNoFailure();
        finish();
        state = State.CLOSED;
      }
    } finally {
      lock.unlock();
    }
  }

  private void finish() throws IOException {
    carryOut(
        () -> {
          drain();
          writer.close();
        });
  }

  /** Gives the file up without completing it; does not wait for a call under way, but ends it. */
  void abandon() {
    abandoned = true;
    writer.abort();
  }
}
