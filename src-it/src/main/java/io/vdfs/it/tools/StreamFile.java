package io.vdfs.it.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StorageStatistics;

/**
 * Reads a file of {@link PositionBytes} over and over through one stream, checks every byte, and
 * reports its progress a few times a second. {@code stall} is the longest time of a read, {@code
 * hiccup} the longest time that this machine kept a runnable thread waiting, both in milliseconds.
 * A wrong byte or a failed read ends it with an exit code other than 0.
 *
 * <p>Usage: {@code StreamFile FILE STOP_FILE}, where it ends when STOP_FILE appears.
 */
public final class StreamFile {
  private static final int PIECE = 64 << 10;
  private static final Duration PAUSE = Duration.ofMillis(2);
  private static final Duration REPORT = Duration.ofMillis(200);

  private final FileSystem fileSystem;
  private final Path stop;
  private final AtomicLong hiccupNanos = new AtomicLong();
  private long bytes;
  private long stallNanos;

  private StreamFile(FileSystem fileSystem, Path stop) {
    this.fileSystem = fileSystem;
    this.stop = stop;
  }

  /** Runs the command. */
  public static void main(String[] args) throws IOException {
    try (FileSystem fileSystem = FileSystem.get(new Configuration())) {
      StreamFile stream = new StreamFile(fileSystem, Path.of(args[1]));
      Thread watch = new Thread(stream::watchMachine, "hiccups");
      watch.setDaemon(true);
      watch.start();
      stream.run(new org.apache.hadoop.fs.Path(args[0]));
    }
  }

  private void run(org.apache.hadoop.fs.Path file) throws IOException {
    int length = Math.toIntExact(fileSystem.getFileStatus(file).getLen());
    byte[] expected = PositionBytes.of(0, length);
    byte[] piece = new byte[PIECE];
    long reported = System.nanoTime();
    try (FSDataInputStream in = fileSystem.open(file)) {
      int position = 0;
      while (!Files.exists(stop)) {
        int read = timed(in, piece);
        if (Arrays.mismatch(piece, 0, read, expected, position, position + read) >= 0) {
          throw new IOException("wrong bytes: position=" + position + ", length=" + read);
        }
        bytes += read;
        position += read;
        if (position == length) {
          in.seek(0);
          position = 0;
        }
        if (System.nanoTime() - reported > REPORT.toNanos()) {
          report("reading");
          reported = System.nanoTime();
        }
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
    report("ended");
  }

  private int timed(FSDataInputStream in, byte[] piece) throws IOException {
    long start = System.nanoTime();
    int read = in.read(piece, 0, piece.length);
    stallNanos = Math.max(stallNanos, System.nanoTime() - start);
    return read;
  }

  private void watchMachine() {
    while (true) {
      long start = System.nanoTime();
      LockSupport.parkNanos(PAUSE.toNanos());
      long late = System.nanoTime() - start - PAUSE.toNanos();
      hiccupNanos.accumulateAndGet(late, Math::max);
    }
  }

  private void report(String state) {
    StorageStatistics counters = fileSystem.getStorageStatistics();
    System.out.println(
        state
            + " bytes="
            + bytes
            + " stall="
            + stallNanos / 1_000_000
            + " hiccup="
            + hiccupNanos.get() / 1_000_000
            + " local="
            + counters.getLong("bytes_by_local_delivery")
            + " segment="
            + counters.getLong("bytes_by_segment")
            + " socket="
            + counters.getLong("bytes_by_socket")
            + " remote="
            + counters.getLong("bytes_read_remote")
            + " failovers="
            + counters.getLong("read_failovers")
            + " fallbacks="
            + counters.getLong("local_fallbacks")
            + " ringfallbacks="
            + counters.getLong("segment_fallbacks")
            + " corrupt="
            + counters.getLong("corrupt_chunks"));
  }
}
