package io.vdfs.common.cluster;

import io.vdfs.common.error.VdfsException;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.KeeperException;

/** The names of the clusters that share a ZooKeeper and a prefix. */
final class ClusterNames {
  private ClusterNames() {}

  /** Names of formatted clusters, sorted. */
  static List<String> list(ZooKeeperConnection connection, ClusterPaths paths)
      throws VdfsException {
    try {
      List<String> names = new ArrayList<>();
      for (String child : connection.curator().getChildren().forPath(paths.prefix())) {
        if (connection.curator().checkExists().forPath(paths.clusterOf(child)) != null) {
          names.add(child);
        }
      }
      names.sort(null);
      return names;
    } catch (KeeperException.NoNodeException e) {
      return List.of();
    } catch (Exception e) {
      throw connection.failure("list " + paths.prefix(), e);
    }
  }
}
