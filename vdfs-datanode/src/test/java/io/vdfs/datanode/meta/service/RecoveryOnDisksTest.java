package io.vdfs.datanode.meta.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.datanode.transfer.NettyReplicaProbe;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
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
              connections));
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
        new NettyReplicaProbe(connections, CLUSTER, GEOMETRY, this::address, Duration.ofSeconds(8));
    return new LeaseRecovery(
            metadata,
            new LeaseRecovery.Surroundings(
                probe,
                () -> Optional.of(LeaseRecoveryTest.ring()),
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
}
