package io.vdfs.cli.trace;

import io.vdfs.client.trace.TraceHeader;
import io.vdfs.client.trace.TraceRecord;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Tables of the calls: how often, for how many bytes and how long. */
final class TraceSummary implements TraceScan.Visitor {
  private static final String OP_ROW = "%-16s %10s %8s %16s %12s %6s %10s %10s %10s %10s %12s%n";
  private static final String FILE_ROW = "%16s %16s %12s %12s %6s %12s  %s%n";

  private final Map<String, CallTotals> byOp = new TreeMap<>();
  private final Map<String, FileTotals> byFile = new HashMap<>();
  private final Map<Place, Long> ends = new HashMap<>();
  private final Set<String> processes = new HashSet<>();
  private long first = Long.MAX_VALUE;
  private long last = Long.MIN_VALUE;

  /** A file in which one process reads, writes or fetches. */
  private record Place(String process, String path, String kind) {}

  private static final class FileTotals {
    private final CallTotals reads = new CallTotals();
    private final CallTotals writes = new CallTotals();
    private final CallTotals all = new CallTotals();
  }

  @Override
  public void onRecord(TraceHeader header, TraceRecord record) {
    processes.add(header.process());
    long start = micros(header) + record.startNanos() / 1_000;
    first = Math.min(first, start);
    last = Math.max(last, start + record.durationNanos() / 1_000);
    boolean follows = follows(header, record);
    byOp.computeIfAbsent(record.op(), op -> new CallTotals()).add(record, follows);
    if (!record.path().isEmpty() && !record.isFetch()) {
      FileTotals file = byFile.computeIfAbsent(record.path(), path -> new FileTotals());
      if (record.isRead()) {
        file.reads.add(record, follows);
      } else if (record.isWrite()) {
        file.writes.add(record, follows);
      }
      file.all.add(record, follows);
    }
  }

  private static long micros(TraceHeader header) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, header.began());
  }

  /** A first call follows if it begins with the file. */
  private boolean follows(TraceHeader header, TraceRecord record) {
    if (record.bytes() <= 0) {
      return false;
    }
    String kind = record.isRead() ? "read" : record.op();
    Place place = new Place(header.process(), record.path(), kind);
    Long end = ends.put(place, record.offset() + record.bytes());
    return record.offset() == (end == null ? 0 : end);
  }

  /**
   * @param scan that filled this
   * @param files how many are shown, those with the most bytes
   */
  void print(TraceScan scan, int files, PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "%d files, %d processes, %d records in %.3f s, %d dropped%n%n",
        scan.files(),
        processes.size(),
        scan.records(),
        first > last ? 0 : (last - first) / 1e6,
        scan.dropped());
    out.printf(
        OP_ROW,
        "call",
        "count",
        "errors",
        "bytes",
        "bytes/call",
        "seq",
        "mean us",
        "p50 us",
        "p95 us",
        "max us",
        "total ms");
    byOp.forEach((op, totals) -> printOp(op, totals, out));
    out.println();
    out.printf(
        FILE_ROW, "bytes read", "bytes written", "reads", "writes", "seq", "total ms", "file");
    shown(files).forEach(entry -> printFile(entry.getKey(), entry.getValue(), out));
    if (byFile.size() > files) {
      out.printf("and %d more files%n", byFile.size() - files);
    }
  }

  private static void printOp(String op, CallTotals totals, PrintWriter out) {
    Latencies latencies = totals.latencies();
    out.printf(
        OP_ROW,
        op,
        totals.calls(),
        totals.errors(),
        totals.bytes(),
        number("%.0f", totals.meanBytes()),
        share(totals.sequentialShare()),
        number("%.1f", latencies.mean() / 1e3),
        number("%.1f", latencies.quantile(0.5) / 1e3),
        number("%.1f", latencies.quantile(0.95) / 1e3),
        number("%.1f", latencies.most() / 1e3),
        number("%.1f", latencies.total() / 1e6));
  }

  private List<Map.Entry<String, FileTotals>> shown(int files) {
    Comparator<Map.Entry<String, FileTotals>> most =
        Comparator.comparingLong(entry -> -entry.getValue().all.bytes());
    return byFile.entrySet().stream()
        .sorted(most.thenComparing(Map.Entry::getKey))
        .limit(files)
        .toList();
  }

  private static void printFile(String path, FileTotals file, PrintWriter out) {
    out.printf(
        FILE_ROW,
        file.reads.bytes(),
        file.writes.bytes(),
        file.reads.calls(),
        file.writes.calls(),
        share(file.all.sequentialShare()),
        number("%.1f", file.all.latencies().total() / 1e6),
        path);
  }

  private static String share(double share) {
    return Double.isNaN(share) ? "-" : number("%.0f%%", share * 100);
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
