package io.vdfs.it.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.GenericOptionsParser;

/**
 * Question: what does one very large directory do to the client that lists it, to the servers, and
 * to other clients while it is deleted? Makes a directory of so many empty files, lists it page by
 * page, deletes it, and meanwhile, until some time after the deletion, has another client make,
 * stat and delete a file of its own again and again. Prints one JSON object.
 *
 * <p>Usage: {@code MillionFiles [-D key=value]... DIRECTORY FILES MAKERS SECONDS_AFTERWARDS
 * [DAEMON_PID...]}
 */
public final class MillionFiles {
  private static final double NANOS = 1e9;
  private static final double MEBIBYTE = 1 << 20;

  private final FileSystem fileSystem;
  private final Path directory;

  private MillionFiles(FileSystem fileSystem, Path directory) {
    this.fileSystem = fileSystem;
    this.directory = directory;
  }

  /** Seconds to the first entry and to the last, and the client's largest heap in between. */
  private record Listing(int entries, double first, double all, double heapMebibytes) {}

  /** Runs the command. */
  public static void main(String[] args) throws Exception {
    Configuration configuration = new Configuration();
    List<String> rest =
        Arrays.asList(new GenericOptionsParser(configuration, args).getRemainingArgs());
    Path directory = new Path(rest.get(0));
    int files = Integer.parseInt(rest.get(1));
    int makers = Integer.parseInt(rest.get(2));
    DaemonCpu daemons = new DaemonCpu(rest.subList(4, rest.size()));
    try (FileSystem fileSystem = FileSystem.newInstance(directory.toUri(), configuration)) {
      MillionFiles test = new MillionFiles(fileSystem, directory);
      double make = test.make(files, makers);
      double afterMaking = daemons.peakMebibytes();
      Listing listing = test.list();
      if (listing.entries() != files) {
        throw new IOException("listed=" + listing.entries() + ", made=" + files);
      }
      double afterListing = daemons.peakMebibytes();
      double delete;
      List<Double> latencies;
      try (Neighbour neighbour = new Neighbour(fileSystem, new Path(directory.getParent(), "n"))) {
        neighbour.run(Integer.parseInt(rest.get(3)), false);
        double quiet = neighbour.worst();
        long start = System.nanoTime();
        test.delete();
        delete = (System.nanoTime() - start) / NANOS;
        neighbour.run(Integer.parseInt(rest.get(3)), true);
        latencies = List.of(quiet, neighbour.worst(), (double) neighbour.count());
      }
      System.out.printf(
          Locale.ROOT,
          "{\"files\":%d,\"makeSeconds\":%.1f,\"firstEntrySeconds\":%.3f,\"listSeconds\":%.2f,"
              + "\"clientHeapMiB\":%.0f,\"daemonPeakMiBAfterMaking\":%.0f,"
              + "\"daemonPeakMiBAfterListing\":%.0f,\"deleteSeconds\":%.3f,"
              + "\"worstNeighbourSecondsBefore\":%.3f,\"worstNeighbourSecondsAfter\":%.3f,"
              + "\"neighbourOperations\":%.0f}%n",
          files,
          make,
          listing.first(),
          listing.all(),
          listing.heapMebibytes(),
          afterMaking,
          afterListing,
          delete,
          latencies.get(0),
          latencies.get(1),
          latencies.get(2));
    }
  }

  private double make(int files, int makers) throws Exception {
    long start = System.nanoTime();
    fileSystem.mkdirs(directory);
    ExecutorService pool = Executors.newFixedThreadPool(makers);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int maker = 0; maker < makers; maker++) {
        int first = maker;
        running.add(
            pool.submit(
                () -> {
                  for (int i = first; i < files; i += makers) {
                    fileSystem.create(new Path(directory, "part-" + i), false).close();
                  }
                  return null;
                }));
      }
      for (Future<?> each : running) {
        each.get();
      }
    } finally {
      pool.shutdown();
    }
    return (System.nanoTime() - start) / NANOS;
  }

  private Listing list() throws IOException {
    int entries = 0;
    double first = 0;
    double heap = 0;
    long start = System.nanoTime();
    RemoteIterator<FileStatus> listing = fileSystem.listStatusIterator(directory);
    while (listing.hasNext()) {
      listing.next();
      entries++;
      if (entries == 1) {
        first = (System.nanoTime() - start) / NANOS;
      }
      if (entries % 50_000 == 0) {
        heap = Math.max(heap, liveHeap());
      }
    }
    return new Listing(entries, first, (System.nanoTime() - start) / NANOS, heap);
  }

  /** Measured after a collection, as the question is what is live, not what is garbage. */
  private static double liveHeap() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return (runtime.totalMemory() - runtime.freeMemory()) / MEBIBYTE;
  }

  private void delete() throws IOException {
    if (!fileSystem.delete(directory, true)) {
      throw new IOException("not deleted: directory=" + directory);
    }
  }

  /** Another client, with a file of its own. Confined to the calling thread. */
  private static final class Neighbour implements AutoCloseable {
    private final FileSystem fileSystem;
    private final Path file;
    private double worst;
    private long count;

    Neighbour(FileSystem fileSystem, Path file) {
      this.fileSystem = fileSystem;
      this.file = file;
    }

    void run(int seconds, boolean fresh) throws IOException {
      if (fresh) {
        worst = 0;
      }
      long end = System.nanoTime() + seconds * (long) NANOS;
      while (System.nanoTime() < end) {
        long start = System.nanoTime();
        fileSystem.create(file, true).close();
        long made = note(start);
        fileSystem.getFileStatus(file);
        long seen = note(made);
        fileSystem.delete(file, false);
        note(seen);
      }
    }

    private long note(long start) {
      long now = System.nanoTime();
      worst = Math.max(worst, (now - start) / NANOS);
      count++;
      return now;
    }

    double worst() {
      return worst;
    }

    long count() {
      return count;
    }

    @Override
    public void close() throws IOException {
      fileSystem.delete(file, false);
    }
  }
}
