package io.vdfs.client.hadoop.streams;

import io.vdfs.common.concurrent.DaemonThreads;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.ByteBufferPositionedReadable;
import org.apache.hadoop.fs.FileRange;

/**
 * Reads many ranges of a file side by side: ranges that lie close together as one. The threads are
 * shared by all streams of the JVM and end when nothing is to be read. Thread-safe.
 */
final class VectoredReads {
  /** Gap up to which it is cheaper to read on than to ask twice. */
  static final int MIN_SEEK = 64 << 10;

  /** Bytes up to which ranges are joined. */
  static final int MAX_READ = 4 << 20;

  private static final int THREADS = 8;
  private static final long IDLE_SECONDS = 10;
  private static final Executor JVM = newPool();

  private VectoredReads() {}

  private static Executor newPool() {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            DaemonThreads.named("vdfs-vectored-read"));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /**
   * Begins to read; each range's future tells of its end.
   *
   * @param source takes positioned reads from many threads
   * @param length of the file
   * @param allocate gives a buffer with room for at least so many bytes
   * @param release takes back buffers of reads that fail
   * @throws EOFException if a range reaches past the end; none is read then
   */
  static void submit(
      ByteBufferPositionedReadable source,
      long length,
      List<? extends FileRange> ranges,
      IntFunction<ByteBuffer> allocate,
      Consumer<ByteBuffer> release)
      throws IOException {
    Objects.requireNonNull(allocate, "allocate");
    Objects.requireNonNull(release, "release");
    List<JoinedRanges> parts = JoinedRanges.of(ranges, length, MIN_SEEK, MAX_READ);
    for (FileRange range : ranges) {
      range.setData(new CompletableFuture<>());
    }
    for (JoinedRanges part : parts) {
      JVM.execute(() -> read(source, part, allocate, release));
    }
  }

  private static void read(
      ByteBufferPositionedReadable source,
      JoinedRanges part,
      IntFunction<ByteBuffer> allocate,
      Consumer<ByteBuffer> release) {
    ByteBuffer buffer = null;
    try {
      buffer = allocate.apply(part.length());
      // an allocator may give more room than was asked for
      ByteBuffer filled = buffer.slice(buffer.position(), part.length());
      source.readFully(part.offset(), filled);
      filled.flip();
      // from the first range that is told on, its reader has it
      buffer = null;
      for (FileRange range : part.ranges()) {
        range.getData().complete(part.slice(filled, range));
      }
    } catch (IOException | RuntimeException | Error e) {
      fail(part, e, buffer, release);
    }
  }

  /**
   * @param unused null if there is none
   */
  private static void fail(
      JoinedRanges part, Throwable failure, ByteBuffer unused, Consumer<ByteBuffer> release) {
    try {
      if (unused != null) {
        release.accept(unused);
      }
    } finally {
      part.ranges().forEach(range -> range.getData().completeExceptionally(failure));
    }
  }
}
