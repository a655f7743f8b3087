package io.vdfs.it.cluster;

import io.vdfs.common.model.ClusterGeometry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * How a cluster is to be set up. Immutable.
 *
 * @param name as in {@code vdfs://NAME/}
 * @param hosts one for each node, by the names that YARN would use
 * @param cores that each node publishes
 * @param minimumSplitBytes least input of a job that is worth a logical split
 * @param volumes of each node
 * @param zooKeeper addresses of a ZooKeeper that runs; empty if the cluster has one of its own
 * @param nodeProperties more {@code vdfs.*} keys for all nodes
 */
public record ClusterSpec(
    String name,
    List<String> hosts,
    ClusterGeometry geometry,
    int cores,
    long minimumSplitBytes,
    int volumes,
    Optional<String> zooKeeper,
    Map<String, String> nodeProperties) {
  /** Blocks of 256 KiB in groups of four: a few megabytes spread over all nodes. */
  public static final ClusterGeometry SMALL = new ClusterGeometry(256 << 10, 4, 16 << 10, 2520);

  static final int REPLICATION = 3;
  static final Duration SESSION_TIMEOUT = Duration.ofSeconds(6);

  public ClusterSpec {
    hosts = List.copyOf(hosts);
    nodeProperties = Map.copyOf(nodeProperties);
  }

  /** A cluster with one volume for each node, and a ZooKeeper of its own. */
  public ClusterSpec(
      String name,
      List<String> hosts,
      ClusterGeometry geometry,
      int cores,
      long minimumSplitBytes,
      Map<String, String> nodeProperties) {
    this(name, hosts, geometry, cores, minimumSplitBytes, 1, Optional.empty(), nodeProperties);
  }

  /** A cluster of the small geometry on this machine's loopback addresses from 127.0.0.1 on. */
  public static ClusterSpec small(String name, int nodes) {
    return new ClusterSpec(name, LoopbackHosts.first(nodes), SMALL, 1, 4L << 20, Map.of());
  }

  /** The same cluster with the sizes that a cluster has by default. */
  public ClusterSpec withDefaultGeometry() {
    return new ClusterSpec(
        name,
        hosts,
        ClusterGeometry.DEFAULT,
        cores,
        128L << 20,
        volumes,
        zooKeeper,
        nodeProperties);
  }

  /** The same cluster with so many volumes at each node. */
  public ClusterSpec withVolumes(int count) {
    return new ClusterSpec(
        name, hosts, geometry, cores, minimumSplitBytes, count, zooKeeper, nodeProperties);
  }

  /** The same cluster with nodes at other addresses of this machine. */
  public ClusterSpec withHosts(List<String> others) {
    return new ClusterSpec(
        name, others, geometry, cores, minimumSplitBytes, volumes, zooKeeper, nodeProperties);
  }

  /** The same cluster in a ZooKeeper that runs. */
  public ClusterSpec withZooKeeper(String addresses) {
    return new ClusterSpec(
        name,
        hosts,
        geometry,
        cores,
        minimumSplitBytes,
        volumes,
        Optional.of(addresses),
        nodeProperties);
  }

  /**
   * The same cluster for faults of up to a minute on a busy machine: no node loses its place
   * meanwhile, elections have time, and what a fault left behind is copied quickly.
   */
  public ClusterSpec patient() {
    return with("vdfs.metadata.election.timeout.min", "2s")
        .with("vdfs.metadata.election.timeout.max", "4s")
        .with("vdfs.node.missing.after", "60s")
        .with("vdfs.node.replace.after", "120s")
        .with("vdfs.mass.loss.after", "120s")
        .with("vdfs.repair.rate", "256m");
  }

  /** The same cluster with another setting of all nodes. */
  public ClusterSpec with(String key, String value) {
    Map<String, String> properties = new TreeMap<>(nodeProperties);
    properties.put(key, value);
    return new ClusterSpec(
        name, hosts, geometry, cores, minimumSplitBytes, volumes, zooKeeper, properties);
  }

  /** Numbers of the nodes, from 0. */
  public List<Integer> nodes() {
    return IntStream.range(0, hosts.size()).boxed().toList();
  }
}
