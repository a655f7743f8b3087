package io.vdfs.it.contract;

import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.VdfsTestCluster;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.Groups;

/**
 * The VDFS cluster behind {@link PairedFileSystem}, which knows the groups of the users in HDFS'
 * own suites. It ends with the JVM. Thread-safe.
 */
final class PairedCluster {
  private static final String GROUPS =
      "bruce=;diana=;super=supergroup;bob=groupY,groupZ;user=mygroup;";

  private PairedCluster() {}

  /** Started by the first caller. */
  static VdfsTestCluster get() {
    return Holder.CLUSTER;
  }

  /** Removes what another suite left. */
  static void empty() throws IOException {
    try (FileSystem vdfs = get().newFileSystem()) {
      for (FileStatus entry : vdfs.listStatus(new Path("/"))) {
        vdfs.delete(entry.getPath(), true);
      }
    }
  }

  /** Makes HDFS' clients pairs of a client of HDFS and one of VDFS. */
  static void pair(Configuration conf) {
    get().clientProperties().forEach(conf::set);
    conf.setClass("fs.hdfs.impl", PairedFileSystem.class, PairedFileSystem.class);
  }

  private static final class Holder {
    static final VdfsTestCluster CLUSTER = start();

    private static VdfsTestCluster start() {
      Configuration conf = new Configuration();
      conf.set("hadoop.user.group.static.mapping.overrides", GROUPS);
      Groups.getUserToGroupsMappingServiceWithLoadedConfiguration(conf);
      try {
        VdfsTestCluster cluster = VdfsTestCluster.start(ClusterSpec.small("paired", 3));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(cluster)));
        return cluster;
      } catch (Exception e) {
        throw new IllegalStateException("the cluster does not start", e);
      } finally {
        Groups.getUserToGroupsMappingServiceWithLoadedConfiguration(new Configuration());
      }
    }

    private static void close(VdfsTestCluster cluster) {
      try {
        cluster.close();
      } catch (IOException e) {
        System.err.println("the cluster does not end: " + e);
      }
    }
  }
}
