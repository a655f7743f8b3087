package io.vdfs.it.input;

import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.VdfsTestCluster;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.net.DNSToSwitchMapping;

/**
 * The one cluster that the tests of this package use: three nodes of four cores, blocks of 256 KiB,
 * and a task for as little as two blocks. It ends with the JVM. Thread-safe.
 */
final class InputCluster {
  static final ClusterSpec SPEC =
      new ClusterSpec(
          "input",
          ClusterSpec.small("input", 3).hosts(),
          ClusterSpec.SMALL,
          4,
          512 << 10,
          java.util.Map.of());

  private static final VdfsTestCluster CLUSTER = start();

  private InputCluster() {}

  /**
   * A job's configuration, with the cluster as its default filesystem. The first node is this
   * machine's, and the last one is in another rack.
   */
  static Configuration configuration() {
    Configuration conf = CLUSTER.configuration();
    conf.set("net.topology.node.switch.mapping.impl", LastNodeElsewhere.class.getName());
    return conf;
  }

  /** The rack of each host. */
  public static final class LastNodeElsewhere implements DNSToSwitchMapping {
    @Override
    public List<String> resolve(List<String> names) {
      String last = SPEC.hosts().get(SPEC.hosts().size() - 1);
      return names.stream().map(name -> name.equals(last) ? "/there" : "/here").toList();
    }

    @Override
    public void reloadCachedMappings() {
      // nothing is cached
    }

    @Override
    public void reloadCachedMappings(List<String> names) {
      // nothing is cached
    }
  }

  /** The caller closes it. */
  static FileSystem newFileSystem() throws IOException {
    return CLUSTER.newFileSystem();
  }

  private static VdfsTestCluster start() {
    try {
      VdfsTestCluster cluster = VdfsTestCluster.start(SPEC);
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
