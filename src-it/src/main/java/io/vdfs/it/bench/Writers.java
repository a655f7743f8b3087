package io.vdfs.it.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Writes files at once, one per thread, and prints on one line the seconds until the last one was
 * closed, the CPU seconds of the daemons and those of this process meanwhile. Then one of the files
 * is read and compared, and all are deleted.
 *
 * <p>Usage: {@code Writers DIRECTORY COPIES THREADS MIB_IN_ALL DAEMON_PID...}
 */
public final class Writers {
  private static final double NANOS = 1e9;
  private static final int PIECE = 64 << 10;
  private static final long BLOCK_BYTES = 128L << 20;

  private final FileSystem fileSystem;
  private final Path directory;
  private final short copies;
  private final int threads;
  private final int pieces;
  private final byte[] piece = new byte[PIECE];

  private Writers(FileSystem fileSystem, Path directory, short copies, int threads, int mebibytes) {
    this.fileSystem = fileSystem;
    this.directory = directory;
    this.copies = copies;
    this.threads = threads;
    this.pieces = mebibytes * ((1 << 20) / PIECE) / threads;
    new Random(mebibytes).nextBytes(piece);
  }

  /** See the class. */
  public static void main(String[] arguments) throws Exception {
    Path directory = new Path(arguments[0]);
    DaemonCpu daemons = new DaemonCpu(Arrays.asList(arguments).subList(4, arguments.length));
    try (FileSystem fileSystem = directory.getFileSystem(new Configuration())) {
      new Writers(
              fileSystem,
              directory,
              Short.parseShort(arguments[1]),
              Integer.parseInt(arguments[2]),
              Integer.parseInt(arguments[3]))
          .run(daemons);
    }
  }

  private void run(DaemonCpu daemons) throws Exception {
    fileSystem.mkdirs(directory);
    double daemonsBefore = daemons.seconds();
    double ownBefore = ownCpu();
    long start = System.nanoTime();
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> writing = new ArrayList<>();
      for (int number = 0; number < threads; number++) {
        Path path = file(number);
        writing.add(
            executor.submit(
                () -> {
                  write(path);
                  return null;
                }));
      }
      for (Future<?> one : writing) {
        one.get();
      }
    } finally {
      executor.shutdownNow();
    }
    double seconds = (System.nanoTime() - start) / NANOS;
    System.out.printf(
        Locale.ROOT,
        "%.2f %.2f %.2f%n",
        seconds,
        daemons.seconds() - daemonsBefore,
        ownCpu() - ownBefore);
    check(file(threads - 1));
    fileSystem.delete(directory, true);
  }

  private Path file(int number) {
    return new Path(directory, "file" + number);
  }

  private void write(Path path) throws IOException {
    try (FSDataOutputStream out = fileSystem.create(path, true, PIECE, copies, BLOCK_BYTES)) {
      for (int number = 0; number < pieces; number++) {
        out.write(piece);
      }
    }
  }

  private void check(Path path) throws IOException {
    byte[] seen = new byte[PIECE];
    try (FSDataInputStream in = fileSystem.open(path)) {
      for (int number = 0; number < pieces; number++) {
        in.readFully(seen);
        if (!Arrays.equals(piece, seen)) {
          throw new IOException("wrong bytes: path=" + path + ", piece=" + number);
        }
      }
      if (in.read() >= 0) {
        throw new IOException("too long: path=" + path);
      }
    }
  }

  private static double ownCpu() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getProcessCpuTime()
        / NANOS;
  }
}
