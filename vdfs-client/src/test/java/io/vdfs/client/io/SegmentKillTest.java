package io.vdfs.client.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.client.read.FileReader;
import io.vdfs.client.write.FileWriter;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.datanode.segment.SegmentCounter;
import io.vdfs.datanode.segment.SegmentDelivery;
import io.vdfs.datanode.segment.SegmentSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that get SIGKILL while bytes go through memory that they share. */
@Timeout(120)
class SegmentKillTest {
  private static final int LENGTH = 5 * (int) DiskCluster.GEOMETRY.groupSize();
  private static final int KILLS = 3;
  private static final Duration CLEAN_UP_LIMIT = Duration.ofSeconds(30);

  @TempDir private Path directory;

  @Test
  void shouldLeaveNoMemoryBehindAndServeOthersWhenReadersAreKilled() throws Exception {
    try (DiskCluster cluster = new DiskCluster(directory, 1, false, true)) {
      byte[] content = cluster.write(LENGTH);
      DiskNode node = cluster.nodes.get(0);
      ClientIo witness = cluster.client(Delivery.SEGMENT);
      for (int kill = 0; kill < KILLS; kill++) {
        assertArrayEquals(content, TestCluster.readAll(cluster.reader(witness)));
        try (SegmentProcess reader = SegmentProcess.reader(cluster, LENGTH)) {
          assertTrue(Long.parseLong(reader.line()) >= LENGTH);
          assertEquals(2, node.segments().size(), "its own and the witness's");

          reader.kill();

          awaitSegments(node, 1);
        }
      }
      assertArrayEquals(content, TestCluster.readAll(cluster.reader(witness)));
      assertEquals(0, witness.counters().get(IoCounter.BYTES_BY_SOCKET));
    }
  }

  @Test
  void shouldGoOnAtAnotherReplicaWhenTheNodeIsKilled() throws Exception {
    Path home = directory.resolve("killed");
    try (DiskCluster cluster = new DiskCluster(directory, 1, false, true);
        SegmentProcess killed = SegmentProcess.node(cluster.id, home, cluster.nodes.get(0))) {
      NodeId id = NodeId.parse(killed.line());
      DataAddress address = new DataAddress("127.0.0.1", Integer.parseInt(killed.line()));
      List<ReplicaNode> replicas =
          List.of(new ReplicaNode(id, address, true, true), cluster.nodes.get(0).replica());
      FakeMetadata metadata = new FakeMetadata(cluster.id, DiskCluster.FILE, 2);
      byte[] content = TestCluster.bytes(3, LENGTH);
      ClientIo writing = SegmentProcess.client(cluster.id, replicas, Delivery.SOCKET);
      try (FileWriter writer = FileWriter.create(writing, metadata.view(), metadata)) {
        writer.write(content, 0, LENGTH);
      }
      ClientIo client = SegmentProcess.client(cluster.id, replicas, Delivery.SEGMENT);
      FileReader reader = new FileReader(client, metadata.view(), metadata);
      byte[] read = new byte[LENGTH];
      reader.readFully(0, read, 0, LENGTH / 2);
      assertTrue(client.counters().get(IoCounter.BYTES_BY_SEGMENT) >= LENGTH / 2);
      assertEquals(0, client.counters().get(IoCounter.READ_FAILOVERS));
      assertEquals(List.of(), cluster.nodes.get(0).segments());

      killed.kill();
      reader.readFully(LENGTH / 2, read, LENGTH / 2, LENGTH / 2);

      assertArrayEquals(content, read);
      assertTrue(client.counters().get(IoCounter.READ_FAILOVERS) >= 1);
      assertEquals(1, cluster.nodes.get(0).segments().size(), "the other one's segment");
      Path left = home.resolve("vdfs-segment-" + id);
      assertEquals(1, count(left), "nobody is there to remove it");
      SegmentSettings settings =
          new SegmentSettings(home, Optional.empty(), DiskNode.SEGMENT_MEMORY, DiskNode.SEGMENT);
      try (SegmentDelivery next = SegmentDelivery.open(settings, id).orElseThrow()) {
        assertEquals(0, count(left));
        assertEquals(1, next.counters().get(SegmentCounter.SEGMENTS_FOUND));
      }
      client.close();
      writing.close();
    }
  }

  private static void awaitSegments(DiskNode node, int count) throws IOException {
    long begun = System.nanoTime();
    while (node.segments().size() != count) {
      assertTrue(System.nanoTime() - begun < CLEAN_UP_LIMIT.toNanos(), "segments are left");
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static long count(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.count();
    }
  }
}
