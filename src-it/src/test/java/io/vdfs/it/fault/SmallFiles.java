package io.vdfs.it.fault;

import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.tools.FileManifest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Writers of many files, whose rate is measured. Confined to one thread. */
final class SmallFiles {
  private static final int WRITERS = 4;
  private static final int FILE_BYTES = 256 << 10;

  private final DaemonProcesses cluster;
  private final Duration phase;
  private final AtomicInteger names = new AtomicInteger();
  private final Set<Integer> written = new ConcurrentSkipListSet<>();

  /**
   * @param phase for which the writers write at a time
   */
  SmallFiles(DaemonProcesses cluster, Duration phase) {
    this.cluster = cluster;
    this.phase = phase;
  }

  /** Number of files that all writers together write and close in one phase. */
  long write() throws Exception {
    ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      long end = System.nanoTime() + phase.toNanos();
      List<Future<Long>> counts = new ArrayList<>();
      for (int writer = 0; writer < WRITERS; writer++) {
        counts.add(writers.submit(() -> write(fileSystem, end)));
      }
      long count = 0;
      for (Future<Long> part : counts) {
        count += part.get();
      }
      return count;
    } finally {
      writers.shutdown();
    }
  }

  private long write(FileSystem fileSystem, long end) throws Exception {
    long count = 0;
    while (System.nanoTime() < end) {
      int name = names.getAndIncrement();
      try (FSDataOutputStream out = fileSystem.create(new Path(path(name)))) {
        out.write(bytes(name));
      }
      written.add(name);
      count++;
    }
    return count;
  }

  /** The content of all files. */
  FileManifest manifest() {
    FileManifest manifest = new FileManifest();
    written.forEach(name -> manifest.add(path(name), bytes(name)));
    return manifest;
  }

  private static String path(int name) {
    return "/many/" + name;
  }

  private static byte[] bytes(int name) {
    byte[] bytes = new byte[FILE_BYTES];
    new Random(name).nextBytes(bytes);
    return bytes;
  }
}
