package io.vdfs.it.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.ToDoubleFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.GenericOptionsParser;

/**
 * Question: how many operations on names does a filesystem carry out per second, and what CPU do
 * its daemons spend on 1,000 of them? A number of threads, each with files of its own, create and
 * close empty files, stat them, open them, rename them and delete them, write files of 16 KiB and
 * read them, one kind after the other; then all of them list one large directory. The first pass
 * warms up, the medians of the others are printed, one JSON object per kind of operation.
 *
 * <p>Usage: {@code NamespaceLoad [-D key=value]... LABEL DIRECTORY THREADS OPERATIONS PASSES
 * ENTRIES [DAEMON_PID...]}. The large directory is made if it isn't there; a listing counts as one
 * operation.
 */
public final class NamespaceLoad {
  private static final double NANOS = 1e9;
  private static final double THOUSAND = 1_000;
  private static final int MAKERS = 64;

  /** Bytes of a small file, such as a metadata service might keep itself. */
  private static final int SMALL = 16 << 10;

  private final FileSystem fileSystem;
  private final Path directory;
  private final int threads;
  private final int perThread;
  private final DaemonCpu daemons;

  /** What one thread does with its file number {@code i}. */
  private interface Step {
    void act(int thread, int i) throws IOException;
  }

  /** Rate per second, CPU in seconds per 1,000 operations. */
  private record Figure(double rate, double daemonCpu, double clientCpu) {}

  private NamespaceLoad(
      FileSystem fileSystem, Path directory, int threads, int perThread, DaemonCpu daemons) {
    this.fileSystem = fileSystem;
    this.directory = directory;
    this.threads = threads;
    this.perThread = perThread;
    this.daemons = daemons;
  }

  /** Runs the command. */
  public static void main(String[] args) throws Exception {
    Configuration configuration = new Configuration();
    List<String> rest =
        Arrays.asList(new GenericOptionsParser(configuration, args).getRemainingArgs());
    Path directory = new Path(rest.get(1));
    int threads = Integer.parseInt(rest.get(2));
    int passes = Integer.parseInt(rest.get(4));
    try (FileSystem fileSystem = FileSystem.newInstance(directory.toUri(), configuration)) {
      NamespaceLoad load =
          new NamespaceLoad(
              fileSystem,
              directory,
              threads,
              Math.max(1, Integer.parseInt(rest.get(3)) / threads),
              new DaemonCpu(rest.subList(6, rest.size())));
      Map<String, List<Figure>> figures = new TreeMap<>();
      load.pass(new TreeMap<>());
      for (int pass = 0; pass < passes; pass++) {
        load.pass(figures);
      }
      load.list(figures, Integer.parseInt(rest.get(5)), passes);
      figures.forEach((what, all) -> System.out.println(load.report(rest.get(0), what, all)));
    }
  }

  private Path file(int thread, int i) {
    return new Path(directory, "t" + thread + "/f" + i);
  }

  private Path moved(int thread, int i) {
    return new Path(directory, "t" + thread + "/g" + i);
  }

  private void pass(Map<String, List<Figure>> figures) throws Exception {
    for (int thread = 0; thread < threads; thread++) {
      fileSystem.mkdirs(new Path(directory, "t" + thread));
    }
    measure(
        figures,
        "create",
        threads,
        perThread,
        (thread, i) -> fileSystem.create(file(thread, i), false).close());
    measure(
        figures,
        "status",
        threads,
        perThread,
        (thread, i) -> fileSystem.getFileStatus(file(thread, i)));
    measure(
        figures,
        "open",
        threads,
        perThread,
        (thread, i) -> fileSystem.open(file(thread, i)).close());
    measure(
        figures,
        "rename",
        threads,
        perThread,
        (thread, i) -> require(fileSystem.rename(file(thread, i), moved(thread, i)), "rename"));
    measure(
        figures,
        "delete",
        threads,
        perThread,
        (thread, i) -> require(fileSystem.delete(moved(thread, i), false), "delete"));
    measure(figures, "write", threads, perThread, this::writeSmall);
    measure(figures, "read", threads, perThread, this::readSmall);
    for (int thread = 0; thread < threads; thread++) {
      fileSystem.delete(new Path(directory, "t" + thread), true);
    }
  }

  private void writeSmall(int thread, int i) throws IOException {
    try (FSDataOutputStream out = fileSystem.create(file(thread, i), false)) {
      out.write(new byte[SMALL]);
    }
  }

  private void readSmall(int thread, int i) throws IOException {
    try (FSDataInputStream in = fileSystem.open(file(thread, i))) {
      in.readFully(new byte[SMALL]);
      require(in.read() < 0, "read");
    }
  }

  private void list(Map<String, List<Figure>> figures, int entries, int passes) throws Exception {
    Path large = new Path(directory.getParent(), "large");
    if (!fileSystem.exists(large)) {
      Map<String, List<Figure>> making = new TreeMap<>();
      fileSystem.mkdirs(large);
      measure(
          making,
          "make",
          MAKERS,
          entries / MAKERS,
          (thread, i) -> fileSystem.create(new Path(large, thread + "-" + i), false).close());
    }
    int expected = entries / MAKERS * MAKERS;
    for (int pass = 0; pass < passes; pass++) {
      measure(
          figures,
          "list",
          threads,
          1,
          (thread, i) -> require(count(large) == expected, "listing of " + expected));
    }
  }

  private int count(Path large) throws IOException {
    int count = 0;
    RemoteIterator<FileStatus> entries = fileSystem.listStatusIterator(large);
    while (entries.hasNext()) {
      entries.next();
      count++;
    }
    return count;
  }

  private static void require(boolean done, String what) throws IOException {
    if (!done) {
      throw new IOException("not done as expected: what=" + what);
    }
  }

  private void measure(
      Map<String, List<Figure>> figures, String what, int actors, int each, Step step)
      throws Exception {
    double daemonsBefore = daemons.seconds();
    double clientBefore = clientSeconds();
    long start = System.nanoTime();
    ExecutorService pool = Executors.newFixedThreadPool(actors);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int thread = 0; thread < actors; thread++) {
        int number = thread;
        running.add(
            pool.submit(
                () -> {
                  for (int i = 0; i < each; i++) {
                    step.act(number, i);
                  }
                  return null;
                }));
      }
      for (Future<?> thread : running) {
        thread.get();
      }
    } finally {
      pool.shutdown();
    }
    double seconds = (System.nanoTime() - start) / NANOS;
    double operations = (double) actors * each;
    figures
        .computeIfAbsent(what, any -> new ArrayList<>())
        .add(
            new Figure(
                operations / seconds,
                (daemons.seconds() - daemonsBefore) / operations * THOUSAND,
                (clientSeconds() - clientBefore) / operations * THOUSAND));
  }

  private static double clientSeconds() {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return system.getProcessCpuTime() / NANOS;
  }

  private String report(String label, String what, List<Figure> all) {
    return String.format(
        Locale.ROOT,
        "{\"system\":\"%s\",\"operation\":\"%s\",\"threads\":%d,\"passes\":%d,"
            + "\"perSecond\":%.1f,\"daemonCpuSecondsPer1000\":%.3f,"
            + "\"clientCpuSecondsPer1000\":%.3f}",
        label,
        what,
        threads,
        all.size(),
        median(all, Figure::rate),
        median(all, Figure::daemonCpu),
        median(all, Figure::clientCpu));
  }

  private static double median(List<Figure> figures, ToDoubleFunction<Figure> field) {
    double[] sorted = figures.stream().mapToDouble(field).sorted().toArray();
    return sorted[sorted.length / 2];
  }
}
