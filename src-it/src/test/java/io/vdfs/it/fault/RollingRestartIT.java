package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.names.FileInfo;
import io.vdfs.client.place.BlockPlace;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Each of three daemons is killed and started again in turn, {@code vdfs.it.outage.seconds} later;
 * all writers go on.
 */
@Timeout(900)
class RollingRestartIT {
  private static final Duration OUTAGE =
      Duration.ofSeconds(Integer.getInteger("vdfs.it.outage.seconds", 3));
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final ClusterSpec SPEC = ClusterSpec.small("rolling", 3);
  private static final long MOST_HELD_BACK = 16 << 20;
  private static final int GROUP = Math.toIntExact(SPEC.geometry().groupSize());

  /** One file that is written all the time, its bytes a function of their position. */
  private static final class Writing {
    private final Path path;
    private final int piece;
    private final boolean flushing;
    private final short copies;
    private volatile long written;

    Writing(String path, int copies, int piece, boolean flushing) {
      this.path = new Path(path);
      this.copies = (short) copies;
      this.piece = piece;
      this.flushing = flushing;
    }

    private byte[] piece(long at) {
      byte[] bytes = new byte[piece];
      new Random(at).nextBytes(bytes);
      return bytes;
    }

    void run(FileSystem fs, AtomicBoolean stop) throws IOException, InterruptedException {
      try (FSDataOutputStream out = fs.create(path, true, 4096, copies, 128 << 20)) {
        for (long end = piece; !stop.get(); end += piece) {
          out.write(piece(written));
          if (flushing) {
            out.hflush();
          }
          written = end;
          synchronized (stop) {
            // at a pace that leaves disk and processors to the daemons
            stop.wait(20);
          }
        }
      }
    }

    void assertReadBack(FileSystem fs) throws IOException {
      assertEquals(written, fs.getFileStatus(path).getLen());
      try (FSDataInputStream in = fs.open(path)) {
        for (long at = 0; at < written; at += piece) {
          byte[] seen = new byte[piece];
          in.readFully(seen);
          assertArrayEquals(piece(at), seen, path + " at " + at);
        }
      }
    }
  }

  @Test
  void shouldFailNoWriter() throws Exception {
    List<Writing> files =
        List.of(
            new Writing("/fast", 3, 100_000, false),
            new Writing("/slow", 3, 100, true),
            new Writing("/two", 2, 10_000, true),
            new Writing("/one", 1, 10_000, true));
    AtomicBoolean stop = new AtomicBoolean();
    ExecutorService threads = Executors.newCachedThreadPool();
    try (DaemonProcesses cluster = DaemonProcesses.start(SPEC);
        FileSystem fs = cluster.newFileSystem()) {
      List<Future<?>> writers = new ArrayList<>();
      for (Writing file : files) {
        writers.add(
            threads.submit(
                () -> {
                  file.run(fs, stop);
                  return null;
                }));
      }
      for (int node = 0; node < 3; node++) {
        awaitProgress(files, 2L * GROUP, writers);
        long killed = System.nanoTime();
        cluster.kill(node);
        Await.until(
            "the end of the outage",
            LIMIT,
            () -> System.nanoTime() - killed > OUTAGE.toNanos() || anyDone(writers));
        cluster.restart(node);
      }
      awaitProgress(files, 2L * GROUP, writers);
      VdfsClient client = ((VdfsFileSystem) fs).vdfsClient();
      Writing fast = files.get(0);
      // a failed try at a node that was known as dead counts for half a minute
      Await.until(
          "a group of the fast file with all its copies",
          LIMIT,
          () -> anyDone(writers) || hasAllCopiesOfLatestGroup(client, fast));
      stop.set(true);
      for (Future<?> writer : writers) {
        writer.get();
      }
      assertTrue(fs.getStorageStatistics().getLong("pipeline_changes") > 0);
      assertTrue(fs.getStorageStatistics().getLong("nodes_excluded") > 0);
      try (FileSystem fresh = cluster.newFileSystem()) {
        for (Writing file : files) {
          file.assertReadBack(fresh);
          assertEnoughCopies(client, file);
        }
      }
    } finally {
      stop.set(true);
      threads.shutdownNow();
    }
  }

  /** Checks the latest group that nodes have whole, whatever the client still holds back. */
  private static boolean hasAllCopiesOfLatestGroup(VdfsClient client, Writing file)
      throws IOException {
    long group = (file.written - MOST_HELD_BACK) / GROUP - 1;
    return client.names().status(file.path.toUri().getPath()).exclusions().stream()
        .allMatch(left -> left.endGroup() <= group);
  }

  /** At least two copies of each group, or one of a file that asks for one; in the end all. */
  private static void assertEnoughCopies(VdfsClient client, Writing file) throws IOException {
    FileInfo info = client.names().status(file.path.toUri().getPath());
    List<BlockPlace> places = client.files().placesByGroup(info, 0, info.length());
    for (BlockPlace place : places) {
      assertTrue(place.nodes().size() >= Math.min(2, file.copies), file.path + ": " + place);
    }
    if (file.piece * 10L > GROUP / 2) {
      // of a file that went on to a group after the last restart
      assertEquals(file.copies, places.get(places.size() - 1).nodes().size());
    }
  }

  private static boolean anyDone(List<Future<?>> writers) {
    return writers.stream().anyMatch(Future::isDone);
  }

  /** Waits until the fast file has grown, and every other one a little. */
  private static void awaitProgress(List<Writing> files, long bytes, List<Future<?>> writers)
      throws Exception {
    List<Long> before = files.stream().map(file -> file.written).toList();
    Await.until(
        "progress of all writers",
        LIMIT,
        () ->
            anyDone(writers)
                || (files.get(0).written >= before.get(0) + bytes && allGrew(files, before)));
    for (Future<?> writer : writers) {
      if (writer.isDone()) {
        writer.get();
      }
    }
  }

  private static boolean allGrew(List<Writing> files, List<Long> before) {
    for (int i = 0; i < files.size(); i++) {
      if (files.get(i).written <= before.get(i)) {
        return false;
      }
    }
    return true;
  }
}
