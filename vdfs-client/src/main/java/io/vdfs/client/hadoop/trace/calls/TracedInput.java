package io.vdfs.client.hadoop.trace.calls;

import io.vdfs.client.trace.TraceOp;
import io.vdfs.client.trace.TraceSlot;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.ByteBufferPositionedReadable;
import org.apache.hadoop.fs.ByteBufferReadable;
import org.apache.hadoop.fs.CanSetDropBehind;
import org.apache.hadoop.fs.CanSetReadahead;
import org.apache.hadoop.fs.CanUnbuffer;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.HasEnhancedByteBufferAccess;
import org.apache.hadoop.fs.HasFileDescriptor;
import org.apache.hadoop.fs.PositionedReadable;
import org.apache.hadoop.fs.ReadOption;
import org.apache.hadoop.fs.Seekable;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.io.ByteBufferPool;

/**
 * A stream around another one: records what is asked of it and passes that on. Has all interfaces
 * that {@code FSDataInputStream} looks for, as the stream inside is one too and refuses itself what
 * it cannot do. As thread-safe as that.
 */
public final class TracedInput extends InputStream
    implements Seekable,
        PositionedReadable,
        ByteBufferReadable,
        ByteBufferPositionedReadable,
        HasEnhancedByteBufferAccess,
        HasFileDescriptor,
        CanSetDropBehind,
        CanSetReadahead,
        CanUnbuffer,
        StreamCapabilities,
        IOStatisticsSource {
  private final FSDataInputStream in;
  private final TracedStream trace;
  private final FileSystem.Statistics statistics;
  private long position;

  /**
   * @param in at its start
   * @param statistics counts the bytes that are read; may be null
   */
  private TracedInput(FSDataInputStream in, TracedStream trace, FileSystem.Statistics statistics) {
    this.in = in;
    this.trace = trace;
    this.statistics = statistics;
  }

  /**
   * A stream that reads through another one. It claims to wrap what the other one wraps, as
   * programs look there for a stream's capabilities.
   */
  public static FSDataInputStream around(
      FSDataInputStream in, TracedStream trace, FileSystem.Statistics statistics) {
    return new Outer(new TracedInput(in, trace, statistics));
  }

  private static final class Outer extends FSDataInputStream {
    private final TracedInput traced;

    Outer(TracedInput traced) {
      super(traced);
      this.traced = traced;
    }

    @Override
    public InputStream getWrappedStream() {
      return traced.in.getWrappedStream();
    }
  }

  @Override
  public int read() throws IOException {
    long start = System.nanoTime();
    int value;
    try {
      value = in.read();
    } catch (IOException | RuntimeException | Error e) {
      trace.failed(TraceOp.READ, start, position, 1, e);
      throw e;
    }
    advance(TraceOp.READ, start, 1, value < 0 ? -1 : 1);
    return value;
  }

  @Override
  public int read(byte[] buffer, int offset, int length) throws IOException {
    long start = System.nanoTime();
    int read;
    try {
      read = in.read(buffer, offset, length);
    } catch (IOException | RuntimeException | Error e) {
      trace.failed(TraceOp.READ, start, position, length, e);
      throw e;
    }
    advance(TraceOp.READ, start, length, read);
    return read;
  }

  @Override
  public int read(ByteBuffer buffer) throws IOException {
    long start = System.nanoTime();
    int length = buffer.remaining();
    int read;
    try {
      read = in.read(buffer);
    } catch (IOException | RuntimeException | Error e) {
      trace.failed(TraceOp.READ_BUFFER, start, position, length, e);
      throw e;
    }
    advance(TraceOp.READ_BUFFER, start, length, read);
    return read;
  }

  @Override
  public ByteBuffer read(ByteBufferPool pool, int maxLength, EnumSet<ReadOption> options)
      throws IOException {
    long start = System.nanoTime();
    ByteBuffer read;
    try {
      read = in.read(pool, maxLength, options);
    } catch (IOException | RuntimeException | Error e) {
      trace.failed(TraceOp.READ_POOLED, start, position, maxLength, e);
      throw e;
    }
    advance(TraceOp.READ_POOLED, start, maxLength, read == null ? -1 : read.remaining());
    return read;
  }

  private void advance(TraceOp op, long start, int asked, int read) {
    trace.moved(op, start, position, asked, read);
    if (read > 0) {
      position += read;
      count(read);
    }
  }

  private void count(int read) {
    if (statistics != null && read > 0) {
      statistics.incrementBytesRead(read);
    }
  }

  @Override
  public void releaseBuffer(ByteBuffer buffer) {
    quietly(TraceOp.RELEASE_BUFFER, () -> in.releaseBuffer(buffer));
  }

  @Override
  public int read(long from, byte[] buffer, int offset, int length) throws IOException {
    long start = System.nanoTime();
    int read;
    try {
      read = in.read(from, buffer, offset, length);
    } catch (IOException | RuntimeException | Error e) {
      trace.failed(TraceOp.PREAD, start, from, length, e);
      throw e;
    }
    count(read);
    trace.ranged(TraceOp.PREAD, start, from, length, read);
    return read;
  }

  @Override
  public void readFully(long from, byte[] buffer, int offset, int length) throws IOException {
    long start = System.nanoTime();
    try {
      in.readFully(from, buffer, offset, length);
    } catch (IOException | RuntimeException | Error e) {
      trace.failed(TraceOp.PREAD, start, from, length, e);
      throw e;
    }
    count(length);
    trace.ranged(TraceOp.PREAD, start, from, length, length);
  }

  @Override
  public void readFully(long from, byte[] buffer) throws IOException {
    readFully(from, buffer, 0, buffer.length);
  }

  @Override
  public int read(long from, ByteBuffer buffer) throws IOException {
    long start = System.nanoTime();
    int length = buffer.remaining();
    int read;
    try {
      read = in.read(from, buffer);
    } catch (IOException | RuntimeException | Error e) {
      trace.failed(TraceOp.PREAD_BUFFER, start, from, length, e);
      throw e;
    }
    count(read);
    trace.ranged(TraceOp.PREAD_BUFFER, start, from, length, read);
    return read;
  }

  @Override
  public void readFully(long from, ByteBuffer buffer) throws IOException {
    long start = System.nanoTime();
    int length = buffer.remaining();
    try {
      in.readFully(from, buffer);
    } catch (IOException | RuntimeException | Error e) {
      trace.failed(TraceOp.PREAD_BUFFER, start, from, length, e);
      throw e;
    }
    count(length);
    trace.ranged(TraceOp.PREAD_BUFFER, start, from, length, length);
  }

  @Override
  public int minSeekForVectorReads() {
    return in.minSeekForVectorReads();
  }

  @Override
  public int maxReadSizeForVectorReads() {
    return in.maxReadSizeForVectorReads();
  }

  @Override
  public void readVectored(List<? extends FileRange> ranges, IntFunction<ByteBuffer> allocate)
      throws IOException {
    TracedRanges.read(ranges, trace, this::count, () -> in.readVectored(ranges, allocate));
  }

  @Override
  public void readVectored(
      List<? extends FileRange> ranges,
      IntFunction<ByteBuffer> allocate,
      Consumer<ByteBuffer> release)
      throws IOException {
    TracedRanges.read(ranges, trace, this::count, () -> in.readVectored(ranges, allocate, release));
  }

  @Override
  public void seek(long target) throws IOException {
    trace.run(TraceOp.SEEK, target, () -> in.seek(target));
    position = target;
  }

  @Override
  public long getPos() throws IOException {
    return in.getPos();
  }

  @Override
  public boolean seekToNewSource(long target) throws IOException {
    boolean moved = trace.call(TraceOp.SEEK_NEW_SOURCE, target, () -> in.seekToNewSource(target));
    position = in.getPos();
    return moved;
  }

  @Override
  public long skip(long count) throws IOException {
    long skipped = trace.call(TraceOp.SKIP, position, () -> in.skip(count));
    position += skipped;
    return skipped;
  }

  @Override
  public int available() throws IOException {
    return trace.call(TraceOp.AVAILABLE, position, in::available);
  }

  @Override
  public boolean markSupported() {
    return in.markSupported();
  }

  @Override
  public void mark(int limit) {
    in.mark(limit);
  }

  @Override
  public void reset() throws IOException {
    in.reset();
    trace.flush();
    position = in.getPos();
  }

  @Override
  public FileDescriptor getFileDescriptor() throws IOException {
    return in.getFileDescriptor();
  }

  @Override
  public void setReadahead(Long readahead) throws IOException {
    trace.run(TraceOp.SET_READAHEAD, TraceSlot.NONE, () -> in.setReadahead(readahead));
  }

  @Override
  public void setDropBehind(Boolean dropCache) throws IOException {
    trace.run(TraceOp.SET_DROP_BEHIND, TraceSlot.NONE, () -> in.setDropBehind(dropCache));
  }

  @Override
  public void unbuffer() {
    quietly(TraceOp.UNBUFFER, in::unbuffer);
  }

  /** Runs a step that throws no checked exception. */
  private void quietly(TraceOp op, Runnable step) {
    try {
      trace.run(op, TraceSlot.NONE, step::run);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public boolean hasCapability(String capability) {
    return in.hasCapability(capability);
  }

  @Override
  public IOStatistics getIOStatistics() {
    return in.getIOStatistics();
  }

  @Override
  public void close() throws IOException {
    trace.run(TraceOp.CLOSE_INPUT, TraceSlot.NONE, in::close);
  }

  @Override
  public String toString() {
    return in.toString();
  }
}
