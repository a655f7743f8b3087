package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.tools.PositionBytes;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients and daemons that are killed while bytes go through shared memory. */
@Timeout(180)
class SegmentDeliveryIT {
  private static final String FILE = "/streamed";
  private static final int LENGTH = 8 << 20;
  private static final int NODES = 3;
  private static final int DEFAULT_KILLS = 20;

  /** One in so many of the kills of the other deliveries. */
  private static final int KILLS_SHARE = 4;

  private static final Duration CLEAN_UP_LIMIT = Duration.ofSeconds(30);

  /** Time for daemons to become quiet, including compilation after a load. */
  private static final Duration REST_LIMIT = Duration.ofSeconds(60);

  private static final Duration REST = Duration.ofSeconds(2);

  /** Three nodes with heartbeats; a single thread that spins takes all of a processor. */
  private static final double REST_SHARE = 0.2;

  private static DaemonProcesses cluster;

  @BeforeAll
  @Timeout(120)
  static void startCluster() throws Exception {
    cluster =
        DaemonProcesses.start(
            ClusterSpec.small("sharing", NODES)
                .with("vdfs.delivery.local", "false")
                .with("vdfs.delivery.segment", "true"));
    try (FileSystem fileSystem = cluster.newFileSystem();
        FSDataOutputStream out = fileSystem.create(new org.apache.hadoop.fs.Path(FILE))) {
      out.write(PositionBytes.of(0, LENGTH));
    }
  }

  @AfterAll
  static void stopCluster() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
  }

  /** Five clients at random points while one goes on; 50 with {@code -Pkills}. */
  @Test
  @Timeout(1800)
  void shouldLeaveNoMemoryBehindWhenClientsAreKilled() throws Exception {
    int count = Integer.getInteger("vdfs.it.kills", DEFAULT_KILLS) / KILLS_SHARE;
    Random random = new Random(count);
    try (StreamingClient witness = start("segment-witness", 0)) {
      witness.awaitAbove("segment", 0);
      for (int number = 0; number < count; number++) {
        try (StreamingClient victim = start("segment-victim" + number, 0)) {
          victim.awaitAbove("segment", random.nextInt(LENGTH));
          assertEquals(0, victim.last("socket"));
          assertEquals(0, victim.last("local"));
          assertEquals(2, segments(0).size(), "its own and the witness's");

          victim.kill();

          Await.until(
              "the end of a killed client's segment",
              CLEAN_UP_LIMIT,
              () -> segments(0).size() == 1);
        }
      }
      witness.awaitAbove("segment", witness.last("segment") + LENGTH);
      witness.stop();
      assertEquals(0, witness.last("socket"));
      assertEquals(0, witness.last("corrupt"));
      assertEquals(0, witness.last("failovers"));
    }
    Await.until("no segments", CLEAN_UP_LIMIT, () -> segments(0).isEmpty());
  }

  @Test
  void shouldGoOnAtAnotherReplicaWhenTheDaemonIsKilled() throws Exception {
    try (StreamingClient client =
        StreamingClient.start(cluster, "segment-bereaved", 1, "auto", FILE)) {
      client.awaitAbove("segment", LENGTH);
      List<Path> left = segments(1);
      assertFalse(left.isEmpty(), "a segment while it reads");
      try {
        cluster.kill(1);
        long before = client.last("bytes");
        client.awaitAbove("bytes", before + 2L * LENGTH);

        assertTrue(client.last("failovers") > 0);
        assertTrue(client.last("socket") > 0, "the other replicas are elsewhere");
        assertEquals(left, segments(1), "nobody is there to remove them");
      } finally {
        cluster.launch(1);
      }
      Await.until(
          "the end of segments that the killed daemon left",
          CLEAN_UP_LIMIT,
          () -> left.stream().noneMatch(Files::exists));
      client.stop();
    }
    cluster.awaitServing();
  }

  /** Waiting for readers that take nothing uses no processor. */
  @Test
  void shouldRestWhileReadersStandStill() throws Exception {
    try (StreamingClient segment = start("segment-frozen", 0);
        StreamingClient socket =
            StreamingClient.start(cluster, "socket-frozen", 0, "socket", FILE)) {
      segment.awaitAbove("segment", LENGTH);
      socket.awaitAbove("socket", LENGTH);
      segment.freeze();
      socket.freeze();
      assertEquals(1, segments(0).size(), "the frozen client's");
      Await.until("daemons at rest", REST_LIMIT, SegmentDeliveryIT::isAtRest);
      segment.thaw();
      socket.thaw();
      segment.awaitAbove("segment", segment.last("segment") + LENGTH);
      socket.awaitAbove("socket", socket.last("socket") + LENGTH);
      segment.stop();
      socket.stop();
    }
  }

  /** Whether all daemons together use less than a share of one processor for a while. */
  private static boolean isAtRest() {
    long start = System.nanoTime();
    Duration before = cluster.cpuTime();
    while (System.nanoTime() - start < REST.toNanos()) {
      LockSupport.parkNanos(REST.toNanos());
    }
    Duration used = cluster.cpuTime().minus(before);
    return used.toNanos() < (System.nanoTime() - start) * REST_SHARE;
  }

  private static StreamingClient start(String name, int node) throws IOException {
    return StreamingClient.start(cluster, name, node, "segment", FILE);
  }

  private static List<Path> segments(int node) throws IOException {
    List<Path> segments = new ArrayList<>();
    try (DirectoryStream<Path> directories =
        Files.newDirectoryStream(cluster.dataDirectory(node), "vdfs-segment-*")) {
      for (Path directory : directories) {
        try (Stream<Path> files = Files.list(directory)) {
          files.forEach(segments::add);
        }
      }
    }
    Collections.sort(segments);
    return segments;
  }
}
