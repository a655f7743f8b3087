package io.vdfs.client.hadoop;

import io.vdfs.client.ContentWriter;
import io.vdfs.client.hadoop.HadoopErrors.Intent;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
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
 * A file open for writing. {@link #close} alone makes it complete: a process that ends without it,
 * or a filesystem that is closed before it, leaves the file to the end of its lease.
 *
 * <p>Thread-safe: one lock guards {@code buffer}, {@code buffered} and {@code closed}.
 */
final class VdfsOutputStream extends OutputStream
    implements Syncable, StreamCapabilities, IOStatisticsSource {
  /** Small writes are gathered before they reach the writer and its lock. */
  private static final int BUFFER_BYTES = 8 << 10;

  private final Path path;
  private final ContentWriter writer;
  private final SharedClients.Lease client;
  private final Consumer<VdfsOutputStream> onClose;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private final IOStatisticsStore counters =
      IOStatisticsBinding.iostatisticsStore()
          .withCounters(StreamStatisticNames.STREAM_WRITE_BYTES)
          .build();
  private int buffered;
  private boolean closed;

  /**
   * @param client kept in use for as long as the stream can be reached
   * @param onClose hears once of the end
   */
  VdfsOutputStream(
      Path path,
      ContentWriter writer,
      SharedClients.Lease client,
      Consumer<VdfsOutputStream> onClose) {
    this.path = path;
    this.writer = writer;
    this.client = client;
    this.onClose = onClose;
  }

  /** Bytes of the file before anything is written here. */
  long startPosition() {
    return writer.position();
  }

  @Override
  public synchronized void write(int b) throws IOException {
    checkOpen();
    if (buffered == buffer.length) {
      drain();
    }
    buffer[buffered++] = (byte) b;
    counters.incrementCounter(StreamStatisticNames.STREAM_WRITE_BYTES);
  }

  @Override
  public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
    checkOpen();
    Objects.checkFromIndexSize(offset, length, bytes.length);
    if (length > buffer.length - buffered) {
      drain();
    }
    if (length >= buffer.length) {
      HadoopErrors.run(path, Intent.OPEN, () -> writer.write(bytes, offset, length));
    } else {
      System.arraycopy(bytes, offset, buffer, buffered, length);
      buffered += length;
    }
    counters.incrementCounter(StreamStatisticNames.STREAM_WRITE_BYTES, length);
  }

  private void drain() throws IOException {
    int length = buffered;
    buffered = 0;
    if (length > 0) {
      HadoopErrors.run(path, Intent.OPEN, () -> writer.write(buffer, 0, length));
    }
  }

  /** Passes on what was gathered here; promises nothing. */
  @Override
  public synchronized void flush() throws IOException {
    checkOpen();
    drain();
  }

  @Override
  public synchronized void hflush() throws IOException {
    checkOpen();
    drain();
    HadoopErrors.run(path, Intent.OPEN, writer::flush);
  }

  @Override
  public synchronized void hsync() throws IOException {
    checkOpen();
    drain();
    HadoopErrors.run(path, Intent.OPEN, writer::sync);
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

  private void checkOpen() throws IOException {
    if (client.isClosed()) {
      throw new IOException("Filesystem closed: path=" + path);
    }
    if (closed) {
      throw new ClosedChannelException();
    }
  }

  /** Idempotent; after a failure the file stays open for writing until its lease is recovered. */
  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    onClose.accept(this);
    boolean drained = false;
    try {
      drain();
      drained = true;
    } finally {
      if (!drained) {
        writer.abort();
      }
    }
    HadoopErrors.run(path, Intent.OPEN, writer::close);
  }

  /** Gives the file up without completing it; does not wait for a call under way. */
  void abandon() {
    writer.abort();
  }
}
