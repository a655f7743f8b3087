package io.vdfs.client.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.write.FileWriter;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.datanode.transfer.InMemoryBlockStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a writer reports to the metadata service while it writes. */
@Timeout(60)
class WriterProgressTest {
  private static final int GROUP = (int) TestCluster.GEOMETRY.groupSize();

  @Test
  void shouldLeaveRecoveryThreeGroupsAtMost() throws IOException {
    try (TestCluster cluster = new TestCluster(4, 3)) {
      byte[] content = TestCluster.bytes(1, 160 * GROUP);
      try (FileWriter writer = cluster.create()) {
        for (int group = 0; group < 160; group++) {
          writer.write(content, group * GROUP, GROUP);
          int begun = group + 1;
          int recorded = TestCluster.GEOMETRY.groupAt(cluster.metadata.view().length());
          assertTrue(begun - recorded <= 3, () -> "begun=" + begun + ", recorded=" + recorded);
        }
      }
      assertTrue(cluster.metadata.recordedGroups() >= 157);
      assertEquals(160, cluster.metadata.synced().size());
      assertArrayEquals(content, TestCluster.readAll(cluster.reader()));
    }
  }

  @Test
  void shouldRecordTheFirstFlushOfAGroupAndTellTheOthers() throws IOException {
    try (TestCluster cluster = new TestCluster(4, 3);
        FileWriter writer = cluster.create()) {
      byte[] content = TestCluster.bytes(2, GROUP);
      for (int i = 0; i < 20; i++) {
        writer.write(content, i * 100, 100);
        writer.flush();
        writer.flush();
      }
      assertEquals(1, cluster.metadata.records());
      assertEquals(2_000, cluster.metadata.flushed());
      assertEquals(0, cluster.metadata.view().length(), "a flush binds nobody");

      writer.write(content, 0, GROUP);
      writer.sync();
      writer.write(content, 0, 100);
      writer.sync();
      assertEquals(1, cluster.metadata.recordedGroups());
      assertEquals(GROUP, cluster.metadata.view().length());
      assertEquals(GROUP + 2_100, cluster.metadata.flushed());
    }
  }

  @Test
  void shouldRecordNothingOfAFileThatIsWrittenInOneGo() throws IOException {
    try (TestCluster cluster = new TestCluster(4, 3)) {
      try (FileWriter writer = cluster.create()) {
        writer.write(TestCluster.bytes(3, GROUP), 0, GROUP);
      }
      assertEquals(0, cluster.metadata.records());
      assertEquals(GROUP, cluster.metadata.view().length());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"UNAVAILABLE", "OUTCOME_UNKNOWN"})
  void shouldCloseAFileThoughNothingCouldBeRecorded(ErrorCode code) throws IOException {
    try (TestCluster cluster = new TestCluster(4, 3)) {
      byte[] content = TestCluster.bytes(4, 5 * GROUP + 1);
      cluster.metadata.recordNothing(code);
      try (FileWriter writer = cluster.create()) {
        writer.write(content, 0, content.length);
        writer.flush();
      }
      assertEquals(0, cluster.metadata.records());
      assertArrayEquals(content, TestCluster.readAll(cluster.reader()));
    }
  }

  @Test
  void shouldFlushThoughNodesHoldBackAllThatFillsTheWindow() throws IOException {
    try (TestCluster cluster = new TestCluster(3, 3, TestCluster.NARROW);
        FileWriter writer = cluster.create()) {
      int window = cluster.io.settings().windowBytes();
      byte[] content = TestCluster.bytes(5, window + 100);
      cluster.nodes.forEach(node -> ((InMemoryBlockStore) node.store).holdBack());
      writer.write(content, 0, window);
      writer.write(content, window, 100);

      writer.flush();

      assertEquals(window + 100, cluster.metadata.flushed());
      writer.write(content, 0, 100);
      writer.sync();
      cluster.nodes.forEach(node -> ((InMemoryBlockStore) node.store).letGo());
    }
  }

  @Test
  void shouldWaitWhileNodesHoldBackWhatFillsTheWindow() throws Exception {
    try (TestCluster cluster = new TestCluster(3, 3, TestCluster.NARROW);
        FileWriter writer = cluster.create()) {
      byte[] content = TestCluster.bytes(6, GROUP - 100);
      cluster.nodes.forEach(node -> ((InMemoryBlockStore) node.store).holdBack());
      CompletableFuture<Void> writing =
          CompletableFuture.runAsync(
              () -> {
                try {
                  writer.write(content, 0, content.length);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });

      assertThrows(TimeoutException.class, () -> writing.get(300, TimeUnit.MILLISECONDS));
      cluster.nodes.forEach(node -> ((InMemoryBlockStore) node.store).letGo());
      writing.get(20, TimeUnit.SECONDS);
    }
  }
}
