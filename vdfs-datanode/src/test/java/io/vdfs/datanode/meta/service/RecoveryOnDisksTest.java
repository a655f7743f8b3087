package io.vdfs.datanode.meta.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.datanode.loop.ThreadServiceLoop;
import io.vdfs.datanode.store.ReadPace;
import io.vdfs.datanode.transfer.TestPeers;
import io.vdfs.datanode.transfer.replica.NettyReplicaProbe;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Lease recovery over the block stores and data ports of three nodes. */
@Timeout(60)
class RecoveryOnDisksTest {
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(4096, 4, 1024, 8);
  private static final FileKey FILE = new FileKey(FakeMetadata.FILE, 1);
  private static final UUID CLUSTER = UUID.randomUUID();

  private final byte[] content = new byte[3 * (int) GEOMETRY.groupSize()];
  private final FakeMetadata metadata = new FakeMetadata();
  private final List<StoreNode> nodes = new ArrayList<>();
  private final DataConnections connections =
      new DataConnections(Duration.ofSeconds(2), new Counters<>(NetCounter.class));
  private final ThreadServiceLoop loop = new ThreadServiceLoop("recovery-test");

  @BeforeEach
  void open(@TempDir Path directory) throws VdfsException {
    new Random(22).nextBytes(content);
    for (int number = 1; number <= 3; number++) {
      nodes.add(
          new StoreNode(
              LeaseRecoveryTest.node(number),
              CLUSTER,
              GEOMETRY,
              directory.resolve("node" + number),
              connections,
              this::address));
    }
  }

  @AfterEach
  void close() throws VdfsException {
    for (StoreNode node : nodes) {
      node.close();
    }
    connections.close();
    loop.close();
  }

  private Optional<DataAddress> address(NodeId id) {
    return nodes.stream().filter(node -> node.id.equals(id)).findAny().flatMap(StoreNode::address);
  }

  private String recover() throws Exception {
    NettyReplicaProbe probe =
        new NettyReplicaProbe(
            connections,
            TestPeers.proofs(),
            CLUSTER,
            GEOMETRY,
            this::address,
            Duration.ofSeconds(8),
            ReadPace.AT_ONCE);
    return new LeaseRecovery(
            metadata,
            new RecoverySurroundings(
                probe,
                () -> Optional.of(LeaseRecoveryTest.ring()),
                () -> CompletableFuture.completedFuture(Set.of()),
                GEOMETRY,
                loop,
                Duration.ofSeconds(8)))
        .recover(FILE, metadata.epoch, false)
        .get(30, TimeUnit.SECONDS);
  }

  @Test
  void shouldCloseAtTheLengthThatSoundReplicasHaveThoughOneIsRotten() throws Exception {
    for (StoreNode node : nodes) {
      node.write(FILE, content, 0, 10_000, 1);
    }
    nodes.get(1).rot(content, 5_000);

    recover();
    assertEquals(10_000, metadata.finished.getLength());
    byte[] expected = Arrays.copyOf(content, 10_000);
    assertArrayEquals(expected, nodes.get(0).read(FILE, 10_000));
    assertArrayEquals(expected, nodes.get(2).read(FILE, 10_000));
    assertTrue(metadata.isExcluded(nodes.get(1).id, 0), "the rotten replica still counts");
  }

  private String reasonToWait() {
    ExecutionException failed = assertThrows(ExecutionException.class, this::recover);
    assertTrue(metadata.open);
    return failed.getCause().getMessage();
  }

  @Test
  void shouldMendARottenReplicaFromTheOnlySoundOneThatIsThere() throws Exception {
    for (StoreNode node : nodes) {
      node.write(FILE, content, 0, 10_000, 1);
    }
    nodes.get(1).rot(content, 5_000);
    nodes.get(2).stop();

    recover();
    assertEquals(10_000, metadata.finished.getLength());
    assertArrayEquals(Arrays.copyOf(content, 10_000), nodes.get(1).read(FILE, 10_000));
    assertTrue(metadata.isExcluded(nodes.get(2).id, 0));
    assertFalse(metadata.isExcluded(nodes.get(1).id, 0));
    // the mended copy is what a restart finds
    nodes.get(1).stop();
    nodes.get(1).start();
    assertArrayEquals(Arrays.copyOf(content, 10_000), nodes.get(1).read(FILE, 10_000));
  }

  @Test
  void shouldMakeASecondCopyOnANodeThatWasLeftOut() throws Exception {
    nodes.get(0).write(FILE, content, 0, 10_000, 1);
    byte[] other = new byte[12_000];
    new Random(24).nextBytes(other);
    nodes.get(1).write(FILE, other, 0, other.length, 1);
    leaveOutAllButTheFirst();
    recover();
    assertEquals(10_000, metadata.finished.getLength());
    NodeId restored = WireIds.nodeId(metadata.finished.getRestored(0).getNode());
    StoreNode copied = nodes.stream().filter(node -> node.id.equals(restored)).findAny().get();
    copied.stop();
    copied.start();
    assertEquals(10_000, copied.store().group(FILE, 0).length());
    assertArrayEquals(Arrays.copyOf(content, 10_000), copied.read(FILE, 10_000));
  }

  private void leaveOutAllButTheFirst() {
    for (StoreNode left : nodes.subList(1, 3)) {
      metadata.exclusions.add(
          ExclusionProto.newBuilder()
              .setNode(WireIds.encode(left.id))
              .setFirstGroup(0)
              .setEndGroup(1)
              .build());
    }
  }

  @Test
  void shouldTakeWhatOnlyANodeHasThatWasLeftOut() throws Exception {
    nodes.get(1).write(FILE, content, 0, 10_000, 1);
    leaveOutAllButTheFirst();
    recover();
    assertEquals(10_000, metadata.finished.getLength());
    for (StoreNode node : nodes.subList(0, 2)) {
      node.stop();
      node.start();
      assertArrayEquals(Arrays.copyOf(content, 10_000), node.read(FILE, 10_000));
    }
    assertEquals(nodes.get(1).id, WireIds.nodeId(metadata.finished.getRestored(0).getNode()));
  }

  @Test
  void shouldNotCloseOnTheOneNodeThatIsBack() throws Exception {
    for (StoreNode node : nodes) {
      node.write(FILE, content, 0, 10_000, 1);
      node.stop();
    }
    nodes.get(0).start();
    assertTrue(reasonToWait().contains("too few nodes answer"));
    nodes.get(2).start();
    nodes.get(1).start();
    recover();
    assertEquals(10_000, metadata.finished.getLength());
    assertEquals(0, metadata.finished.getExclusionsCount());
  }

  @Test
  void shouldNotGiveADeadWritersBytesToALaterAppend() throws Exception {
    nodes.get(0).write(FILE, content, 0, 9_000, 1);
    nodes.get(0).stop();
    recover();
    assertEquals(0, metadata.finished.getLength());
    nodes.get(0).start();

    // a later writer dies too, having written on the other two alone
    metadata.reopen();
    byte[] other = new byte[6_000];
    new Random(23).nextBytes(other);
    LeaseBound lease = new LeaseBound(metadata.leaseStart, metadata.leaseEpoch);
    assertEquals(0, nodes.get(0).store().group(FILE, 0, lease).length());
    nodes.get(1).write(FILE, other, 0, other.length, metadata.epoch);
    nodes.get(2).write(FILE, other, 0, other.length, metadata.epoch);
    recover();
    assertEquals(6_000, metadata.finished.getLength());
    assertArrayEquals(other, nodes.get(1).read(FILE, 6_000));
    assertTrue(metadata.isExcluded(nodes.get(0).id, 0), "a copy of other bytes counts");
  }

  @Test
  void shouldRefuseLatePacketsOfAPausedWritersNextGroup() throws Exception {
    int group = (int) GEOMETRY.groupSize();
    for (StoreNode node : nodes) {
      node.write(FILE, content, 0, group, 1);
    }
    StoreNode first = nodes.get(0);
    try (StoreNode.Open paused = first.new Open(FILE, group, 1)) {
      paused.append(content, group, group + 1_000);
      recover();
      assertEquals(group + 1_000, metadata.finished.getLength());
      VdfsException late =
          assertThrows(
              VdfsException.class, () -> paused.append(content, group + 1_000, group + 2_000));
      assertEquals(ErrorCode.FENCED, late.code());
      VdfsException next =
          assertThrows(
              VdfsException.class, () -> first.write(FILE, content, 2 * group, 2 * group + 10, 1));
      assertEquals(ErrorCode.FENCED, next.code());
    } catch (VdfsException closing) {
      assertEquals(ErrorCode.FENCED, closing.code());
    }
    assertArrayEquals(
        Arrays.copyOf(content, group + 1_000),
        nodes.stream()
            .filter(node -> !metadata.isExcluded(node.id, 1))
            .skip(1)
            .findFirst()
            .orElseThrow()
            .read(FILE, group + 1_000));
  }
}
