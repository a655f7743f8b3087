package io.vdfs.it.bench;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Writes checkpoints as IOR does with a file for each client: all clients write theirs at once,
 * each with a filesystem instance of its own, and end it with {@code hsync} and {@code close}. Once
 * a checkpoint is complete the one before it is deleted, and the next begins. Every byte can be
 * checked later.
 *
 * <p>Usage: {@code CheckpointWriter write DIRECTORY [NAME=VALUE]...} or {@code CheckpointWriter
 * check DIRECTORY [NAME=VALUE]...}, with the names of {@link Settings}.
 */
public final class CheckpointWriter {
  private static final double NANOS = 1e9;
  private static final double MEGA = 1e6;

  /** Numbers of client, checkpoint and call, at the start of each piece. */
  private static final int STAMP_BYTES = 3 * Integer.BYTES;

  private final Path directory;
  private final Settings settings;
  private final byte[] piece;

  CheckpointWriter(Path directory, Settings settings) {
    this.directory = directory;
    this.settings = settings;
    this.piece = new byte[settings.callKib() << 10];
    new Random(settings.callKib()).nextBytes(piece);
  }

  /**
   * What is written.
   *
   * @param clients how many write at once
   * @param mib MiB of each client's file, a multiple of what a call writes
   * @param callKib KiB that each write call hands over
   * @param checkpoints how many are written at most
   * @param seconds after how many seconds no further one begins
   * @param until file of the local filesystem that ends it once it exists: checkpoints that were
   *     not complete by then are completed, but not counted; empty for none
   */
  record Settings(int clients, int mib, int callKib, int checkpoints, int seconds, String until) {
    private static final List<String> NAMES =
        List.of("clients", "mib", "call-kib", "checkpoints", "seconds", "until");

    Settings {
      require(clients >= 1, "clients", clients);
      require(mib >= 1 && mib <= 1 << 20, "mib", mib);
      require(callKib >= 1 && callKib <= 1 << 20, "call-kib", callKib);
      require(((long) mib << 10) % callKib == 0, "call-kib (mib is no multiple of it)", callKib);
      require(checkpoints >= 1, "checkpoints", checkpoints);
      require(seconds >= 1, "seconds", seconds);
    }

    /**
     * Reads {@code NAME=VALUE}s, named as here except for {@code call-kib}. The defaults: 4
     * clients, 256 MiB, 256 KiB; one checkpoint, or no limit if another end is set.
     *
     * @throws IllegalArgumentException with a message for the user, if one is not understood
     */
    static Settings of(List<String> arguments) {
      Map<String, String> values = new HashMap<>();
      for (String argument : arguments) {
        String[] parts = argument.split("=", 2);
        if (parts.length < 2 || !NAMES.contains(parts[0])) {
          throw new IllegalArgumentException(
              "unknown setting: " + argument + "; known: " + String.join("= ", NAMES) + "=");
        }
        values.put(parts[0], parts[1]);
      }
      boolean otherEnd = values.containsKey("seconds") || values.containsKey("until");
      return new Settings(
          number(values, "clients", 4),
          number(values, "mib", 256),
          number(values, "call-kib", 256),
          number(values, "checkpoints", otherEnd ? Integer.MAX_VALUE : 1),
          number(values, "seconds", Integer.MAX_VALUE),
          values.getOrDefault("until", ""));
    }

    private static int number(Map<String, String> values, String name, int otherwise) {
      String value = values.get(name);
      try {
        return value == null ? otherwise : Integer.parseInt(value);
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException("not a number: " + name + "=" + value, e);
      }
    }

    private static void require(boolean good, String name, int value) {
      if (!good) {
        throw new IllegalArgumentException("bad value: " + name + "=" + value);
      }
    }

    private int calls() {
      return (int) (((long) mib << 10) / callKib);
    }

    private long bytes() {
      return (long) mib << 20;
    }
  }

  /** What one client saw of one checkpoint; times in nanoseconds. */
  private record Written(long nanos, long longestCall, long force) {}

  /** Runs it; a wrong use is reported in one line. */
  public static void main(String[] arguments) throws Exception {
    try {
      if (arguments.length < 2) {
        throw new IllegalArgumentException(
            "usage: CheckpointWriter write|check DIRECTORY [NAME=VALUE]..., with "
                + String.join("= ", Settings.NAMES)
                + "=");
      }
      CheckpointWriter writer =
          new CheckpointWriter(
              new Path(arguments[1]),
              Settings.of(Arrays.asList(arguments).subList(2, arguments.length)));
      switch (arguments[0]) {
        case "write" -> System.out.println(writer.write());
        case "check" -> System.out.println(writer.check());
        default -> throw new IllegalArgumentException("write or check, not " + arguments[0]);
      }
    } catch (IllegalArgumentException e) {
      System.err.println("CheckpointWriter: " + e.getMessage());
      System.exit(2);
    }
  }

  /**
   * Writes checkpoints until one of the ends that are set is reached.
   *
   * @return a line of JSON: how many checkpoints count, and of these the bytes, the seconds from
   *     the start until the last was complete, the rate, the least and the highest rate of a client
   *     in one checkpoint, the longest write call and the longest wait for {@code hsync} and {@code
   *     close}; MB are 10^6 bytes
   * @throws IOException if a client fails; files may be left behind
   */
  String write() throws IOException, InterruptedException {
    List<FileSystem> fileSystems = new ArrayList<>();
    ExecutorService executor = Executors.newFixedThreadPool(settings.clients());
    try {
      for (int client = 0; client < settings.clients(); client++) {
        fileSystems.add(FileSystem.newInstance(directory.toUri(), new Configuration()));
      }
      fileSystems.get(0).mkdirs(directory);
      return write(fileSystems, executor);
    } finally {
      executor.shutdownNow();
      for (FileSystem fileSystem : fileSystems) {
        fileSystem.close();
      }
    }
  }

  private String write(List<FileSystem> fileSystems, ExecutorService executor)
      throws IOException, InterruptedException {
    List<Written> counted = new ArrayList<>();
    long start = System.nanoTime();
    long end = start;
    int uncounted = 0;
    for (int number = 0; uncounted == 0 && number < settings.checkpoints(); number++) {
      List<Written> one = checkpoint(number, fileSystems, executor);
      if (!settings.until().isEmpty() && Files.exists(java.nio.file.Path.of(settings.until()))) {
        uncounted++;
      } else {
        counted.addAll(one);
        end = System.nanoTime();
      }
      if (number > 0) {
        fileSystems.get(0).delete(of(number - 1), true);
      }
      if ((System.nanoTime() - start) / NANOS >= settings.seconds()) {
        break;
      }
    }
    return report(counted, (end - start) / NANOS, uncounted);
  }

  private List<Written> checkpoint(
      int number, List<FileSystem> fileSystems, ExecutorService executor)
      throws IOException, InterruptedException {
    List<Future<Written>> writing = new ArrayList<>();
    for (int client = 0; client < settings.clients(); client++) {
      int mine = client;
      FileSystem fileSystem = fileSystems.get(client);
      writing.add(executor.submit(() -> write(fileSystem, number, mine)));
    }
    List<Written> all = new ArrayList<>();
    for (Future<Written> one : writing) {
      try {
        all.add(one.get());
      } catch (ExecutionException e) {
        throw new IOException("a client failed: directory=" + of(number), e);
      }
    }
    return all;
  }

  private Written write(FileSystem fileSystem, int number, int client) throws IOException {
    long start = System.nanoTime();
    byte[] own = piece.clone();
    long longest = 0;
    long forced;
    try (FSDataOutputStream out = fileSystem.create(new Path(of(number), file(client)), false)) {
      for (int call = 0; call < settings.calls(); call++) {
        stamp(own, client, number, call);
        long before = System.nanoTime();
        out.write(own);
        longest = Math.max(longest, System.nanoTime() - before);
      }
      forced = System.nanoTime();
      out.hsync();
    }
    long end = System.nanoTime();
    return new Written(end - start, longest, end - forced);
  }

  private Path of(int number) {
    return new Path(directory, "checkpoint" + number);
  }

  private static String file(int client) {
    return "client" + client;
  }

  private static void stamp(byte[] piece, int client, int number, int call) {
    ByteBuffer.wrap(piece, 0, STAMP_BYTES).putInt(client).putInt(number).putInt(call);
  }

  private String report(List<Written> written, double seconds, int uncounted) {
    double bytes = settings.bytes();
    return String.format(
        Locale.ROOT,
        "{\"checkpoints\": %d, \"clients\": %d, \"bytes\": %d, \"seconds\": %.2f,"
            + " \"mb_per_s\": %.2f, \"client_mb_per_s_min\": %.2f, \"client_mb_per_s_max\": %.2f,"
            + " \"longest_write_s\": %.2f, \"longest_force_s\": %.2f, \"uncounted\": %d}",
        written.size() / settings.clients(),
        settings.clients(),
        written.size() * settings.bytes(),
        seconds,
        written.isEmpty() ? 0 : written.size() * bytes / MEGA / seconds,
        written.stream().mapToDouble(one -> bytes / MEGA / (one.nanos() / NANOS)).min().orElse(0),
        written.stream().mapToDouble(one -> bytes / MEGA / (one.nanos() / NANOS)).max().orElse(0),
        written.stream().mapToLong(Written::longestCall).max().orElse(0) / NANOS,
        written.stream().mapToLong(Written::force).max().orElse(0) / NANOS,
        uncounted);
  }

  /**
   * Reads the one checkpoint that is left and compares each byte with what was written.
   *
   * @return how many bytes were compared
   * @throws IOException if bytes differ, or a file or a whole checkpoint is missing
   */
  long check() throws IOException {
    try (FileSystem fileSystem = FileSystem.newInstance(directory.toUri(), new Configuration())) {
      FileStatus[] left = fileSystem.listStatus(directory);
      if (left.length != 1) {
        throw new FileNotFoundException(
            "not one checkpoint: directory=" + directory + ", found=" + left.length);
      }
      String name = left[0].getPath().getName();
      int number = Integer.parseInt(name.substring("checkpoint".length()));
      for (int client = 0; client < settings.clients(); client++) {
        check(fileSystem, number, client);
      }
      return settings.clients() * settings.bytes();
    }
  }

  private void check(FileSystem fileSystem, int number, int client) throws IOException {
    Path path = new Path(of(number), file(client));
    byte[] expected = piece.clone();
    byte[] seen = new byte[piece.length];
    try (FSDataInputStream in = fileSystem.open(path)) {
      for (int call = 0; call < settings.calls(); call++) {
        stamp(expected, client, number, call);
        in.readFully(seen);
        if (!Arrays.equals(expected, seen)) {
          throw new IOException("wrong bytes: path=" + path + ", call=" + call);
        }
      }
      if (in.read() >= 0) {
        throw new IOException("too long: path=" + path);
      }
    }
  }
}
