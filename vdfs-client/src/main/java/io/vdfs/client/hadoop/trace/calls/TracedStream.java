package io.vdfs.client.hadoop.trace.calls;

import io.vdfs.client.trace.TraceOp;
import io.vdfs.client.trace.TraceRecorder;
import io.vdfs.client.trace.TraceSlot;
import java.io.IOException;

/** Records what is asked of one stream. As thread-safe as the stream. */
public final class TracedStream {
  private final TraceRecorder recorder;
  private final String path;
  private final SmallCalls small;

  public TracedStream(TraceRecorder recorder, String path) {
    this.recorder = recorder;
    this.path = path;
    this.small = new SmallCalls(recorder, path);
  }

  /**
   * A read or write at the stream's own position ended just now.
   *
   * @param bytes -1 at the end of the file
   */
  void moved(TraceOp op, long start, long position, long asked, long bytes) {
    small.add(op, start, position, asked, bytes);
  }

  /** A call that names a range ended just now. */
  void ranged(TraceOp op, long start, long position, long asked, long result) {
    recorder.claim(op, start).path(path).range(position, asked).result(result).publish();
  }

  /** A call failed just now. */
  void failed(TraceOp op, long start, long position, long asked, Throwable failure) {
    recorder.claim(op, start).path(path).range(position, asked).failure(failure).publish();
  }

  /**
   * Runs a call that is about no range.
   *
   * @param position where it is about one; else {@link TraceSlot#NONE}
   */
  <T> T call(TraceOp op, long position, CallTracer.Call<T> call) throws IOException {
    small.flush();
    long start = System.nanoTime();
    try {
      T result = call.run();
      ranged(op, start, position, TraceSlot.NONE, number(result));
      return result;
    } catch (IOException | RuntimeException | Error e) {
      failed(op, start, position, TraceSlot.NONE, e);
      throw e;
    }
  }

  void run(TraceOp op, long position, CallTracer.Step step) throws IOException {
    call(
        op,
        position,
        () -> {
          step.run();
          return null;
        });
  }

  /** Records what small calls left behind. */
  void flush() {
    small.flush();
  }

  private static long number(Object result) {
    if (result instanceof Number number) {
      return number.longValue();
    }
    return result instanceof Boolean answer ? answer ? 1 : 0 : TraceSlot.NONE;
  }
}
