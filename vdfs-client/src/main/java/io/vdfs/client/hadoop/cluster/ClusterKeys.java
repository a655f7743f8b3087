package io.vdfs.client.hadoop.cluster;

/** The keys by which a configuration says where clusters are. Pure. */
final class ClusterKeys {
  /** Of a cluster's own keys; its name and a suffix follow. */
  static final String PREFIX = "fs.vdfs.cluster.";

  static final String ZOOKEEPER_SUFFIX = ".zookeeper";
  static final String NODES_SUFFIX = ".nodes";
  static final String HINTS_SUFFIX = ".node.hints";
  static final String DEFAULT_CLUSTER = "fs.vdfs.default.cluster";
  static final String ROOT = "fs.vdfs.zookeeper.root";

  private ClusterKeys() {}

  /** Where a cluster's ZooKeeper stands. */
  static String zooKeeper(String cluster) {
    return PREFIX + cluster + ZOOKEEPER_SUFFIX;
  }

  /** Where some of a cluster's nodes stand. */
  static String nodes(String cluster) {
    return PREFIX + cluster + NODES_SUFFIX;
  }

  /** The nodes that the client of a job saw. */
  static String hints(String cluster) {
    return PREFIX + cluster + HINTS_SUFFIX;
  }
}
