package io.vdfs.client.dataplane;

import static io.vdfs.client.dataplane.WriterCluster.GROUP;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.files.ContentWriter;
import io.vdfs.client.io.IoCounter;
import io.vdfs.client.io.replica.Exclusion;
import io.vdfs.client.place.BlockPlace;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.proto.DeleteOp;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.datanode.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
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
    for (Exclusion range : cluster.file().exclusions()) {
      if (range.node().equals(node.id)) {
        for (int group = range.firstGroup(); group < range.endGroup(); group++) {
          assertTrue(groups.size() < 1000, "endless range: " + range);
          groups.add(group);
        }
      }
    }
    return groups;
  }

  @Test
  void shouldTakeANodeInAgainAtTheNextGroup() throws IOException {
    // a failed try counts for longer the later it is known, which depends on the machine
    try (WriterCluster cluster =
        new WriterCluster(directory, 3, 3, WriterCluster.LONG, Duration.ZERO)) {
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

  /**
   * Removes a file that was made after {@link WriterCluster#PATH} was opened, and has all nodes
   * forget which one it was.
   */
  private static void removeAYoungerFile(WriterCluster cluster) throws IOException {
    FileKey younger = cluster.makeAndDelete("/younger");
    for (WriterNode node : cluster.nodes) {
      node.remove(younger, 1);
      node.stop();
      node.start();
    }
  }

  @Test
  void shouldGoBackToTheMetadataForAFresherTicket() throws IOException {
    try (WriterCluster cluster = new WriterCluster(directory, 3, 3)) {
      byte[] bytes = WriterCluster.bytes(21, GROUP + 3000);
      try (ContentWriter writer = cluster.create(3)) {
        removeAYoungerFile(cluster);
        writer.write(bytes, 0, bytes.length);
      }
      assertArrayEquals(bytes, cluster.read());
      assertEquals(List.of(), cluster.file().exclusions());
      assertTrue(cluster.counter(IoCounter.STALE_TICKETS) > 0, "no ticket was refused");
      assertEquals(0, cluster.counter(IoCounter.FAILED_TRIES));
    }
  }

  @Test
  void shouldNotWriteAFileThatIsGoneThoughNoNodeKnows() throws IOException {
    try (WriterCluster cluster = new WriterCluster(directory, 3, 3)) {
      ContentWriter writer = cluster.create(3);
      FileKey file = cluster.file().key();
      removeAYoungerFile(cluster);
      cluster.delete(WriterCluster.PATH);
      VdfsException refused =
          assertThrows(
              VdfsException.class,
              () -> {
                writer.write(new byte[100], 0, 100);
                writer.flush();
              });
      assertEquals(ErrorCode.NOT_FOUND, refused.code(), refused.getMessage());
      assertTrue(cluster.counter(IoCounter.STALE_TICKETS) > 0, "no ticket was refused");
      for (WriterNode node : cluster.nodes) {
        assertEquals(0, node.held(file, 0));
      }
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
            MetaRequest.newBuilder()
                .setDelete(DeleteOp.newBuilder().setPath(WriterCluster.PATH))
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

  /** Every group has all copies that count, on the keepers named by list, factor and record. */
  private static void assertKept(WriterCluster cluster, byte[] bytes) throws IOException {
    List<BlockPlace> places = cluster.places();
    int group = 0;
    for (BlockPlace place : places) {
      assertTrue(!place.nodes().isEmpty(), "group=" + group + ", file=" + cluster.file());
      for (RingNode keeper : place.nodes()) {
        WriterNode node = cluster.node(keeper.id());
        if (node.isUp()) {
          assertEquals(
              Math.min(GROUP, bytes.length - group * GROUP),
              node.held(cluster.file().key(), group),
              "group=" + group + ", keeper=" + keeper);
        }
      }
      group++;
    }
    assertArrayEquals(bytes, cluster.read());
  }

  @Test
  void shouldOutliveARestartOfEachNodeInTurnWhileItWritesFast() throws IOException {
    // the node that was down before is tried again at once, however long its refusal took
    Duration noMemory = Duration.ZERO;
    try (WriterCluster cluster = new WriterCluster(directory, 3, 3, WriterCluster.LONG, noMemory)) {
      byte[] bytes = WriterCluster.bytes(5, 13 * GROUP);
      ContentWriter writer = cluster.create(3);
      writer.write(bytes, 0, GROUP);
      for (int turn = 0; turn < 3; turn++) {
        cluster.nodes.get(turn).stop();
        int from = (1 + 4 * turn) * GROUP;
        writer.write(bytes, from, 3 * GROUP);
        writer.flush();
        cluster.nodes.get(turn).start();
        writer.write(bytes, from + 3 * GROUP, GROUP);
        // a group that is still being written may lack the node that has just returned
        writer.flush();
      }
      writer.close();

      for (int turn = 0; turn < 3; turn++) {
        Set<Integer> leftOut = groupsLeftOut(cluster, cluster.nodes.get(turn));
        int first = 1 + 4 * turn;
        assertTrue(leftOut.containsAll(Set.of(first, first + 1, first + 2)), leftOut.toString());
        // the group before was still being closed
        leftOut.removeAll(Set.of(first - 1, first, first + 1, first + 2));
        assertEquals(Set.of(), leftOut);
      }
      assertKept(cluster, bytes);
    }
  }

  @Test
  void shouldOutliveARestartOfEachNodeInTurnWhileItWritesSlowly() throws Exception {
    try (WriterCluster cluster = new WriterCluster(directory, 3, 3)) {
      byte[] bytes = WriterCluster.bytes(6, 4000);
      ContentWriter writer = cluster.create(3);
      writer.write(bytes, 0, 1000);
      writer.flush();
      for (int turn = 0; turn < 3; turn++) {
        WriterNode node = cluster.nodes.get(turn);
        node.stop();
        int changes = cluster.changes().size();
        Thread starter =
            new Thread(
                () -> {
                  Await.awaitThat(() -> cluster.changes().size() > changes + 2);
                  start(node);
                });
        if (turn > 0) {
          // the writer will have to wait for it
          starter.start();
        }
        writer.write(bytes, 1000 * (turn + 1), 1000);
        writer.flush();
        if (turn > 0) {
          starter.join();
        } else {
          node.start();
        }
      }
      writer.close();
      assertEquals(Set.of(0), groupsLeftOut(cluster, cluster.nodes.get(0)));
      assertEquals(1, cluster.file().exclusions().size());
      assertKept(cluster, bytes);
    }
  }

  private static void start(WriterNode node) {
    try {
      node.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldTryANodeOnceThatIsCalledDeadAndHangs() throws IOException {
    try (WriterCluster cluster = new WriterCluster(directory, 3, 3)) {
      byte[] bytes = WriterCluster.bytes(7, 40 * GROUP);
      WriterNode hole = cluster.nodes.get(1);
      hole.blackHole();
      cluster.call(hole, false);
      try (ContentWriter writer = cluster.create(3)) {
        writer.write(bytes, 0, bytes.length);
      }
      assertEquals(1, cluster.counter(IoCounter.FAILED_TRIES));
      assertEquals(40, groupsLeftOut(cluster, hole).size());
      assertEquals(1, cluster.file().exclusions().size());
      assertKept(cluster, bytes);
    }
  }

  @Test
  void shouldSpendNoMoreThanAQuarterOfItsTimeOnANodeThatHangs() throws IOException {
    try (WriterCluster cluster = new WriterCluster(directory, 3, 3)) {
      byte[] bytes = WriterCluster.bytes(8, GROUP);
      cluster.nodes.get(1).blackHole();
      long begun = System.nanoTime();
      long took = 0;
      try (ContentWriter writer = cluster.create(3)) {
        while (took < TimeUnit.SECONDS.toNanos(5) || cluster.counter(IoCounter.FAILED_TRIES) < 2) {
          writer.write(bytes, 0, bytes.length);
          took = System.nanoTime() - begun;
        }
      }
      long tries = cluster.counter(IoCounter.FAILED_TRIES);
      long most = 1 + took / (4 * WriterCluster.CONNECT_LIMIT.toNanos());
      assertTrue(tries <= most, "tries=" + tries + ", most=" + most);
    }
  }

  @Test
  void shouldPassOverADeadKeeperOfItsOnlyCopyUntried() throws IOException {
    try (WriterCluster cluster = new WriterCluster(directory, 3, 3)) {
      byte[] bytes = WriterCluster.bytes(9, 6 * GROUP);
      WriterNode dead = cluster.nodes.get(2);
      ContentWriter writer = cluster.create(1);
      List<WriterNode> owners = new ArrayList<>();
      for (int group = 0; group < 6; group++) {
        owners.add(cluster.listed(group).get(0));
      }
      dead.stop();
      cluster.call(dead, false);
      writer.write(bytes, 0, bytes.length);
      writer.close();

      assertEquals(0, cluster.counter(IoCounter.FAILED_TRIES));
      assertEquals(2, cluster.counter(IoCounter.NODES_PASSED_OVER));
      for (int group = 0; group < 6; group++) {
        boolean passedOver = owners.get(group) == dead;
        assertEquals(passedOver, groupsLeftOut(cluster, dead).contains(group), "group=" + group);
        assertEquals(
            List.of(cluster.listed(group).get(passedOver ? 1 : 0)), cluster.holding(group));
      }
      assertKept(cluster, bytes);
    }
  }

  @Test
  void shouldLoseANodeBetweenGroupsOfOneCopy() throws IOException {
    try (WriterCluster cluster = new WriterCluster(directory, 3, 3)) {
      byte[] bytes = WriterCluster.bytes(10, 6 * GROUP);
      ContentWriter writer = cluster.create(1);
      WriterNode lost = cluster.listed(1).get(0);
      writer.write(bytes, 0, GROUP);
      writer.flush();
      lost.stop();
      writer.write(bytes, GROUP, 5 * GROUP);
      writer.close();

      assertEquals(Set.of(1, 4), groupsLeftOut(cluster, lost));
      assertTrue(cluster.counter(IoCounter.FAILED_TRIES) > 0);
      assertKept(cluster, bytes);
    }
  }

  @Test
  void shouldGiveASpareTheGroupWhoseBytesItStillHas() throws IOException {
    try (WriterCluster cluster = new WriterCluster(directory, 3, 3)) {
      byte[] bytes = WriterCluster.bytes(11, 2 * GROUP);
      ContentWriter writer = cluster.create(1);
      WriterNode lost = cluster.listed(0).get(0);
      writer.write(bytes, 0, 1500);
      Await.awaitThat(() -> lost.held(cluster.file().key(), 0) == 1024);
      lost.stop();
      writer.write(bytes, 1500, bytes.length - 1500);
      writer.close();

      assertEquals(Set.of(0), groupsLeftOut(cluster, lost));
      assertEquals(List.of(cluster.listed(0).get(1)), cluster.holding(0));
      assertKept(cluster, bytes);
    }
  }

  @Test
  void shouldWaitForTheOnlyNodeThatHasItsBytes() throws Exception {
    try (WriterCluster cluster = new WriterCluster(directory, 3, 3)) {
      byte[] bytes = WriterCluster.bytes(12, 2 * GROUP);
      ContentWriter writer = cluster.create(1);
      WriterNode only = cluster.listed(0).get(0);
      writer.write(bytes, 0, 3000);
      writer.flush();
      only.kill();
      Thread starter =
          new Thread(
              () -> {
                Await.awaitThat(() -> cluster.changes().size() > 2);
                start(only);
              });
      starter.start();
      writer.write(bytes, 3000, bytes.length - 3000);
      writer.close();
      starter.join();

      assertEquals(List.of(), cluster.file().exclusions());
      assertKept(cluster, bytes);
    }
  }

  @Test
  void shouldFailWhereTheOnlyNodeThatHasItsBytesStaysAway() throws IOException {
    try (WriterCluster cluster = new WriterCluster(directory, 3, 3, Duration.ofSeconds(1))) {
      byte[] bytes = WriterCluster.bytes(13, GROUP);
      ContentWriter writer = cluster.create(1);
      WriterNode only = cluster.listed(0).get(0);
      writer.write(bytes, 0, 3000);
      writer.flush();
      only.stop();

      VdfsException failed =
          assertThrows(
              VdfsException.class,
              () -> {
                writer.write(bytes, 3000, 1000);
                writer.flush();
              });
      assertEquals(ErrorCode.UNAVAILABLE, failed.code());
      assertTrue(failed.getMessage().contains(only.id.toString()), failed.getMessage());
      assertEquals(List.of(), cluster.file().exclusions());
    }
  }

  @Test
  void shouldKeepTwoCopiesWithASpareForEitherNode() throws IOException {
    for (int lost = 0; lost < 2; lost++) {
      try (WriterCluster cluster = new WriterCluster(directory.resolve("lost" + lost), 3, 3)) {
        byte[] bytes = WriterCluster.bytes(14, GROUP);
        ContentWriter writer = cluster.create(2);
        WriterNode node = cluster.listed(0).get(lost);
        node.stop();
        writer.write(bytes, 0, bytes.length);
        writer.close();

        assertEquals(Set.of(0), groupsLeftOut(cluster, node));
        assertEquals(2, cluster.holding(0).size());
        assertKept(cluster, bytes);
      }
    }
  }

  @Test
  void shouldCountALoweredFileAtOnceAndReadItsSurplus() throws IOException {
    try (WriterCluster cluster = new WriterCluster(directory, 3, 3)) {
      byte[] bytes = WriterCluster.bytes(15, 2 * GROUP + 1000);
      try (ContentWriter writer = cluster.create(3)) {
        writer.write(bytes, 0, bytes.length);
      }
      cluster.setReplication(1);
      assertEquals(1, cluster.places().get(2).nodes().size());
      assertEquals(3, cluster.holding(2).size());

      byte[] longer = Arrays.copyOf(bytes, 4 * GROUP);
      System.arraycopy(
          WriterCluster.bytes(16, 4 * GROUP), 0, longer, bytes.length, 4 * GROUP - bytes.length);
      try (ContentWriter writer = cluster.append()) {
        writer.write(longer, bytes.length, longer.length - bytes.length);
      }
      assertEquals(GROUP, cluster.listed(2).get(0).held(cluster.file().key(), 2));
      assertEquals(1000, cluster.listed(2).get(1).held(cluster.file().key(), 2));
      assertEquals(1, cluster.holding(3).size());
      assertKept(cluster, longer);

      // the first two groups have copies that do not count, but are good
      for (int group = 0; group < 2; group++) {
        WriterNode keeper = cluster.listed(group).get(0);
        keeper.stop();
        assertArrayEquals(
            Arrays.copyOfRange(longer, group * GROUP, (group + 1) * GROUP),
            cluster.read(group * GROUP, GROUP));
        keeper.start();
      }
    }
  }

  @Test
  void shouldTakeAFactorAboveTheListAsTheWholeList() throws IOException {
    try (WriterCluster cluster = new WriterCluster(directory, 4, 3)) {
      byte[] bytes = WriterCluster.bytes(17, GROUP);
      try (ContentWriter writer = cluster.create(10)) {
        writer.write(bytes, 0, bytes.length);
      }
      assertEquals(10, cluster.file().replication());
      assertEquals(3, cluster.file().countedCopies());
      assertEquals(3, cluster.holding(0).size());
      cluster.setReplication(12);
      assertEquals(12, cluster.file().replication());
    }
  }
}
