package io.vdfs.it.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.EOFException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.ToDoubleFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StorageStatistics;
import org.apache.hadoop.util.GenericOptionsParser;

/**
 * Question: what rate do plain readers get from a filesystem, and what CPU does it cost, its
 * daemons' included? A number of threads read the files of a directory in ranges of 128 MiB through
 * {@code FSDataInputStream}, each range by a stream of its own. Passes before the measured ones
 * warm up. Prints one JSON object with the medians of the measured passes.
 *
 * <p>Usage: {@code RangeReaders [-D key=value]... LABEL DIRECTORY THREADS WARMUPS PASSES
 * [DAEMON_PID...]}
 */
public final class RangeReaders {
  private static final long RANGE = 128L << 20;
  private static final int BUFFER = 128 << 10;
  private static final double GIB = 1L << 30;
  private static final double NANOS = 1e9;

  private final FileSystem fileSystem;
  private final List<FileStatus> files;
  private final int threads;
  private final DaemonCpu daemons;

  private RangeReaders(
      FileSystem fileSystem, List<FileStatus> files, int threads, DaemonCpu daemons) {
    this.fileSystem = fileSystem;
    this.files = files;
    this.threads = threads;
    this.daemons = daemons;
  }

  /** Rate in GiB per second, CPU in seconds per GiB. */
  private record Pass(double gib, double rate, double clientCpu, double daemonCpu) {}

  private record Range(FileStatus file, long start, long length) {}

  /** Runs the command. */
  public static void main(String[] args) throws Exception {
    Configuration configuration = new Configuration();
    String[] rest = new GenericOptionsParser(configuration, args).getRemainingArgs();
    org.apache.hadoop.fs.Path directory = new org.apache.hadoop.fs.Path(rest[1]);
    try (FileSystem fileSystem = FileSystem.newInstance(directory.toUri(), configuration)) {
      List<FileStatus> files = new ArrayList<>();
      for (FileStatus file : fileSystem.listStatus(directory)) {
        if (!file.getPath().getName().startsWith(".")) {
          files.add(file);
        }
      }
      RangeReaders readers =
          new RangeReaders(
              fileSystem,
              files,
              Integer.parseInt(rest[2]),
              new DaemonCpu(Arrays.asList(rest).subList(5, rest.length)));
      for (int pass = 0; pass < Integer.parseInt(rest[3]); pass++) {
        readers.pass();
      }
      List<Pass> passes = new ArrayList<>();
      for (int pass = 0; pass < Integer.parseInt(rest[4]); pass++) {
        passes.add(readers.measured());
      }
      System.out.println(readers.report(rest[0], passes));
    }
  }

  private Pass measured() throws Exception {
    double cpuBefore = cpuSeconds();
    double daemonsBefore = daemons.seconds();
    long start = System.nanoTime();
    double gib = pass() / GIB;
    double seconds = (System.nanoTime() - start) / NANOS;
    double client = (cpuSeconds() - cpuBefore) / gib;
    return new Pass(gib, gib / seconds, client, (daemons.seconds() - daemonsBefore) / gib);
  }

  private String report(String label, List<Pass> passes) {
    return String.format(
        Locale.ROOT,
        "{\"label\":\"%s\",\"threads\":%d,\"passes\":%d,\"gib\":%.3f,\"gibPerSecond\":%.3f,"
            + "\"clientCpuSecondsPerGib\":%.3f,\"daemonCpuSecondsPerGib\":%.3f,"
            + "\"bytesByLocalDelivery\":%s,\"bytesBySegment\":%s,\"bytesBySocket\":%s}",
        label,
        threads,
        passes.size(),
        passes.get(0).gib(),
        median(passes, Pass::rate),
        median(passes, Pass::clientCpu),
        median(passes, Pass::daemonCpu),
        counter("bytes_by_local_delivery"),
        counter("bytes_by_segment"),
        counter("bytes_by_socket"));
  }

  private static double median(List<Pass> passes, ToDoubleFunction<Pass> field) {
    double[] sorted = passes.stream().mapToDouble(field).sorted().toArray();
    return sorted[sorted.length / 2];
  }

  private Long counter(String name) {
    StorageStatistics statistics = fileSystem.getStorageStatistics();
    return statistics == null ? null : statistics.getLong(name);
  }

  /** Reads everything once; returns the bytes read. */
  private long pass() throws Exception {
    Queue<Range> ranges = new ConcurrentLinkedQueue<>();
    for (FileStatus file : files) {
      for (long start = 0; start < file.getLen(); start += RANGE) {
        ranges.add(new Range(file, start, Math.min(RANGE, file.getLen() - start)));
      }
    }
    ExecutorService readers = Executors.newFixedThreadPool(threads);
    try {
      List<Future<Long>> read = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        read.add(readers.submit(() -> readAll(ranges)));
      }
      return sum(read);
    } finally {
      readers.shutdown();
    }
  }

  private static long sum(List<Future<Long>> read) throws InterruptedException, ExecutionException {
    long bytes = 0;
    for (Future<Long> thread : read) {
      bytes += thread.get();
    }
    return bytes;
  }

  private long readAll(Queue<Range> ranges) throws IOException {
    byte[] buffer = new byte[BUFFER];
    long bytes = 0;
    for (Range range = ranges.poll(); range != null; range = ranges.poll()) {
      try (FSDataInputStream in = fileSystem.open(range.file().getPath())) {
        in.seek(range.start());
        long done = 0;
        while (done < range.length()) {
          int read = in.read(buffer, 0, (int) Math.min(buffer.length, range.length() - done));
          if (read < 0) {
            throw new EOFException("file ends early: " + range);
          }
          done += read;
        }
        bytes += done;
      }
    }
    return bytes;
  }

  private static double cpuSeconds() {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return system.getProcessCpuTime() / NANOS;
  }
}
