package io.vdfs.it.attack;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.cluster.ClusterDirectory;
import io.vdfs.common.cluster.ClusterPaths;
import io.vdfs.common.cluster.ZooKeeperSettings;
import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.cluster.record.LiveNode;
import io.vdfs.common.cluster.record.MetadataGroup;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.junit.jupiter.api.function.Executable;

/**
 * Attacks by a peer that reaches ZooKeeper but has no cluster key. How nodes treat records that get
 * there all the same is tested beside the classes that read them.
 */
final class ZooKeeperAttacks {
  private ZooKeeperAttacks() {}

  static List<Attack> all() {
    return List.of(
        new Attack(
            "ZooKeeper: a metadata group that has given up the present one",
            "all members put their logs aside",
            attacked -> withStranger(attacked, ZooKeeperAttacks::replaceTheGroup)),
        new Attack(
            "ZooKeeper: another ring map",
            "clients and nodes looked for all files in other places",
            attacked -> withStranger(attacked, ZooKeeperAttacks::replaceTheRing)),
        new Attack(
            "ZooKeeper: another cluster under the name",
            "nodes exited and advised to empty their disks",
            attacked -> withStranger(attacked, ZooKeeperAttacks::replaceTheCluster)),
        new Attack(
            "ZooKeeper: other processes in the place of nodes",
            "daemons exited, and clients went to the attacker's address",
            attacked -> withStranger(attacked, ZooKeeperAttacks::replaceNodes)),
        new Attack(
            "ZooKeeper: a candidate for the controller's office",
            "ring maps were published no more",
            attacked -> withStranger(attacked, ZooKeeperAttacks::standForElection)),
        new Attack(
            "ZooKeeper: all records deleted, or opened to everybody",
            "the cluster was gone for whoever started next",
            attacked -> withStranger(attacked, ZooKeeperAttacks::deleteAll)));
  }

  /** An attack over a session that can prove nothing. */
  @FunctionalInterface
  private interface Deed {
    void carryOut(AttackedCluster cluster, ClusterPaths paths, CuratorFramework session)
        throws Exception;
  }

  private static void withStranger(AttackedCluster cluster, Deed deed) throws Exception {
    ZooKeeperSettings settings =
        ZooKeeperSettings.of(cluster.cluster().zooKeeperAddress(), "vdfs.zookeeper");
    try (ClusterDirectory stranger =
        ClusterDirectory.open(settings, cluster.cluster().uri().getAuthority())) {
      Map<String, Integer> before = versions(stranger);
      deed.carryOut(cluster, stranger.paths(), stranger.curator());
      assertTrue(before.equals(versions(stranger)), () -> "changed: before=" + before);
    }
  }

  private static Map<String, Integer> versions(ClusterDirectory directory) throws Exception {
    Map<String, Integer> versions = new TreeMap<>();
    for (String path : lasting(directory.paths())) {
      versions.put(path, directory.curator().checkExists().forPath(path).getVersion());
    }
    return versions;
  }

  private static List<String> lasting(ClusterPaths paths) {
    return List.of(
        paths.root(),
        paths.cluster(),
        paths.nodes(),
        paths.ring(),
        paths.metadata(),
        paths.controller());
  }

  private static void assertRefused(Executable change) {
    assertThrows(KeeperException.NoAuthException.class, change);
  }

  private static void replaceTheGroup(
      AttackedCluster cluster, ClusterPaths paths, CuratorFramework session) {
    MetadataMember own = new MetadataMember(new NodeId(UUID.randomUUID()), "192.0.2.1", 9862);
    // the id follows from the cluster's, which any node discloses
    UUID present = UUID.nameUUIDFromBytes(("metadata of " + cluster.clusterId()).getBytes(UTF_8));
    byte[] hostile =
        ClusterCodec.encode(
            new MetadataGroup(UUID.randomUUID(), List.of(own), 9, List.of(present)));
    assertRefused(() -> session.setData().forPath(paths.metadata(), hostile));
  }

  private static void replaceTheRing(
      AttackedCluster cluster, ClusterPaths paths, CuratorFramework session) throws Exception {
    RingMap ring = cluster.ring();
    byte[] hostile =
        RingCodec.encode(
            new RingMap(
                ring.epoch() + 1, ring.replication(), ring.placement(), ring.arcs(), ring.nodes()));
    assertRefused(() -> session.setData().forPath(paths.ring(), hostile));
  }

  private static void replaceTheCluster(
      AttackedCluster cluster, ClusterPaths paths, CuratorFramework session) {
    assertRefused(() -> session.setData().forPath(paths.cluster(), new byte[] {8, 2}));
  }

  private static void replaceNodes(
      AttackedCluster cluster, ClusterPaths paths, CuratorFramework session) throws Exception {
    List<byte[]> records = new ArrayList<>();
    for (RingNode node : cluster.ring().nodes().values()) {
      String path = paths.node(node.id());
      records.add(session.getData().forPath(path));
      byte[] hostile = hostile(node);
      assertRefused(() -> session.setData().forPath(path, hostile));
      assertRefused(() -> session.delete().forPath(path));
    }
    assertFalse(records.isEmpty());
    String foreign = paths.node(new NodeId(UUID.randomUUID()));
    for (CreateMode mode : List.of(CreateMode.EPHEMERAL, CreateMode.PERSISTENT)) {
      assertRefused(() -> session.create().withMode(mode).forPath(foreign, records.get(0)));
    }
  }

  private static byte[] hostile(RingNode node) {
    return ClusterCodec.encode(
        new LiveNode(
            node,
            UUID.randomUUID(),
            Instant.ofEpochMilli(Long.MAX_VALUE / 2),
            Duration.ofDays(1),
            true));
  }

  private static void standForElection(
      AttackedCluster cluster, ClusterPaths paths, CuratorFramework session) throws Exception {
    List<String> candidates = session.getChildren().forPath(paths.controller());
    assertFalse(candidates.isEmpty());
    for (String candidate : candidates) {
      assertRefused(() -> session.delete().forPath(paths.controller() + "/" + candidate));
    }
    assertRefused(
        () ->
            session
                .create()
                .withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
                .forPath(paths.controller() + "/latch-", new byte[0]));
  }

  private static void deleteAll(
      AttackedCluster cluster, ClusterPaths paths, CuratorFramework session) {
    for (String path : List.of(paths.cluster(), paths.ring(), paths.metadata())) {
      assertRefused(() -> session.delete().forPath(path));
    }
    for (String path : lasting(paths)) {
      assertRefused(() -> session.setACL().withACL(ZooDefs.Ids.OPEN_ACL_UNSAFE).forPath(path));
      assertRefused(() -> session.create().forPath(path + "/mine", new byte[0]));
    }
  }
}
