package io.vdfs.common.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.ring.RingPlanner;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ClusterRestoreTest {
  private static final ClusterProperties PROPERTIES = properties(new UUID(1, 1));
  private static final RingNode NODE =
      new RingNode(new NodeId(new UUID(0, 1)), "host-1", 1, 2, 3, 0, "/r", 2, 1);
  private static final RingMap RING =
      RingPlanner.plan(Optional.empty(), List.of(NODE), 3, 60).map();
  private static final RingMap NEXT_RING =
      RING.withAddresses(List.of(new RingNode(NODE.id(), "host-2", 1, 2, 3, 0, "/r", 2, 1)));
  private static final MetadataGroup GROUP =
      new MetadataGroup(new UUID(2, 2), List.of(MetadataMember.of(NODE)));
  private static final MetadataGroup NEXT_GROUP = GROUP.withMembers(GROUP.members(), 7);
  private static final MetadataGroup RECOVERED =
      new MetadataGroup(new UUID(3, 3), GROUP.members(), 9, List.of(GROUP.groupId()));

  private final ClusterPaths paths = paths();
  private TestingServer server;
  private CuratorFramework curator;

  private static ClusterPaths paths() {
    try {
      return ClusterPaths.of("/vdfs", "demo");
    } catch (VdfsException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ClusterProperties properties(UUID id) {
    ClusterGeometry geometry = new ClusterGeometry(1 << 16, 4, 1 << 12, 60);
    return new ClusterProperties(id, geometry, 3, 1, 0, "vdfs", "supergroup", 1 << 20);
  }

  @BeforeEach
  void startServer() throws Exception {
    server = new TestingServer(true);
    curator = CuratorFrameworkFactory.newClient(server.getConnectString(), new RetryOneTime(100));
    curator.start();
  }

  @AfterEach
  void stopServer() throws IOException {
    curator.close();
    server.close();
  }

  private ZooKeeperSettings settings() {
    return new ZooKeeperSettings(
        server.getConnectString(),
        "vdfs.zookeeper",
        "/vdfs",
        Duration.ofSeconds(20),
        Duration.ofSeconds(20));
  }

  private List<String> restore(RingMap ring, MetadataGroup group) throws VdfsException {
    return ClusterRestore.restore(settings(), "demo", new ClusterCopy(PROPERTIES, ring, group));
  }

  private void assertShown(RingMap ring, MetadataGroup group) throws Exception {
    byte[] cluster = curator.getData().forPath(paths.cluster());
    assertEquals(PROPERTIES, ClusterCodec.decodeProperties(cluster));
    assertTrue(ClusterCodec.isFounded(cluster));
    assertEquals(ring, RingCodec.decode(curator.getData().forPath(paths.ring())));
    assertEquals(
        group, ClusterCodec.decodeMetadataGroup(curator.getData().forPath(paths.metadata())));
    assertEquals(List.of(), curator.getChildren().forPath(paths.nodes()));
  }

  @Test
  void shouldGiveBackAllThatWasLost() throws Exception {
    assertEquals(3, restore(NEXT_RING, NEXT_GROUP).size());
    assertShown(NEXT_RING, NEXT_GROUP);
    assertEquals(List.of(), restore(NEXT_RING, NEXT_GROUP), "a second time");
    try (ClusterDirectory directory = ClusterDirectory.open(settings(), "demo")) {
      assertEquals(Optional.of(NEXT_RING), directory.ringMap());
      assertEquals(Optional.of(NEXT_GROUP), directory.metadataGroup());
      assertTrue(directory.snapshot().founded());
    }
  }

  @Test
  void shouldEndWithTheNewestOfAllCopiesInAnyOrder() throws Exception {
    restore(RING, NEXT_GROUP);
    assertEquals(
        List.of("ring map, epoch=2"), restore(NEXT_RING, GROUP), "the group there is newer");
    assertShown(NEXT_RING, NEXT_GROUP);
    assertEquals(List.of(), restore(RING, GROUP));
    assertShown(NEXT_RING, NEXT_GROUP);
    assertEquals(1, restore(RING, RECOVERED).size());
    assertShown(NEXT_RING, RECOVERED);
    assertEquals(List.of(), restore(RING, NEXT_GROUP), "of a group that was given up");
    assertShown(NEXT_RING, RECOVERED);
  }

  @Test
  void shouldRefuseWhileAnotherClusterStandsThere() throws Exception {
    ClusterProperties other = properties(new UUID(9, 9));
    ClusterFormat.format(settings(), "demo", other, false);
    VdfsException e = assertThrows(VdfsException.class, () -> restore(RING, GROUP));
    assertEquals(ErrorCode.MISCONFIGURED, e.code());
    assertTrue(e.getMessage().contains(other.clusterId().toString()), e.getMessage());
    assertTrue(e.getMessage().contains(PROPERTIES.clusterId().toString()), e.getMessage());
    assertTrue(e.getMessage().contains("delete that path"), e.getMessage());
    byte[] cluster = curator.getData().forPath(paths.cluster());
    assertEquals(other, ClusterCodec.decodeProperties(cluster));
    assertNull(curator.checkExists().forPath(paths.ring()));
  }

  @Test
  void shouldRefuseWhatContradictsTheCopy() throws Exception {
    restore(NEXT_RING, NEXT_GROUP);
    RingMap foreign = new RingMap(2, 1, RING.arcs(), RING.nodes());
    VdfsException ring = assertThrows(VdfsException.class, () -> restore(foreign, GROUP));
    assertTrue(ring.getMessage().contains("epoch=2"), ring.getMessage());
    MetadataGroup unrelated = new MetadataGroup(new UUID(8, 8), GROUP.members());
    VdfsException group = assertThrows(VdfsException.class, () -> restore(RING, unrelated));
    assertTrue(group.getMessage().contains(unrelated.groupId().toString()), group.getMessage());
    assertShown(NEXT_RING, NEXT_GROUP);
  }

  @Test
  void shouldMarkAClusterOfTheSameIdAsFounded() throws Exception {
    ClusterFormat.format(settings(), "demo", PROPERTIES, false);
    assertFalse(ClusterCodec.isFounded(curator.getData().forPath(paths.cluster())));
    restore(RING, GROUP);
    assertShown(RING, GROUP);
  }

  @Test
  void shouldNotFormatOverWhatIsLeftOfACluster() throws Exception {
    restore(RING, GROUP);
    curator.delete().forPath(paths.cluster());
    VdfsException opened =
        assertThrows(VdfsException.class, () -> ClusterDirectory.open(settings(), "demo"));
    assertEquals(ErrorCode.NOT_FOUND, opened.code());
    assertTrue(opened.getMessage().contains("cluster-restore"), opened.getMessage());
    ClusterProperties other = properties(new UUID(9, 9));
    VdfsException e =
        assertThrows(
            VdfsException.class, () -> ClusterFormat.format(settings(), "demo", other, false));
    assertEquals(ErrorCode.ALREADY_EXISTS, e.code());
    assertTrue(e.getMessage().contains("cluster-restore"), e.getMessage());
    assertNull(curator.checkExists().forPath(paths.cluster()));
    ClusterFormat.format(settings(), "demo", other, true);
    assertNull(curator.checkExists().forPath(paths.ring()));
    assertNull(curator.checkExists().forPath(paths.metadata()));
  }
}
