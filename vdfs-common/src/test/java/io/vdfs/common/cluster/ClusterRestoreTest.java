package io.vdfs.common.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.cluster.record.ClusterCopy;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.cluster.record.MetadataGroup;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.ring.RingPlanner;
import io.vdfs.common.security.ClusterKey;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.curator.framework.CuratorFramework;
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

  private static final ClusterKey SECRET = ClusterKey.generate(new SecureRandom());

  private final ClusterPaths paths = paths();
  private TestingServer server;
  private ZooKeeperConnection connection;
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
    return new ClusterProperties(
        id, geometry, 3, 1, 0, "vdfs", "supergroup", 1 << 20, Placement.TURN);
  }

  @BeforeEach
  void startServer() throws Exception {
    server = new TestingServer(true);
    connection = ZooKeeperConnection.open(settings(), Optional.of(SECRET));
    curator = connection.curator();
  }

  @AfterEach
  void stopServer() throws IOException {
    connection.close();
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
    return ClusterRestore.restore(
        settings(), "demo", new ClusterCopy(PROPERTIES, ring, group), SECRET, false);
  }

  private byte[] shown(String path) throws Exception {
    return SignedRecords.by(SECRET).open(path, curator.getData().forPath(path));
  }

  private void assertShown(RingMap ring, MetadataGroup group) throws Exception {
    byte[] cluster = shown(paths.cluster());
    assertEquals(PROPERTIES, ClusterCodec.decodeProperties(cluster));
    assertTrue(ClusterCodec.isFounded(cluster));
    assertEquals(ring, RingCodec.decode(shown(paths.ring())));
    assertEquals(group, ClusterCodec.decodeMetadataGroup(shown(paths.metadata())));
    assertEquals(List.of(), curator.getChildren().forPath(paths.nodes()));
  }

  @Test
  void shouldGiveBackAllThatWasLost() throws Exception {
    assertEquals(3, restore(NEXT_RING, NEXT_GROUP).size());
    assertShown(NEXT_RING, NEXT_GROUP);
    assertEquals(List.of(), restore(NEXT_RING, NEXT_GROUP), "a second time");
    try (ClusterDirectory directory =
        ClusterDirectory.openAsNode(settings(), "demo", SECRET, Optional.empty())) {
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
    ClusterFormat.format(settings(), "demo", other, SECRET, false);
    VdfsException e = assertThrows(VdfsException.class, () -> restore(RING, GROUP));
    assertEquals(ErrorCode.MISCONFIGURED, e.code());
    assertTrue(e.getMessage().contains(other.clusterId().toString()), e.getMessage());
    assertTrue(e.getMessage().contains(PROPERTIES.clusterId().toString()), e.getMessage());
    assertTrue(e.getMessage().contains("--replace"), e.getMessage());
    byte[] cluster = shown(paths.cluster());
    assertEquals(other, ClusterCodec.decodeProperties(cluster));
    assertNull(curator.checkExists().forPath(paths.ring()));
  }

  @Test
  void shouldRefuseWhatContradictsTheCopy() throws Exception {
    restore(NEXT_RING, NEXT_GROUP);
    RingMap foreign = new RingMap(2, 1, Placement.TURN, RING.arcs(), RING.nodes());
    VdfsException ring = assertThrows(VdfsException.class, () -> restore(foreign, GROUP));
    assertTrue(ring.getMessage().contains("epoch=2"), ring.getMessage());
    MetadataGroup unrelated = new MetadataGroup(new UUID(8, 8), GROUP.members());
    VdfsException group = assertThrows(VdfsException.class, () -> restore(RING, unrelated));
    assertTrue(group.getMessage().contains(unrelated.groupId().toString()), group.getMessage());
    assertShown(NEXT_RING, NEXT_GROUP);
  }

  @Test
  void shouldMarkAClusterOfTheSameIdAsFounded() throws Exception {
    ClusterFormat.format(settings(), "demo", PROPERTIES, SECRET, false);
    assertFalse(ClusterCodec.isFounded(shown(paths.cluster())));
    restore(RING, GROUP);
    assertShown(RING, GROUP);
  }

  @Test
  void shouldNotFormatOverWhatIsLeftOfACluster() throws Exception {
    restore(RING, GROUP);
    curator.delete().forPath(paths.cluster());
    VdfsException opened =
        assertThrows(
            VdfsException.class,
            () -> ClusterDirectory.openAsNode(settings(), "demo", SECRET, Optional.empty()));
    assertEquals(ErrorCode.NOT_FOUND, opened.code());
    assertTrue(opened.getMessage().contains("cluster-restore"), opened.getMessage());
    ClusterProperties other = properties(new UUID(9, 9));
    VdfsException e =
        assertThrows(
            VdfsException.class,
            () -> ClusterFormat.format(settings(), "demo", other, SECRET, false));
    assertEquals(ErrorCode.ALREADY_EXISTS, e.code());
    assertTrue(e.getMessage().contains("cluster-restore"), e.getMessage());
    assertNull(curator.checkExists().forPath(paths.cluster()));
    ClusterFormat.format(settings(), "demo", other, SECRET, true);
    assertNull(curator.checkExists().forPath(paths.ring()));
    assertNull(curator.checkExists().forPath(paths.metadata()));
  }

  @Test
  void shouldReplaceAnUnsignedRecordAsIfItWereLost() throws Exception {
    restore(RING, GROUP);
    MetadataGroup hostile =
        new MetadataGroup(new UUID(6, 6), GROUP.members(), 99, List.of(GROUP.groupId()));
    assertEquals(
        1, curator.setData().forPath(paths.metadata(), ClusterCodec.encode(hostile)).getVersion());
    assertEquals(1, curator.setData().forPath(paths.ring(), RingCodec.encode(RING)).getVersion());
    assertEquals(2, restore(RING, GROUP).size());
    assertShown(RING, GROUP);
  }

  /** It may be another cluster's, whose key is not this one's. */
  @Test
  void shouldNotReplaceAnUnsignedCluster() throws Exception {
    restore(RING, GROUP);
    byte[] forged = ClusterCodec.encode(PROPERTIES);
    assertEquals(1, curator.setData().forPath(paths.cluster(), forged).getVersion());
    VdfsException e = assertThrows(VdfsException.class, () -> restore(RING, GROUP));
    assertEquals(ErrorCode.MISCONFIGURED, e.code());
    assertTrue(e.getMessage().contains("--replace"), e.getMessage());
    assertArrayEquals(forged, curator.getData().forPath(paths.cluster()));
  }

  @Test
  void shouldReplaceAnotherClusterWhereTheOperatorSaysSo() throws Exception {
    ClusterProperties other = properties(new UUID(9, 9));
    ClusterFormat.format(settings(), "demo", other, SECRET, false);
    ClusterCopy copy = new ClusterCopy(PROPERTIES, RING, GROUP);
    String living = paths.nodes() + "/living";
    assertEquals(living, curator.create().forPath(living, new byte[0]));
    VdfsException alive =
        assertThrows(
            VdfsException.class,
            () -> ClusterRestore.restore(settings(), "demo", copy, SECRET, true));
    assertEquals(ErrorCode.ALREADY_EXISTS, alive.code(), alive.getMessage());
    assertEquals(other, ClusterCodec.decodeProperties(shown(paths.cluster())));

    curator.delete().forPath(living);
    assertEquals(4, ClusterRestore.restore(settings(), "demo", copy, SECRET, true).size());
    assertShown(RING, GROUP);
    assertEquals(List.of(), ClusterRestore.restore(settings(), "demo", copy, SECRET, true));
  }
}
