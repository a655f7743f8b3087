package io.vdfs.client.trace;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * One record on its way from a caller to the writer: a place of the queue, used again and again.
 * Filled by the thread that claimed it, up to {@link #publish}; read by the writer after that.
 */
public final class TraceSlot {
  /** Stands for a result, an offset or a length that does not exist. */
  public static final long NONE = Long.MIN_VALUE;

  private static final VarHandle PUBLISHED;

  static {
    try {
      PUBLISHED = MethodHandles.lookup().findVarHandle(TraceSlot.class, "published", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final boolean kept;
  private long position;

  /** One more than the position whose record can be read here. */
  @SuppressWarnings("unused") // through PUBLISHED
  private volatile long published;

  TraceOp op;
  long start;
  long end;
  Thread thread;
  String path;
  String target;
  long offset;
  long length;
  int calls;
  long result;
  String error;

  /**
   * @param kept false for the slot that takes records that find no room
   */
  TraceSlot(boolean kept) {
    this.kept = kept;
  }

  TraceSlot claim(long queuePosition) {
    position = queuePosition;
    return this;
  }

  TraceSlot begin(TraceOp newOp, long newStart, long newEnd) {
    op = newOp;
    start = newStart;
    end = newEnd;
    thread = Thread.currentThread();
    path = null;
    target = null;
    offset = NONE;
    length = NONE;
    calls = 1;
    result = NONE;
    error = null;
    return this;
  }

  /** The file or directory, as the application names it. */
  public TraceSlot path(String name) {
    path = name;
    return this;
  }

  /** The other path of a call that has two, or what else it is about. */
  public TraceSlot target(String name) {
    target = name;
    return this;
  }

  public TraceSlot range(long from, long bytes) {
    offset = from;
    length = bytes;
    return this;
  }

  /** How many small calls in a row this one record stands for. */
  public TraceSlot calls(int number) {
    calls = number;
    return this;
  }

  /** Bytes, entries, or 1 and 0 for true and false. */
  public TraceSlot result(long value) {
    result = value;
    return this;
  }

  /** Why the call failed; null if it did not. */
  public TraceSlot failure(Throwable failure) {
    error = failure == null ? null : failure.getClass().getName();
    return this;
  }

  /** Hands the record over; nothing may be changed after that. */
  public void publish() {
    if (kept) {
      PUBLISHED.setRelease(this, position + 1);
    }
  }

  boolean isPublished(long queuePosition) {
    return (long) PUBLISHED.getAcquire(this) == queuePosition + 1;
  }
}
