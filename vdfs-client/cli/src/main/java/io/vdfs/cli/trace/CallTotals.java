package io.vdfs.cli.trace;

import io.vdfs.client.trace.TraceRecord;

/** Sums of the calls of one kind. */
final class CallTotals {
  private final Latencies latencies = new Latencies();
  private long calls;
  private long errors;
  private long bytes;
  private long placed;
  private long sequential;

  /**
   * @param follows whether it begins where the one before in the same file ended
   */
  void add(TraceRecord record, boolean follows) {
    calls += record.calls();
    latencies.add(record.durationNanos(), record.calls());
    if (!record.error().isEmpty()) {
      errors++;
    }
    if (record.bytes() > 0) {
      bytes += record.bytes();
      placed += record.calls();
      sequential += record.calls() - (follows ? 0 : 1);
    }
  }

  Latencies latencies() {
    return latencies;
  }

  long calls() {
    return calls;
  }

  long errors() {
    return errors;
  }

  long bytes() {
    return bytes;
  }

  /** Mean bytes of the calls that moved any. */
  double meanBytes() {
    return placed == 0 ? 0 : (double) bytes / placed;
  }

  /** Share of the calls that begin where the one before ended; NaN if none moved bytes. */
  double sequentialShare() {
    return placed == 0 ? Double.NaN : (double) sequential / placed;
  }
}
