package io.vdfs.it.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.CRC32C;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Plain readers, each reading 128 MiB ranges of eight files of 256 MiB front to back through the
 * ordinary stream of a Hadoop filesystem; a reader that is done with a range takes the next. Every
 * byte is checked against what was written.
 *
 * <p>Usage: {@code PlainReaders write DIR-URI} or {@code PlainReaders read DIR-URI THREADS};
 * reading prints the seconds it took.
 */
public final class PlainReaders {
  private static final int FILES = 8;
  private static final int RANGES = 2;
  private static final int RANGE = 128 << 20;
  private static final int BUFFER = 1 << 20;

  private final FileSystem fileSystem;
  private final Path directory;

  private PlainReaders(String uri) throws IOException {
    this.directory = new Path(uri);
    this.fileSystem = directory.getFileSystem(new Configuration());
  }

  private record Range(int file, int number) {}

  /** Runs one of the two modes. */
  public static void main(String[] args) throws Exception {
    if (args.length == 2 && args[0].equals("write")) {
      new PlainReaders(args[1]).write();
    } else if (args.length == 3 && args[0].equals("read")) {
      System.out.printf("%.2f%n", new PlainReaders(args[1]).read(Integer.parseInt(args[2])));
    } else {
      System.err.println("usage: PlainReaders write DIR-URI | read DIR-URI THREADS");
      System.exit(2);
    }
  }

  private Path file(int number) {
    return new Path(directory, "f" + number);
  }

  private void write() throws IOException {
    for (int file = 0; file < FILES; file++) {
      try (FSDataOutputStream out = fileSystem.create(file(file), true)) {
        for (int range = 0; range < RANGES; range++) {
          write(new Range(file, range), out);
        }
      }
    }
  }

  private static void write(Range range, OutputStream out) throws IOException {
    SplittableRandom random = random(range);
    byte[] buffer = new byte[BUFFER];
    for (int written = 0; written < RANGE; written += BUFFER) {
      fill(buffer, random);
      out.write(buffer);
    }
  }

  private static SplittableRandom random(Range range) {
    return new SplittableRandom(range.file() * RANGES + range.number() + 1L);
  }

  private static void fill(byte[] buffer, SplittableRandom random) {
    ByteBuffer longs = ByteBuffer.wrap(buffer);
    while (longs.hasRemaining()) {
      longs.putLong(random.nextLong());
    }
  }

  private double read(int threads) throws IOException, InterruptedException {
    Queue<Range> ranges = new ArrayDeque<>();
    List<Long> expected = new ArrayList<>();
    for (int file = 0; file < FILES; file++) {
      for (int number = 0; number < RANGES; number++) {
        ranges.add(new Range(file, number));
        expected.add(checksum(new Range(file, number)));
      }
    }
    long start = System.nanoTime();
    ExecutorService readers = Executors.newFixedThreadPool(threads);
    List<Future<?>> done = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      done.add(readers.submit(() -> readAll(ranges, expected)));
    }
    for (Future<?> future : done) {
      await(future);
    }
    readers.shutdown();
    return (System.nanoTime() - start) / 1e9;
  }

  private static void await(Future<?> reader) throws IOException, InterruptedException {
    try {
      reader.get();
    } catch (ExecutionException e) {
      throw new IOException("a reader failed", e);
    }
  }

  private static long checksum(Range range) {
    CRC32C crc = new CRC32C();
    SplittableRandom random = random(range);
    byte[] buffer = new byte[BUFFER];
    for (int at = 0; at < RANGE; at += BUFFER) {
      fill(buffer, random);
      crc.update(buffer);
    }
    return crc.getValue();
  }

  private Void readAll(Queue<Range> ranges, List<Long> expected) throws IOException {
    byte[] buffer = new byte[BUFFER];
    for (Range range = next(ranges); range != null; range = next(ranges)) {
      long found = read(range, buffer);
      long wanted = expected.get(range.file() * RANGES + range.number());
      if (found != wanted) {
        throw new IOException(
            "other bytes than were written: range=" + range + ", CRC=" + Long.toHexString(found));
      }
    }
    return null;
  }

  private static Range next(Queue<Range> ranges) {
    synchronized (ranges) {
      return ranges.poll();
    }
  }

  private long read(Range range, byte[] buffer) throws IOException {
    CRC32C crc = new CRC32C();
    try (FSDataInputStream in = fileSystem.open(file(range.file()))) {
      in.seek((long) range.number() * RANGE);
      for (int left = RANGE; left > 0; ) {
        int read = in.read(buffer, 0, Math.min(left, buffer.length));
        if (read < 0) {
          throw new IOException("file ends early: range=" + range + ", missing=" + left);
        }
        crc.update(buffer, 0, read);
        left -= read;
      }
    }
    return crc.getValue();
  }
}
