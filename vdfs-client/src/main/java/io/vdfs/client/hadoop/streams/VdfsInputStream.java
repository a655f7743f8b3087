package io.vdfs.client.hadoop.streams;

import io.vdfs.client.files.ContentCursor;
import io.vdfs.client.files.ContentReader;
import io.vdfs.client.hadoop.cluster.SharedClients;
import io.vdfs.client.hadoop.terms.HadoopErrors;
import io.vdfs.client.hadoop.terms.HadoopErrors.Intent;
import io.vdfs.client.hadoop.terms.HadoopLine;
import io.vdfs.client.read.ReadPattern;
import io.vdfs.common.error.VdfsException;
import java.io.EOFException;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.ByteBufferPositionedReadable;
import org.apache.hadoop.fs.ByteBufferReadable;
import org.apache.hadoop.fs.CanUnbuffer;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.HasEnhancedByteBufferAccess;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.ReadOption;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding;
import org.apache.hadoop.io.ByteBufferPool;

/**
 * A file open for reading. Reads at the stream's own position hold its lock; positional ones run
 * side by side with everything. Seeking past the end is refused, as in HDFS.
 *
 * <p>Nothing is mapped: a mapped block file could change, or be read from its disk again, after its
 * bytes were verified. A read with a {@link ByteBufferPool} does what HDFS does where it cannot
 * map: bytes are copied once, to a buffer of the pool.
 */
public final class VdfsInputStream extends FSInputStream
    implements ByteBufferReadable,
        ByteBufferPositionedReadable,
        HasEnhancedByteBufferAccess,
        CanUnbuffer,
        StreamCapabilities,
        IOStatisticsSource {
  private final Path path;
  private final ContentReader reader;
  private final SharedClients.Lease client;
  private final FileSystem.Statistics statistics;
  private final ContentCursor cursor; // guarded by this
  private final Cleaner.Cleanable release; // what the cursor holds
  private final LentBuffers lent = new LentBuffers(); // guarded by this
  private final AtomicLong readBytes = new AtomicLong();
  private final AtomicLong readOperations = new AtomicLong();
  private final AtomicLong seekOperations = new AtomicLong();
  private final AtomicLong vectoredOperations = new AtomicLong();
  private final AtomicLong vectoredRanges = new AtomicLong();
  private volatile boolean closed;

  /**
   * Reads a file from its start.
   *
   * @param path qualified, for messages
   * @param pattern how reads at the stream's own position will go
   * @param client kept in use for as long as the stream can be reached
   * @param statistics of the filesystem, told how many bytes are read
   */
  public VdfsInputStream(
      Path path,
      ContentReader reader,
      ReadPattern pattern,
      SharedClients.Lease client,
      FileSystem.Statistics statistics) {
    this.path = path;
    this.reader = reader;
    this.client = client;
    this.statistics = statistics;
    this.cursor = reader.cursor(pattern);
    // of streams that are never closed too; the cursor does not refer to the stream
    this.release = SharedClients.CLEANER.register(this, cursor::release);
  }

  @Override
  public synchronized int read() throws IOException {
    byte[] single = new byte[1];
    return read(single, 0, 1) < 0 ? -1 : single[0] & 0xff;
  }

  @Override
  public synchronized int read(byte[] buffer, int offset, int length) throws IOException {
    return read(ByteBuffer.wrap(buffer, offset, length));
  }

  @Override
  public synchronized int read(ByteBuffer buffer) throws IOException {
    checkOpen();
    if (!buffer.hasRemaining()) {
      return 0;
    }
    int length = buffer.remaining();
    if (cursor.readFromMemory(buffer)) {
      return counted(length);
    }
    try {
      return counted(cursor.read(buffer));
    } catch (VdfsException e) {
      // not by HadoopErrors.translate, through whose call this way would be compiled once more
      throw HadoopErrors.exception(path, Intent.OPEN, e);
    }
  }

  @Override
  public int read(long position, byte[] buffer, int offset, int length) throws IOException {
    checkOpen();
    validatePositionedReadArgs(position, buffer, offset, length);
    return read(position, ByteBuffer.wrap(buffer, offset, length));
  }

  @Override
  public int read(long position, ByteBuffer buffer) throws IOException {
    checkOpen();
    checkPosition(position);
    if (!buffer.hasRemaining()) {
      return 0;
    }
    return counted(HadoopErrors.translate(path, Intent.OPEN, () -> reader.read(position, buffer)));
  }

  @Override
  public void readFully(long position, ByteBuffer buffer) throws IOException {
    checkOpen();
    long next = position;
    while (buffer.hasRemaining()) {
      int read = read(next, buffer);
      if (read < 0) {
        throw new EOFException(FSExceptionMessages.EOF_IN_READ_FULLY);
      }
      next += read;
    }
  }

  /**
   * Reads up to {@code maxLength} bytes, fewer only at the end of the file or if the pool's buffer
   * is smaller.
   *
   * @param pool lends the buffer, until {@link #releaseBuffer}, also after the stream is closed
   * @param options change nothing: checksums are verified in any case
   * @return ready to be read; null at the end of the file
   * @throws IOException if reading fails; the stream's position stays
   * @throws UnsupportedOperationException without a pool, or if it gives no buffer
   */
  @Override
  public synchronized ByteBuffer read(
      ByteBufferPool pool, int maxLength, EnumSet<ReadOption> options) throws IOException {
    checkOpen();
    if (maxLength < 0) {
      throw new IllegalArgumentException(
          "a length is 0 or above: path=" + path + ", maxLength=" + maxLength);
    } else if (maxLength == 0) {
      return LentBuffers.empty();
    } else if (cursor.position() >= reader.length()) {
      return null;
    }
    long start = cursor.position();
    boolean done = false;
    try {
      ByteBuffer filled = lent.fill(pool, maxLength, this::read);
      done = true;
      return filled;
    } finally {
      if (!done) {
        cursor.seek(start);
      }
    }
  }

  /**
   * @throws IllegalArgumentException if the buffer was not got here, or was given back before
   */
  @Override
  public synchronized void releaseBuffer(ByteBuffer buffer) {
    lent.giveBack(buffer);
  }

  /** Ranges that lie close together are read as one, all of them side by side. */
  @Override
  public void readVectored(List<? extends FileRange> ranges, IntFunction<ByteBuffer> allocate)
      throws IOException {
    readVectored(ranges, allocate, buffer -> {});
  }

  @Override
  public void readVectored(
      List<? extends FileRange> ranges,
      IntFunction<ByteBuffer> allocate,
      Consumer<ByteBuffer> release)
      throws IOException {
    checkOpen();
    VectoredReads.submit(this, reader.length(), ranges, allocate, release);
    vectoredOperations.incrementAndGet();
    vectoredRanges.addAndGet(ranges.size());
  }

  @Override
  public int minSeekForVectorReads() {
    return VectoredReads.MIN_SEEK;
  }

  @Override
  public int maxReadSizeForVectorReads() {
    return VectoredReads.MAX_READ;
  }

  @Override
  public IOStatistics getIOStatistics() {
    return IOStatisticsBinding.dynamicIOStatistics()
        .withAtomicLongCounter(StreamStatisticNames.STREAM_READ_BYTES, readBytes)
        .withAtomicLongCounter(StreamStatisticNames.STREAM_READ_OPERATIONS, readOperations)
        .withAtomicLongCounter(StreamStatisticNames.STREAM_READ_SEEK_OPERATIONS, seekOperations)
        .withAtomicLongCounter(
            StreamStatisticNames.STREAM_READ_VECTORED_OPERATIONS, vectoredOperations)
        .withAtomicLongCounter(
            StreamStatisticNames.STREAM_READ_VECTORED_INCOMING_RANGES, vectoredRanges)
        .build();
  }

  private int counted(int read) {
    readOperations.incrementAndGet();
    if (read > 0) {
      readBytes.addAndGet(read);
      statistics.incrementBytesRead(read);
    }
    return read;
  }

  @Override
  public synchronized void seek(long target) throws IOException {
    checkOpen();
    checkPosition(target);
    if (target > reader.length()) {
      throw new EOFException(
          "%s: path=%s, target=%s, length=%s"
              .formatted(FSExceptionMessages.CANNOT_SEEK_PAST_EOF, path, target, reader.length()));
    }
    cursor.seek(target);
    seekOperations.incrementAndGet();
  }

  private void checkPosition(long position) throws EOFException {
    if (position < 0) {
      throw new EOFException(
          FSExceptionMessages.NEGATIVE_SEEK + ": path=" + path + ", position=" + position);
    }
  }

  @Override
  public synchronized long skip(long count) throws IOException {
    checkOpen();
    long skipped = Math.max(0, Math.min(count, reader.length() - cursor.position()));
    cursor.seek(cursor.position() + skipped);
    return skipped;
  }

  @Override
  public synchronized long getPos() {
    return cursor.position();
  }

  /** There is no other source to choose: each read finds its own. */
  @Override
  public boolean seekToNewSource(long target) {
    return false;
  }

  @Override
  public synchronized int available() throws IOException {
    checkOpen();
    return (int) Math.min(Integer.MAX_VALUE, reader.length() - cursor.position());
  }

  @Override
  public synchronized void unbuffer() {
    cursor.release();
  }

  /** Claims no capability that this Hadoop, being older, has no name for. */
  @Override
  public boolean hasCapability(String capability) {
    String name = capability.toLowerCase(Locale.ENGLISH);
    return switch (name) {
      case StreamCapabilities.UNBUFFER,
          StreamCapabilities.READBYTEBUFFER,
          StreamCapabilities.PREADBYTEBUFFER,
          StreamCapabilities.VECTOREDIO,
          StreamCapabilities.VECTOREDIO_BUFFERS_SLICED,
          StreamCapabilities.IOSTATISTICS ->
          HadoopLine.names(StreamCapabilities.class, name);
      default -> false;
    };
  }

  private void checkOpen() throws IOException {
    if (closed) {
      throw new IOException(FSExceptionMessages.STREAM_IS_CLOSED + " path=" + path);
    }
    if (client.isClosed()) {
      throw new IOException("Filesystem closed: path=" + path);
    }
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      release.clean();
    }
  }
}
