package io.vdfs.it.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Clients, each with a filesystem of its own, that write small files one after the other, as a
 * job's client and its tasks do; a client that is done with one takes the next.
 *
 * <p>Usage: {@code SmallFiles DIR-URI CLIENTS FILES BYTES}; prints the milliseconds that creating,
 * writing and closing all files took, connections made before.
 */
public final class SmallFiles {
  private final Path directory;
  private final int files;
  private final byte[] content;
  private final AtomicInteger next = new AtomicInteger();

  private SmallFiles(String uri, int files, int bytes) {
    this.directory = new Path(uri);
    this.files = files;
    this.content = new byte[bytes];
    new SplittableRandom(bytes).nextBytes(content);
  }

  /** Runs it. */
  public static void main(String[] args) throws Exception {
    if (args.length != 4) {
      System.err.println("usage: SmallFiles DIR-URI CLIENTS FILES BYTES");
      System.exit(2);
    }
    SmallFiles load = new SmallFiles(args[0], Integer.parseInt(args[2]), Integer.parseInt(args[3]));
    System.out.printf("%.1f%n", load.run(Integer.parseInt(args[1])) / 1e6);
  }

  private long run(int clients) throws Exception {
    List<FileSystem> systems = new ArrayList<>();
    for (int client = 0; client < clients; client++) {
      FileSystem system = FileSystem.newInstance(directory.toUri(), new Configuration());
      system.mkdirs(directory);
      systems.add(system);
    }
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    long began = System.nanoTime();
    List<Future<?>> all = new ArrayList<>();
    for (FileSystem system : systems) {
      all.add(
          threads.submit(
              () -> {
                write(system);
                return null;
              }));
    }
    for (Future<?> one : all) {
      one.get();
    }
    long took = System.nanoTime() - began;
    threads.shutdown();
    if (!threads.awaitTermination(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException("writers did not end");
    }
    for (FileSystem system : systems) {
      system.close();
    }
    return took;
  }

  private void write(FileSystem system) throws IOException {
    for (int file = next.getAndIncrement(); file < files; file = next.getAndIncrement()) {
      try (OutputStream out = system.create(new Path(directory, "f" + file), false)) {
        out.write(content);
      }
    }
  }
}
