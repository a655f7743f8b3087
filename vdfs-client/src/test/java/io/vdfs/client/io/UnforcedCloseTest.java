package io.vdfs.client.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.write.FileWriter;
import io.vdfs.datanode.store.status.StoreCounter;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files that are closed without forcing them, by a setting of the client or of the file. */
@Timeout(60)
class UnforcedCloseTest {
  private static final int NODES = 3;
  private static final int GROUP = (int) DiskCluster.GEOMETRY.groupSize();

  @TempDir Path directory;

  private static long syncs(DiskCluster cluster) {
    return cluster.nodes.stream()
        .mapToLong(node -> node.store.counters().get(StoreCounter.SYNCS))
        .sum();
  }

  private static FileView unforced(FileView view) {
    return new FileView(
        view.file(),
        view.length(),
        view.open(),
        view.writeEpoch(),
        view.replication(),
        view.exclusions(),
        view.lease(),
        true,
        0);
  }

  private static byte[] write(FileWriter writer, int length) throws IOException {
    byte[] content = TestCluster.bytes(length, length);
    try (writer) {
      writer.write(content, 0, length);
    }
    return content;
  }

  private static void assertReceived(DiskCluster cluster, byte[] content) throws IOException {
    for (DiskNode node : cluster.nodes) {
      long held = 0;
      for (int group = 0; held == (long) group * GROUP; group++) {
        held += node.store.group(DiskCluster.FILE, group).length();
      }
      assertEquals(content.length, held);
    }
    assertArrayEquals(
        content, TestCluster.readAll(cluster.reader(cluster.client(Delivery.SOCKET))));
  }

  @Test
  void shouldForceOnEveryNodeByDefault() throws IOException {
    try (DiskCluster cluster = new DiskCluster(directory, NODES, false)) {
      byte[] content = cluster.write(700);
      assertEquals(NODES, syncs(cluster));
      assertReceived(cluster, content);
    }
  }

  @Test
  void shouldHaveBytesReceivedByTheNodesWhereTheFileIsClosedUnforced() throws IOException {
    try (DiskCluster cluster = new DiskCluster(directory, NODES, false)) {
      byte[] content =
          write(
              FileWriter.create(
                  cluster.client(Delivery.SOCKET),
                  unforced(cluster.metadata.view()),
                  cluster.metadata),
              700);
      assertEquals(0, syncs(cluster));
      assertEquals(NODES, cluster.metadata.synced().get(0).size());
      assertTrue(cluster.metadata.isClosedUnforced());
      assertReceived(cluster, content);
    }
  }

  @Test
  void shouldForceAllGroupsButTheLastOne() throws IOException {
    try (DiskCluster cluster = new DiskCluster(directory, NODES, false)) {
      ClientIo client =
          cluster.client(Delivery.SOCKET, settings -> settings.withCloseUnforced(true));
      byte[] content =
          write(FileWriter.create(client, cluster.metadata.view(), cluster.metadata), GROUP + 300);
      assertEquals(NODES, syncs(cluster));
      assertReceived(cluster, content);
    }
  }

  @Test
  void shouldForceWhatIsSynced() throws IOException {
    try (DiskCluster cluster = new DiskCluster(directory, NODES, false)) {
      FileWriter writer =
          FileWriter.create(
              cluster.client(Delivery.SOCKET), unforced(cluster.metadata.view()), cluster.metadata);
      writer.write(new byte[100], 0, 100);
      writer.sync();
      assertEquals(NODES, syncs(cluster));
      writer.close();
      assertEquals(NODES, syncs(cluster));
    }
  }
}
