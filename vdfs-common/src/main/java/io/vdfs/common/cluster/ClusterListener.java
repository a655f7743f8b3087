package io.vdfs.common.cluster;

import io.vdfs.common.cluster.record.ClusterSnapshot;

/** Hears of changes in a cluster. */
@FunctionalInterface
public interface ClusterListener {
  /**
   * Called on the directory's own thread, in the order of the changes; must neither block nor wait
   * for the directory.
   */
  void onChange(ClusterSnapshot snapshot);
}
