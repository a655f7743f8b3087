package io.vdfs.client.hadoop.trace.calls;

import io.vdfs.client.trace.TraceOp;
import io.vdfs.client.trace.TraceRecorder;
import java.util.concurrent.TimeUnit;

/**
 * Records the reads or writes of one stream at its own position. Small ones that follow each other
 * share a record, which says how many they are: a stream that is read byte by byte would otherwise
 * be slowed down, and its trace would be larger than the file.
 *
 * <p>Thread-safe, as a program may write on one thread and force on another.
 */
final class SmallCalls {
  /** A call of so many bytes or more has a record of its own. */
  private static final int SMALL = 16 << 10;

  /** Bytes that one record may stand for. */
  private static final int MOST_BYTES = 64 << 10;

  private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final TraceRecorder recorder;
  private final String path;
  private TraceOp op;
  private long start;
  private long spent;
  private long offset;
  private long asked;
  private long done;
  private int calls;

  SmallCalls(TraceRecorder recorder, String path) {
    this.recorder = recorder;
    this.path = path;
  }

  /**
   * Records a call that ended just now.
   *
   * @param bytes that it read or wrote; -1 at the end of the file
   */
  synchronized void add(TraceOp newOp, long began, long position, long wanted, long bytes) {
    long end = System.nanoTime();
    boolean small = wanted < SMALL && bytes > 0;
    if (calls > 0) {
      if (small && follows(newOp, began, position)) {
        spent += end - began;
        asked += wanted;
        done += bytes;
        calls++;
        return;
      }
      flush();
    }
    if (!small) {
      record(newOp, began, end, position, wanted, bytes, 1);
      return;
    }
    op = newOp;
    start = began;
    spent = end - began;
    offset = position;
    asked = wanted;
    done = bytes;
    calls = 1;
  }

  private boolean follows(TraceOp newOp, long began, long position) {
    return newOp == op
        && position == offset + done
        && done < MOST_BYTES
        && began - start < MOST_NANOS;
  }

  /** Records what was gathered; before anything else happens to the stream. */
  synchronized void flush() {
    if (calls > 0) {
      record(op, start, start + spent, offset, asked, done, calls);
      calls = 0;
    }
  }

  private void record(
      TraceOp what, long from, long to, long position, long wanted, long bytes, int number) {
    recorder
        .claim(what, from, to)
        .path(path)
        .range(position, wanted)
        .calls(number)
        .result(bytes)
        .publish();
  }
}
