package io.vdfs.it.fault;

import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.tools.FileManifest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Writers of many files, whose rate is measured. Each replaces the file that it wrote two before.
 * Confined to one thread.
 */
final class FileWriters {
  private static final int WRITERS = 4;
  private static final int KEPT = 2;

  private final DaemonProcesses cluster;
  private final Duration phase;
  private final int fileBytes;
  private final AtomicInteger seeds = new AtomicInteger();

  /** Seeds of the files' content. */
  private final Map<String, Integer> written = new ConcurrentSkipListMap<>();

  /**
   * @param phase for which the writers write at a time
   * @param fileBytes of each file
   */
  FileWriters(DaemonProcesses cluster, Duration phase, int fileBytes) {
    this.cluster = cluster;
    this.phase = phase;
    this.fileBytes = fileBytes;
  }

  /** Number of files that all writers together write and close in one phase. */
  long write() throws Exception {
    ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      long end = System.nanoTime() + phase.toNanos();
      List<Future<Long>> counts = new ArrayList<>();
      for (int writer = 0; writer < WRITERS; writer++) {
        String name = "/written-" + fileBytes + "/" + writer + "-";
        counts.add(writers.submit(() -> write(fileSystem, name, end)));
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

  private long write(FileSystem fileSystem, String name, long end) throws Exception {
    long count = 0;
    while (System.nanoTime() < end) {
      int seed = seeds.getAndIncrement();
      String path = name + count % KEPT;
      try (FSDataOutputStream out = fileSystem.create(new Path(path), true)) {
        out.write(bytes(seed));
      }
      written.put(path, seed);
      count++;
    }
    return count;
  }

  /** Adds the content that the files must have. */
  void addTo(FileManifest manifest) {
    written.forEach((path, seed) -> manifest.add(path, bytes(seed)));
  }

  private byte[] bytes(int seed) {
    byte[] bytes = new byte[fileBytes];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }
}
