package io.vdfs.client;

import static io.vdfs.client.WriterCluster.GROUP;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.datanode.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Writers over real stores, real placement and the real operations of the metadata. */
@Timeout(120)
class WriterTest {
  @TempDir private Path directory;

  private static Set<Integer> groupsLeftOut(WriterCluster cluster, WriterNode node)
      throws IOException {
    Set<Integer> groups = new HashSet<>();
    for (ExclusionProto range : cluster.file().exclusions()) {
      if (range.getNode().equals(io.vdfs.common.wire.WireIds.encode(node.id))) {
        for (int group = range.getFirstGroup(); group != range.getEndGroup(); group++) {
          assertTrue(groups.size() < 1000, "endless range: " + range);
          groups.add(group);
        }
      }
    }
    return groups;
  }

  @Test
  void shouldTakeANodeInAgainAtTheNextGroup() throws IOException {
    try (WriterCluster cluster = new WriterCluster(directory, 3, 3)) {
      byte[] bytes = WriterCluster.bytes(1, 3 * GROUP);
      WriterNode victim = cluster.nodes.get(1);
      try (ContentWriter writer = cluster.create(3)) {
        writer.write(bytes, 0, 3000);
        writer.flush();
        victim.stop();
        writer.write(bytes, 3000, 2000);
        writer.flush();
        victim.start();
        writer.write(bytes, 5000, bytes.length - 5000);
      }
      assertEquals(Set.of(0), groupsLeftOut(cluster, victim));
      assertEquals(3, cluster.holding(1).size());
      assertArrayEquals(bytes, cluster.read());
    }
  }

  @Test
  void shouldNotLeaveOutANodeThatIsOnlySaidToBeDead() throws IOException {
    try (WriterCluster cluster = new WriterCluster(directory, 3, 3)) {
      byte[] bytes = WriterCluster.bytes(2, 2 * GROUP);
      cluster.call(cluster.nodes.get(2), false);
      try (ContentWriter writer = cluster.create(3)) {
        writer.write(bytes, 0, bytes.length);
      }
      assertEquals(List.of(), cluster.file().exclusions());
      assertEquals(3, cluster.holding(0).size());
    }
  }

  @Test
  void shouldWriteAsManyCopiesAsTheFileAsksFor() throws IOException {
    try (WriterCluster cluster = new WriterCluster(directory, 4, 3)) {
      byte[] bytes = WriterCluster.bytes(3, 4 * GROUP);
      for (int factor = 1; factor <= 3; factor++) {
        try (ContentWriter writer = cluster.create(factor)) {
          writer.write(bytes, 0, bytes.length);
        }
        for (int group = 0; group < 4; group++) {
          assertEquals(
              cluster.listed(group).subList(0, factor), cluster.holding(group), "group=" + group);
        }
        assertArrayEquals(bytes, cluster.read());
        cluster.call(
            io.vdfs.common.wire.proto.MetaRequest.newBuilder()
                .setDelete(
                    io.vdfs.common.wire.proto.DeleteOp.newBuilder().setPath(WriterCluster.PATH))
                .build());
      }
    }
  }

  @Test
  void shouldSendAgainWhatAKilledNodeHadAcknowledgedAndLost() throws IOException {
    try (WriterCluster cluster = new WriterCluster(directory, 3, 3)) {
      byte[] bytes = WriterCluster.bytes(4, 2 * GROUP);
      ContentWriter writer = cluster.create(3);
      WriterNode gone = cluster.listed(0).get(0);
      WriterNode killed = cluster.listed(0).get(1);
      writer.write(bytes, 0, 1000);
      writer.flush();
      gone.stop();
      writer.write(bytes, 1000, 200);
      writer.flush();
      writer.write(bytes, 1200, 2000);
      Await.awaitThat(() -> killed.held(cluster.file().key(), 0) == 3072);
      killed.kill();
      killed.start();
      assertEquals(2048, killed.held(cluster.file().key(), 0), "what the kill left");

      writer.write(bytes, 3200, bytes.length - 3200);
      writer.close();
      assertEquals(Set.of(), groupsLeftOut(cluster, killed));
      assertArrayEquals(bytes, cluster.read());
    }
  }
}
