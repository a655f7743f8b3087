package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.LoggedProcess;
import io.vdfs.it.tools.SyncAndHold;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A writer is killed, and one replica of the bytes that it synced has rotted. */
@Timeout(120)
class RottenReplicaIT {
  private static final ClusterSpec SPEC = ClusterSpec.small("rot", 3).withDefaultGeometry();
  private static final int LENGTH = 10_000_000;
  private static final long SEED = 22;
  private static final int ROTTEN = 1;
  private static final int AT = 3_000_000;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static DaemonProcesses cluster;

  @BeforeAll
  @Timeout(120)
  static void startCluster() throws Exception {
    cluster = DaemonProcesses.start(SPEC);
  }

  @AfterAll
  static void stopCluster() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void shouldCloseWithAllSyncedBytesThoughOneReplicaIsRotten() throws Exception {
    byte[] content = SyncAndHold.content(LENGTH, SEED);
    org.apache.hadoop.fs.Path log = new org.apache.hadoop.fs.Path(cluster.uri() + "/log");
    List<String> arguments = List.of(log.toString(), Integer.toString(LENGTH), Long.toString(SEED));
    try (LoggedProcess writer =
        cluster.newClientJvm("writer").start(SyncAndHold.class.getName(), arguments)) {
      Await.until("bytes synced", LIMIT, () -> writer.output().contains(SyncAndHold.SYNCED));
      writer.kill();
    }
    rot(content);

    try (VdfsFileSystem fs = (VdfsFileSystem) cluster.newFileSystem()) {
      Await.until("lease recovery", LIMIT, () -> fs.recoverLease(log));
      assertEquals(LENGTH, fs.getFileStatus(log).getLen());
      byte[] read = new byte[LENGTH];
      try (FSDataInputStream in = fs.open(log)) {
        in.readFully(0, read);
      }
      assertArrayEquals(content, read);
      assertTrue(fs.isFileClosed(log));
      // a closed file can be appended to, too
      try (FSDataOutputStream out = fs.append(log)) {
        out.write(content, 0, 100);
      }
      assertEquals(LENGTH + 100, fs.getFileStatus(log).getLen());
    }
  }

  /** Flips 16 bytes of one node's copy. */
  private static void rot(byte[] content) throws IOException {
    byte[] wanted = Arrays.copyOfRange(content, AT, AT + 16);
    try (Stream<Path> files = Files.walk(cluster.dataDirectory(ROTTEN))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".vcf")).toList()) {
        int found = indexOf(Files.readAllBytes(file), wanted);
        if (found >= 0) {
          try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(found);
            open.write(new byte[wanted.length]);
            return;
          }
        }
      }
    }
    throw new AssertionError("the node does not hold the bytes: node=" + ROTTEN);
  }

  private static int indexOf(byte[] bytes, byte[] wanted) {
    for (int at = 0; at + wanted.length <= bytes.length; at++) {
      if (Arrays.equals(bytes, at, at + wanted.length, wanted, 0, wanted.length)) {
        return at;
      }
    }
    return -1;
  }
}
