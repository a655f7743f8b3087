package io.vdfs.it.bench;

import io.vdfs.client.hadoop.trace.TracingFileSystem;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;

/**
 * What tracing costs: a file of the local filesystem that memory holds is read over and over in
 * calls of one size, plainly and through {@code trace://} in turn. Prints the processor time of the
 * process per call of either kind, the writer of the trace included: the median of the repetitions.
 * The last line says how large the traces are.
 *
 * <p>Usage: {@code TraceCost DIRECTORY [MIB [REPETITIONS]]}
 */
public final class TraceCost {
  private static final int[] CALL_BYTES = {1, 4 << 10, 64 << 10, 1 << 20};

  /** So many that a pass takes long compared with the unit of processor time. */
  private static final int MOST_CALLS = 4_000_000;

  private static final long PASS_BYTES = 4L << 30;

  private final FileSystem plain;
  private final FileSystem traced;
  private final org.apache.hadoop.fs.Path file;
  private final long length;

  private TraceCost(FileSystem plain, FileSystem traced, Path file, long length) {
    this.plain = plain;
    this.length = length;
    this.traced = traced;
    this.file = new org.apache.hadoop.fs.Path(file.toString());
  }

  /** Runs it and removes what it made. */
  public static void main(String[] args) throws IOException {
    if (args.length < 1 || args.length > 3) {
      System.err.println("usage: TraceCost DIRECTORY [MIB [REPETITIONS]]");
      System.exit(2);
    }
    Path directory = Files.createTempDirectory(Path.of(args[0]).toAbsolutePath(), "trace-cost");
    Path sink = Files.createDirectory(directory.resolve("sink"));
    long bytes = (args.length > 1 ? Long.parseLong(args[1]) : 256) << 20;
    int repetitions = args.length > 2 ? Integer.parseInt(args[2]) : 5;
    Configuration conf = new Configuration();
    conf.set("fs.trace.sink", sink.toUri().toString());
    conf.set("fs.trace.impl", TracingFileSystem.class.getName());
    conf.set("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem");
    try (FileSystem plain = FileSystem.newInstance(directory.toUri(), conf);
        FileSystem traced =
            FileSystem.newInstance(
                new org.apache.hadoop.fs.Path("trace://file-" + directory).toUri(), conf)) {
      TraceCost cost = new TraceCost(plain, traced, directory.resolve("data"), bytes);
      cost.write();
      for (int callBytes : CALL_BYTES) {
        cost.compare(callBytes, repetitions);
      }
    }
    System.out.printf("{\"traceBytes\": %d}%n", removeAll(directory, sink));
  }

  private void write() throws IOException {
    try (FSDataOutputStream out = plain.create(file)) {
      byte[] part = new byte[1 << 20];
      for (long written = 0; written < length; written += part.length) {
        out.write(part);
      }
    }
  }

  private void compare(int callBytes, int repetitions) throws IOException {
    long calls = Math.min(MOST_CALLS, PASS_BYTES / callBytes);
    double[] without = new double[repetitions];
    double[] with = new double[repetitions];
    read(plain, callBytes, calls);
    read(traced, callBytes, calls); // both once, for the compiler's sake
    for (int i = 0; i < repetitions; i++) {
      without[i] = cpuPerCall(plain, callBytes, calls);
      with[i] = cpuPerCall(traced, callBytes, calls);
    }
    double plainNanos = median(without);
    double tracedNanos = median(with);
    System.out.printf(
        Locale.ROOT,
        "{\"callBytes\": %d, \"calls\": %d, \"plainNanos\": %.0f, \"tracedNanos\": %.0f,"
            + " \"costNanos\": %.0f, \"percent\": %.2f}%n",
        callBytes,
        calls,
        plainNanos,
        tracedNanos,
        tracedNanos - plainNanos,
        100 * (tracedNanos - plainNanos) / plainNanos);
  }

  private double cpuPerCall(FileSystem fileSystem, int callBytes, long calls) throws IOException {
    long start = cpuNanos();
    read(fileSystem, callBytes, calls);
    return (double) (cpuNanos() - start) / calls;
  }

  private void read(FileSystem fileSystem, int callBytes, long calls) throws IOException {
    byte[] buffer = new byte[callBytes];
    try (FSDataInputStream in = fileSystem.open(file)) {
      long left = length;
      for (long call = 0; call < calls; call++) {
        if (left < callBytes) {
          in.seek(0);
          left = length;
        }
        in.readFully(buffer);
        left -= callBytes;
      }
    }
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static long cpuNanos() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
        .getProcessCpuTime();
  }

  private static long removeAll(Path directory, Path sink) throws IOException {
    long traced = 0;
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path path : files.sorted((a, b) -> b.compareTo(a)).toList()) {
        traced += path.startsWith(sink) && Files.isRegularFile(path) ? Files.size(path) : 0;
        Files.delete(path);
      }
    }
    return traced;
  }
}
