package io.vdfs.datanode.membership;

import io.vdfs.common.cluster.ClusterCodec;
import io.vdfs.common.cluster.ClusterDirectory;
import io.vdfs.common.cluster.ClusterPaths;
import io.vdfs.common.cluster.ClusterSnapshot;
import io.vdfs.common.cluster.MetadataGroup;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import java.util.Optional;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the elected node does: founds the metadata group once, then publishes ring maps. Decisions
 * are made by {@link MetadataGroupBootstrap} and {@link RingPolicy} on what the directory shows,
 * and made again on what ZooKeeper holds before a map is written. Confined to the thread of the
 * membership.
 */
final class RingController {
  private static final Logger LOG = LoggerFactory.getLogger(RingController.class);

  private final CuratorFramework curator;
  private final ClusterPaths paths;
  private final RingPolicy ringPolicy;
  private final MetadataGroupBootstrap metadataBootstrap;

  RingController(ClusterDirectory directory) {
    this.curator = directory.curator();
    this.paths = directory.paths();
    this.ringPolicy = new RingPolicy(directory.properties());
    this.metadataBootstrap = new MetadataGroupBootstrap(directory.properties());
  }

  /**
   * Brings ZooKeeper in line with the snapshot. Losing a race against another controller is no
   * failure: its change arrives as the next snapshot.
   */
  void onChange(ClusterSnapshot snapshot) throws Exception {
    Optional<MetadataGroup> foundation = metadataBootstrap.foundation(snapshot);
    if (foundation.isPresent()) {
      found(foundation.get());
    }
    if (ringPolicy.successor(snapshot.ringMap(), snapshot.liveRingNodes()).isPresent()) {
      publish(snapshot);
    }
  }

  private void found(MetadataGroup group) throws Exception {
    if (curator.checkExists().forPath(paths.ring()) != null) {
      return;
    }
    try {
      curator.create().forPath(paths.metadata(), ClusterCodec.encode(group));
      LOG.info("Founded the metadata group: {}", group);
    } catch (KeeperException.NodeExistsException e) {
      LOG.debug("Another controller founded the metadata group", e);
    }
  }

  private void publish(ClusterSnapshot snapshot) throws Exception {
    Stat stat = new Stat();
    Optional<RingMap> current = read(stat);
    Optional<RingMap> next = ringPolicy.successor(current, snapshot.liveRingNodes());
    if (next.isEmpty()) {
      return;
    }
    byte[] data = RingCodec.encode(next.get());
    try {
      if (current.isPresent()) {
        curator.setData().withVersion(stat.getVersion()).forPath(paths.ring(), data);
      } else {
        curator.create().forPath(paths.ring(), data);
      }
      LOG.info(
          "Published a ring map: epoch={}, nodes={}, replication={}, rackViolations={}",
          next.get().epoch(),
          next.get().nodes().values(),
          next.get().replication(),
          next.get().rackViolations().size());
    } catch (KeeperException.BadVersionException | KeeperException.NodeExistsException e) {
      LOG.debug("Another controller published a ring map", e);
    }
  }

  private Optional<RingMap> read(Stat stat) throws Exception {
    try {
      return Optional.of(
          RingCodec.decode(curator.getData().storingStatIn(stat).forPath(paths.ring())));
    } catch (KeeperException.NoNodeException e) {
      return Optional.empty();
    }
  }
}
