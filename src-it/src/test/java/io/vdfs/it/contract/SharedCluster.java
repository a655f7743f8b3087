package io.vdfs.it.contract;

import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.VdfsTestCluster;
import java.io.IOException;

/**
 * The one cluster that the contract suites and the attacks of a JVM use; it ends with the JVM.
 * Thread-safe.
 */
public final class SharedCluster {
  private SharedCluster() {}

  /** Started by the first caller. */
  public static VdfsTestCluster get() {
    return Holder.CLUSTER;
  }

  private static final class Holder {
    static final VdfsTestCluster CLUSTER = start();

    private static VdfsTestCluster start() {
      try {
        VdfsTestCluster cluster = VdfsTestCluster.start(ClusterSpec.small("contract", 3));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(cluster)));
        return cluster;
      } catch (Exception e) {
        throw new IllegalStateException("the cluster does not start", e);
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
