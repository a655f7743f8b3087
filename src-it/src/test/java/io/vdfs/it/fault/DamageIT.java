package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.common.metrics.Metric;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.proto.NodeRepairRequest;
import io.vdfs.common.wire.proto.ScrubBegunProto;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Copies rot on the disks of real daemons, and are repaired without help. */
@Timeout(180)
class DamageIT {
  private static final ClusterSpec SPEC =
      ClusterSpec.small("damage", 3).with("vdfs.scrub.period", "1m");

  private static final int LENGTH = Math.toIntExact(SPEC.geometry().groupSize()) - 100;
  private static final int ROTTEN = 8;
  private static final int LOCAL = 0;
  private static final int REMOTE = 1;
  private static final Duration KNOWN_AFTER = Duration.ofSeconds(30);
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Random RANDOM = new Random(27);

  @Test
  void shouldMendWhatAReaderMetAndWhatTheScrubberFinds() throws Exception {
    try (DaemonProcesses cluster = DaemonProcesses.start(SPEC);
        FileSystem fileSystem = cluster.newFileSystem()) {
      Path met = new Path("/met");
      byte[] content = write(fileSystem, met);
      // readers turn to the node of their own machine first
      RingNode asked = node(fileSystem, cluster.host(LOCAL));
      assertEquals(0, damagedByAPassNow(cluster, asked), "and the next pass is far off");
      rot(cluster, LOCAL, content);
      assertTrue(read(cluster, met, content) > 0, "no reader met the damage");
      Await.until(
          "the node to know",
          KNOWN_AFTER,
          () -> count(cluster, asked, "scrub", "doubts_confirmed") > 0);
      awaitMended(cluster, asked, 1);
      assertEquals(0, damagedByAPassNow(cluster, asked), "what counts now is sound");

      Path unread = new Path("/unread");
      content = write(fileSystem, unread);
      RingNode last = node(fileSystem, cluster.host(REMOTE));
      long before = count(cluster, last, "repair", "groups_copied");
      long found = count(cluster, last, "scrub", "damaged");
      rot(cluster, REMOTE, content);
      Await.until(
          "the scrubber to find it", LIMIT, () -> count(cluster, last, "scrub", "damaged") > found);
      awaitMended(cluster, last, before + 1);
      assertEquals(0, damagedByAPassNow(cluster, last), "what counts now is sound");
    }
  }

  private static byte[] write(FileSystem fileSystem, Path file) throws IOException {
    byte[] bytes = new byte[LENGTH];
    RANDOM.nextBytes(bytes);
    try (FSDataOutputStream out = fileSystem.create(file)) {
      out.write(bytes);
    }
    return bytes;
  }

  /** Reads with a new client; returns how many chunks came damaged. */
  private static long read(DaemonProcesses cluster, Path file, byte[] content) throws IOException {
    try (FileSystem reader = cluster.newFileSystem()) {
      long before = reader.getStorageStatistics().getLong("corrupt_chunks");
      try (FSDataInputStream in = reader.open(file)) {
        assertArrayEquals(content, in.readAllBytes());
      }
      return reader.getStorageStatistics().getLong("corrupt_chunks") - before;
    }
  }

  /** Overwrites bytes of a node's copy. */
  private static void rot(DaemonProcesses cluster, int node, byte[] content) throws IOException {
    int at = LENGTH / 3;
    byte[] wanted = Arrays.copyOfRange(content, at, at + 64);
    try (Stream<java.nio.file.Path> files = Files.walk(cluster.dataDirectory(node))) {
      List<java.nio.file.Path> combined =
          files.filter(path -> path.toString().endsWith(".vcf")).toList();
      for (java.nio.file.Path file : combined) {
        int found = indexOf(Files.readAllBytes(file), wanted);
        if (found >= 0) {
          try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(found);
            open.write(new byte[ROTTEN]);
          }
          return;
        }
      }
    }
    throw new AssertionError("the node does not hold the bytes: node=" + node);
  }

  private static int indexOf(byte[] bytes, byte[] wanted) {
    for (int at = 0; at + wanted.length <= bytes.length; at++) {
      if (Arrays.equals(bytes, at, at + wanted.length, wanted, 0, wanted.length)) {
        return at;
      }
    }
    return -1;
  }

  private static VdfsClient client(FileSystem fileSystem) throws IOException {
    return ((VdfsFileSystem) fileSystem).vdfsClient();
  }

  private static RingNode node(FileSystem fileSystem, String host) throws IOException {
    return client(fileSystem).cluster().ring().nodes().values().stream()
        .filter(node -> node.host().equals(host))
        .findFirst()
        .orElseThrow();
  }

  private static long count(DaemonProcesses cluster, RingNode node, String group, String name)
      throws IOException {
    try (FileSystem fresh = cluster.newFileSystem()) {
      return client(fresh).counters(node).stream()
          .filter(metric -> metric.group().equals(group) && metric.name().equals(name))
          .mapToLong(Metric::value)
          .sum();
    }
  }

  /** Number of groups that a node finds damaged when told to read everything back. */
  private static long damagedByAPassNow(DaemonProcesses cluster, RingNode node) throws Exception {
    NodeRepairRequest request = NodeRepairRequest.newBuilder().setScrub(true).build();
    try (FileSystem fresh = cluster.newFileSystem()) {
      ScrubBegunProto begun = client(fresh).nodes().beginRepair(node, request).getScrub();
      assertTrue(begun.getHeld() >= LENGTH, begun::toString);
      Await.until(
          "the pass to end",
          LIMIT,
          () -> count(cluster, node, "scrub", "passes") > begun.getPasses());
      assertTrue(count(cluster, node, "scrub", "bytes") >= begun.getBytes() + LENGTH);
      return count(cluster, node, "scrub", "damaged") - begun.getDamaged();
    }
  }

  /** Waits until a node has copied so many groups and no copy counts as missing. */
  private static void awaitMended(DaemonProcesses cluster, RingNode node, long copied)
      throws Exception {
    Await.until(
        "the copy to be mended",
        LIMIT,
        () -> {
          try (FileSystem fresh = cluster.newFileSystem()) {
            return count(cluster, node, "repair", "groups_copied") >= copied
                && client(fresh).copies().isWhole();
          }
        });
    assertTrue(count(cluster, node, "repair", "reported") > 0);
    assertTrue(count(cluster, node, "repair", "lifted") > 0);
  }
}
