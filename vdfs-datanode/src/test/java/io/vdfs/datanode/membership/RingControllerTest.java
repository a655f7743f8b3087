package io.vdfs.datanode.membership;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.cluster.ClusterDirectory;
import io.vdfs.common.cluster.ClusterFormat;
import io.vdfs.common.cluster.ClusterPaths;
import io.vdfs.common.cluster.ZooKeeperSettings;
import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.security.ClusterKey;
import java.io.File;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Checks the controller on a ZooKeeper that lost some of a cluster's records. */
@Timeout(60)
class RingControllerTest {
  private static final ClusterKey SECRET = ClusterKey.generate(new SecureRandom());

  @TempDir Path data;

  private TestingServer server;
  private ClusterDirectory directory;
  private ClusterPaths paths;
  private CuratorFramework curator;
  private RingController controller;

  @BeforeEach
  void format() throws Exception {
    File file = data.toFile();
    server = new TestingServer(new InstanceSpec(file, -1, -1, -1, true, 1, 200, -1), true);
    ZooKeeperSettings settings =
        new ZooKeeperSettings(
            server.getConnectString(),
            "vdfs.zookeeper",
            "/vdfs",
            Duration.ofSeconds(10),
            Duration.ofSeconds(20));
    ClusterFormat.format(settings, "demo", Nodes.properties(2), SECRET, false);
    directory = ClusterDirectory.openAsNode(settings, "demo", SECRET, Optional.empty());
    curator = directory.curator();
    paths = directory.paths();
    controller = new RingController(directory);
    controller.onChange(Nodes.snapshot(2));
    assertNotNull(curator.checkExists().forPath(paths.ring()));
    assertNotNull(curator.checkExists().forPath(paths.metadata()));
  }

  @AfterEach
  void close() throws Exception {
    directory.close();
    server.close();
  }

  @Test
  void shouldNotDealAnewWhereAMetadataGroupSaysThatThereWasARing() throws Exception {
    curator.delete().forPath(paths.ring());
    ClusterSnapshot live = Nodes.snapshot(3);
    controller.onChange(
        new ClusterSnapshot(
            Optional.empty(), live.liveNodes(), directory.snapshot().metadataGroup(), true));
    assertNull(curator.checkExists().forPath(paths.ring()));
  }

  @Test
  void shouldTellNoDamageWhileTheRecordsOfAFoundationArriveOneByOne() throws Exception {
    ClusterSnapshot part =
        new ClusterSnapshot(
            Optional.empty(), Nodes.snapshot(2).liveNodes(), Optional.empty(), true);
    controller.onChange(part);
    assertEquals(Optional.empty(), controller.reported());

    curator.setData().forPath(paths.ring(), new byte[] {1});
    controller.onChange(part);
    assertTrue(controller.reported().orElseThrow().contains("ring map"));
  }

  @Test
  void shouldFoundNothingWhereAllWasLostButTheClustersProperties() throws Exception {
    curator.delete().forPath(paths.ring());
    curator.delete().forPath(paths.metadata());
    controller.onChange(Nodes.snapshot(3));
    assertNull(curator.checkExists().forPath(paths.ring()));
    assertNull(curator.checkExists().forPath(paths.metadata()));
  }

  @Test
  void shouldLeaveTheRingMapToTheMetadataLeaderOnceItIsFounded() throws Exception {
    byte[] founded = curator.getData().forPath(paths.ring());
    ClusterSnapshot moved =
        new ClusterSnapshot(
            Optional.of(RingCodec.decode(directory.records().open(paths.ring(), founded))),
            Map.of(
                Nodes.node(1).id(),
                Nodes.live(Nodes.node(1, 7000), new UUID(1, 1), Duration.ofSeconds(1))),
            directory.snapshot().metadataGroup(),
            true);
    controller.onChange(moved);
    assertArrayEquals(founded, curator.getData().forPath(paths.ring()));
  }
}
