package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.WorkDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ClusterStorageCapacityExceededException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A daemon whose data directory is a real filesystem, mounted for the test, that several writers
 * fill up. It is the only node, so that its writers cannot go anywhere else. Needs root, so only
 * the Maven profile {@code root} runs it, and it fails there without root.
 */
@Tag("root")
@Timeout(300)
class FullVolumeIT {
  private static final int FILES = 4;
  private static final int STEP = 37_000;
  private static final int MOST = 8 << 20;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  /** Room for some blocks of each file, and not a whole number of steps. */
  private static final String LITTLE = "9300k";

  private static final String ENOUGH = "128m";

  private WorkDirectory work;
  private SmallFilesystem mounted;
  private ClusterSpec spec;

  /** A file, and how much of it was flushed. */
  private static final class Growing {
    private final org.apache.hadoop.fs.Path path;
    private final byte[] content;
    private FSDataOutputStream out;
    private int written;
    private int flushed;
    private Optional<IOException> failure = Optional.empty();

    private Growing(int number) {
      path = new org.apache.hadoop.fs.Path("/growing" + number);
      content = new byte[MOST];
      new Random(number).nextBytes(content);
    }

    private void write() {
      try {
        out.write(content, written, STEP);
        written += STEP;
        out.hflush();
        flushed = written;
      } catch (IOException e) {
        failure = Optional.of(e);
      }
    }
  }

  @BeforeEach
  void mount() throws Exception {
    work = WorkDirectory.create("full-volume");
    Path data = work.directory("data");
    mounted = SmallFilesystem.mount(data, LITTLE);
    spec =
        ClusterSpec.small("full-volume", 1)
            .with("vdfs.data.dirs", data.toString())
            .with("vdfs.metadata.dir", work.directory("metadata").toString())
            .with("vdfs.volume.reserve", "0");
  }

  @AfterEach
  void unmount() throws Exception {
    if (mounted != null) {
      mounted.close();
    }
    work.close();
  }

  /** A client whose writers soon give up a node that they cannot spare. */
  private static FileSystem impatient(DaemonProcesses cluster) throws IOException {
    Configuration configuration = cluster.configuration();
    configuration.set("fs.vdfs.write.nodes.wait", "5s");
    return FileSystem.newInstance(cluster.uri(), configuration);
  }

  /** Right after all daemons died, a client may still call one of them at its old address. */
  private static void awaitServing(DaemonProcesses cluster) throws Exception {
    Await.until(
        "the daemons",
        LIMIT,
        () -> {
          try {
            cluster.awaitServing();
            return true;
          } catch (IOException e) {
            return false;
          }
        });
  }

  @Test
  void shouldKeepWhatWasFlushedWhenTheDiskRunsFullAndGoOnWhenThereIsRoom() throws Exception {
    List<Growing> files = new ArrayList<>();
    try (DaemonProcesses cluster = DaemonProcesses.start(spec);
        FileSystem fileSystem = impatient(cluster)) {
      for (int number = 0; number < FILES; number++) {
        Growing file = new Growing(number);
        file.out = fileSystem.create(file.path);
        files.add(file);
      }
      runFull(files);
      for (Growing file : files) {
        IOException failure = file.failure.orElseThrow();
        assertInstanceOf(ClusterStorageCapacityExceededException.class, failure, failure::toString);
        assertTrue(failure.getMessage().contains("NO_SPACE"), failure.getMessage());
        assertThrows(IOException.class, file.out::close);
      }

      mounted.resize(ENOUGH);
      for (Growing file : files) {
        goOn(fileSystem, file);
      }
      for (Growing file : files) {
        assertReads(fileSystem, file);
      }
      cluster.kill(0);
      cluster.launch(0);
      awaitServing(cluster);
      for (Growing file : files) {
        assertReads(fileSystem, file);
      }
    }
  }

  /** Writes to all files in turn until each of them has failed. */
  private static void runFull(List<Growing> files) throws InterruptedException {
    List<Thread> writers = new ArrayList<>();
    for (Growing file : files) {
      Thread writer =
          new Thread(
              () -> {
                while (file.failure.isEmpty() && file.written + STEP <= MOST) {
                  file.write();
                }
              });
      writers.add(writer);
      writer.start();
    }
    for (Thread writer : writers) {
      writer.join();
    }
  }

  private static void goOn(FileSystem fileSystem, Growing file) throws Exception {
    Await.value(
        "recovery of " + file.path,
        LIMIT,
        () ->
            ((VdfsFileSystem) fileSystem).recoverLease(file.path)
                ? Optional.of(true)
                : Optional.empty());
    int length = (int) fileSystem.getFileStatus(file.path).getLen();
    assertTrue(length >= file.flushed, "length=" + length + ", flushed=" + file.flushed);
    assertTrue(length <= file.written + STEP, "length=" + length + ", written=" + file.written);
    int more = Math.min(MOST - length, 500_000);
    try (FSDataOutputStream out = fileSystem.append(file.path)) {
      out.write(file.content, length, more);
    }
    file.flushed = length + more;
  }

  private static void assertReads(FileSystem fileSystem, Growing file) throws Exception {
    try (FSDataInputStream in = fileSystem.open(file.path)) {
      byte[] found = in.readAllBytes();
      assertEquals(file.flushed, found.length, file.path.toString());
      assertArrayEquals(Arrays.copyOf(file.content, found.length), found);
    }
  }
}
