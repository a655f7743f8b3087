package io.vdfs.common.cluster;

import io.vdfs.common.error.VdfsException;
import java.util.ArrayList;
import java.util.List;

/** The names of the clusters that share a ZooKeeper and a prefix. */
final class ClusterNames {
  private ClusterNames() {}

  /** Names of formatted clusters, sorted. */
  static List<String> list(ZnodeReader znodes, ClusterPaths paths) throws VdfsException {
    List<String> names = new ArrayList<>();
    for (String child : znodes.children(paths.prefix()).orElse(List.of())) {
      if (znodes.exists(paths.clusterOf(child))) {
        names.add(child);
      }
    }
    names.sort(null);
    return names;
  }
}
