package io.vdfs.client.hadoop.trace.calls;

import io.vdfs.client.trace.TraceOp;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import org.apache.hadoop.fs.FileRange;

/** Records vectored reads: the call, and each range once it is complete. Stateless. */
final class TracedRanges {
  private TracedRanges() {}

  /**
   * @param count hears of bytes that were read
   * @param call sets the ranges' data
   */
  static void read(
      List<? extends FileRange> ranges, TracedStream trace, IntConsumer count, CallTracer.Step call)
      throws IOException {
    long start = System.nanoTime();
    try {
      call.run();
    } catch (IOException | RuntimeException | Error e) {
      trace.failed(TraceOp.READ_VECTORED, start, first(ranges), total(ranges), e);
      throw e;
    }
    trace.ranged(TraceOp.READ_VECTORED, start, first(ranges), total(ranges), ranges.size());
    for (FileRange range : ranges) {
      CompletableFuture<ByteBuffer> data = range.getData();
      if (data != null) {
        long offset = range.getOffset();
        int length = range.getLength();
        var unused =
            data.whenComplete(
                (read, failure) -> record(trace, count, start, offset, length, failure));
      }
    }
  }

  private static void record(
      TracedStream trace,
      IntConsumer count,
      long start,
      long offset,
      int length,
      Throwable failed) {
    if (failed == null) {
      count.accept(length);
      trace.ranged(TraceOp.READ_RANGE, start, offset, length, length);
    } else {
      trace.failed(TraceOp.READ_RANGE, start, offset, length, failed);
    }
  }

  private static long first(List<? extends FileRange> ranges) {
    return ranges == null ? 0 : ranges.stream().mapToLong(FileRange::getOffset).min().orElse(0);
  }

  private static long total(List<? extends FileRange> ranges) {
    return ranges == null ? 0 : ranges.stream().mapToLong(FileRange::getLength).sum();
  }
}
