package io.vdfs.it.quickstart;

import io.vdfs.common.cluster.ClusterDirectory;
import io.vdfs.common.cluster.ClusterFormat;
import io.vdfs.common.cluster.ZooKeeperSettings;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.security.ClusterKey;
import io.vdfs.common.security.ClusterKeyFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/**
 * The DataNodes, each a process started by {@code bin/vdfs-daemon}. Confined to the main thread.
 */
final class DataNodes {
  /** Name of the cluster: {@code vdfs://quickstart/}. */
  static final String CLUSTER = "quickstart";

  private static final Duration START_LIMIT = Duration.ofMinutes(2);
  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final String JVM_OPTIONS =
      "-Xmx320m -XX:MaxDirectMemorySize=160m -XX:+UseSerialGC -XX:+ExitOnOutOfMemoryError";

  private final Children children;
  private final ZooKeeperSettings zooKeeper;
  private final List<NodeHost> hosts;
  private final List<Process> processes = new ArrayList<>();

  private DataNodes(Children children, ZooKeeperSettings zooKeeper, List<NodeHost> hosts) {
    this.children = children;
    this.zooKeeper = zooKeeper;
    this.hosts = hosts;
  }

  /**
   * Formats the cluster and launches the daemons; {@link #awaitServing} waits for them.
   *
   * @param cores that each node publishes
   */
  static DataNodes launch(
      RunDirectory run, Children children, List<NodeHost> hosts, String zooKeeper, int cores)
      throws IOException {
    ZooKeeperSettings settings = ZooKeeperSettings.of(zooKeeper, "vdfs.zookeeper");
    ClusterKey key = ClusterKey.generate(new SecureRandom());
    new ClusterKeyFile(run.clusterKey()).create(key);
    ClusterFormat.format(settings, CLUSTER, properties(hosts.size()), key, false);
    DataNodes nodes = new DataNodes(children, settings, hosts);
    for (int node = 1; node <= hosts.size(); node++) {
      Path conf = Files.createDirectories(run.dataNodeConf(node));
      Path data = Files.createDirectories(run.dataNodeData(node));
      SiteFiles.write(
          conf.resolve("vdfs-site.xml"),
          site(hosts.get(node - 1), run.clusterKey(), zooKeeper, cores, data));
      Files.copy(VdfsInstallation.file("conf/log4j.properties"), conf.resolve("log4j.properties"));
      nodes.launch(node, conf);
    }
    return nodes;
  }

  private static ClusterProperties properties(int nodes) {
    return new ClusterProperties(
        UUID.randomUUID(),
        ClusterGeometry.DEFAULT,
        ClusterProperties.DEFAULT_REPLICATION,
        nodes,
        0,
        System.getProperty("user.name"),
        "supergroup",
        // small files are to become logical splits, too
        ClusterGeometry.DEFAULT.blockSize(),
        Placement.TURN);
  }

  private static Map<String, String> site(
      NodeHost host, Path clusterKey, String zooKeeper, int cores, Path data) {
    Map<String, String> site = new TreeMap<>();
    site.put("vdfs.cluster.name", CLUSTER);
    site.put("vdfs.cluster.key.file", clusterKey.toString());
    site.put("vdfs.zookeeper", zooKeeper);
    site.put("vdfs.node.host", host.name());
    site.put("vdfs.node.bind.address", host.address());
    site.put("vdfs.node.cores", Integer.toString(cores));
    site.put("vdfs.data.dirs", data.toString());
    site.put("vdfs.volume.reserve", "64m");
    site.put("vdfs.control.port", "0");
    site.put("vdfs.data.port", "0");
    site.put("vdfs.raft.port", "0");
    return site;
  }

  private void launch(int node, Path conf) throws IOException {
    List<String> command =
        List.of(VdfsInstallation.script("bin/vdfs-daemon"), "--conf", conf.toString());
    processes.add(children.start(logName(node), command, Map.of("VDFS_DAEMON_OPTS", JVM_OPTIONS)));
  }

  /**
   * Waits until all nodes are alive, the ring map is published and the metadata group is founded.
   *
   * @throws QuickstartException if a daemon ends, or all this takes too long
   */
  void awaitServing(Screen screen) throws QuickstartException, IOException {
    long start = System.nanoTime();
    try (ClusterDirectory directory = ClusterDirectory.open(zooKeeper, CLUSTER)) {
      while (!isServing(directory.snapshot())) {
        checkAlive();
        int live = directory.liveNodes().size();
        String state = live + " of " + processes.size() + " DataNodes are up";
        if (System.nanoTime() - start > START_LIMIT.toNanos()) {
          throw new QuickstartException(state + " after " + START_LIMIT.toSeconds() + " s");
        }
        screen.progress(state);
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }

  private boolean isServing(ClusterSnapshot cluster) {
    return cluster.liveNodes().size() == processes.size()
        && cluster.ringMap().isPresent()
        && cluster.metadataGroup().isPresent();
  }

  /**
   * @throws QuickstartException with the last words of a daemon that has ended
   */
  void checkAlive() throws QuickstartException, IOException {
    for (int node = 1; node <= processes.size(); node++) {
      Process process = processes.get(node - 1);
      if (!process.isAlive()) {
        List<String> lines = children.lines(logName(node));
        throw new QuickstartException(
            "DataNode "
                + node
                + " ended: exit code="
                + process.exitValue()
                + ", last line="
                + (lines.isEmpty() ? "" : lines.get(lines.size() - 1)));
      }
    }
  }

  /**
   * Ends a daemon with SIGKILL.
   *
   * @param node from 1 on
   * @return its host
   */
  String kill(int node) throws InterruptedException {
    processes.get(node - 1).destroyForcibly().waitFor();
    return hosts.get(node - 1).name();
  }

  private static String logName(int node) {
    return "datanode" + node;
  }
}
