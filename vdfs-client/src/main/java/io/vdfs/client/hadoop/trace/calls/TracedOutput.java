package io.vdfs.client.hadoop.trace.calls;

import io.vdfs.client.trace.TraceOp;
import io.vdfs.client.trace.TraceSlot;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import org.apache.hadoop.fs.Abortable;
import org.apache.hadoop.fs.CanSetDropBehind;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;

/**
 * A stream around another one: records what is asked of it and passes that on. Has all interfaces
 * that {@code FSDataOutputStream} looks for, as the stream inside is one too and refuses itself
 * what it cannot do. As thread-safe as that.
 */
public final class TracedOutput extends OutputStream
    implements Syncable, CanSetDropBehind, StreamCapabilities, IOStatisticsSource, Abortable {
  private final FSDataOutputStream out;
  private final TracedStream trace;
  private long position;

  private TracedOutput(FSDataOutputStream out, TracedStream trace) {
    this.out = out;
    this.trace = trace;
    this.position = out.getPos();
  }

  /**
   * A stream that writes through another one. It claims to wrap what the other one wraps, as
   * programs look there for a stream's capabilities.
   *
   * @param statistics counts the bytes that are written; may be null
   */
  public static FSDataOutputStream around(
      FSDataOutputStream out, TracedStream trace, FileSystem.Statistics statistics)
      throws IOException {
    return new Outer(new TracedOutput(out, trace), statistics);
  }

  private static final class Outer extends FSDataOutputStream {
    private final TracedOutput traced;

    Outer(TracedOutput traced, FileSystem.Statistics statistics) throws IOException {
      super(traced, statistics, traced.position);
      this.traced = traced;
    }

    @Override
    public OutputStream getWrappedStream() {
      return traced.out.getWrappedStream();
    }
  }

  @Override
  public void write(int b) throws IOException {
    long start = System.nanoTime();
    try {
      out.write(b);
    } catch (IOException | RuntimeException | Error e) {
      trace.failed(TraceOp.WRITE, start, position, 1, e);
      throw e;
    }
    trace.moved(TraceOp.WRITE, start, position, 1, 1);
    position++;
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    long start = System.nanoTime();
    try {
      out.write(bytes, offset, length);
    } catch (IOException | RuntimeException | Error e) {
      trace.failed(TraceOp.WRITE, start, position, length, e);
      throw e;
    }
    trace.moved(TraceOp.WRITE, start, position, length, length);
    position += length;
  }

  @Override
  public void flush() throws IOException {
    trace.run(TraceOp.FLUSH, position, out::flush);
  }

  @Override
  public void hflush() throws IOException {
    trace.run(TraceOp.HFLUSH, position, out::hflush);
  }

  @Override
  public void hsync() throws IOException {
    trace.run(TraceOp.HSYNC, position, out::hsync);
  }

  @Override
  public void setDropBehind(Boolean dropCache) throws IOException {
    trace.run(TraceOp.SET_DROP_BEHIND, TraceSlot.NONE, () -> out.setDropBehind(dropCache));
  }

  @Override
  public AbortableResult abort() {
    try {
      return trace.call(TraceOp.ABORT, position, out::abort);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public boolean hasCapability(String capability) {
    return out.hasCapability(capability);
  }

  @Override
  public IOStatistics getIOStatistics() {
    return out.getIOStatistics();
  }

  @Override
  public void close() throws IOException {
    trace.run(TraceOp.CLOSE_OUTPUT, position, out::close);
  }

  @Override
  public String toString() {
    return out.toString();
  }
}
