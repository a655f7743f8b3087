package io.vdfs.client.trace;

/**
 * One record as it stands in a file. Immutable.
 *
 * @param startNanos since {@link TraceHeader#beganNanos()}
 * @param op label of the operation
 * @param path empty if the call is about none
 * @param target the other path of a call that has two; else empty
 * @param offset in the file; {@link TraceSlot#NONE} if there is none
 * @param length bytes asked for; {@link TraceSlot#NONE} if there is none
 * @param calls how many calls in a row it stands for
 * @param result bytes, entries, or 1 and 0 for true and false; {@link TraceSlot#NONE} if there is
 *     none
 * @param error class of the exception that the call ended with; empty if it ended well
 */
public record TraceRecord(
    long startNanos,
    long durationNanos,
    String thread,
    String op,
    String path,
    String target,
    long offset,
    long length,
    int calls,
    long result,
    String error) {
  /**
   * Whether it is about bytes read by the application, and not only about a part of such a call.
   */
  public boolean isRead() {
    return switch (op) {
      case "read", "read-buffer", "read-pooled", "pread", "pread-buffer", "read-range" -> true;
      default -> false;
    };
  }

  public boolean isWrite() {
    return op.equals("write");
  }

  public boolean isFetch() {
    return op.equals("fetch");
  }

  /** Bytes that were read, written or fetched; 0 of all other records. */
  public long bytes() {
    return isRead() || isWrite() || isFetch() ? Math.max(0, result) : 0;
  }
}
