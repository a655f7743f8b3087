package io.vdfs.client.meta;

import io.vdfs.common.cluster.ClusterDirectory;
import io.vdfs.common.cluster.LiveNode;
import io.vdfs.common.cluster.ZooKeeperSettings;
import io.vdfs.common.error.VdfsException;
import java.util.List;

/**
 * Finds the live nodes of a named cluster in ZooKeeper. Connects for each look and no longer, so
 * that thousands of tasks don't each keep a session. Thread-safe.
 */
public final class ZooKeeperFinder implements NodeFinder {
  private final ZooKeeperSettings settings;
  private final String cluster;

  public ZooKeeperFinder(ZooKeeperSettings settings, String cluster) {
    this.settings = settings;
    this.cluster = cluster;
  }

  @Override
  public List<ControlAddress> find() throws VdfsException {
    try (ClusterDirectory directory = ClusterDirectory.open(settings, cluster)) {
      return directory.liveNodes().values().stream()
          .map(LiveNode::node)
          .map(ClusterSnapshot::address)
          .toList();
    }
  }

  @Override
  public String describe() {
    return "ZooKeeper "
        + settings.connect()
        + " (cluster="
        + cluster
        + ", key="
        + settings.connectKey()
        + ")";
  }
}
