package io.vdfs.it.cluster;

import io.vdfs.client.hadoop.VdfsAbstractFileSystem;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.common.cluster.ClusterDirectory;
import io.vdfs.common.cluster.ClusterFormat;
import io.vdfs.common.cluster.ClusterPaths;
import io.vdfs.common.cluster.ZooKeeperSettings;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.cluster.record.LiveNode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.security.ClusterKey;
import io.vdfs.common.security.ClusterKeyFile;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.curator.test.TestingServer;
import org.apache.curator.utils.ZKPaths;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/**
 * What nodes need, however they run: ZooKeeper, a formatted cluster in it, directories, and the
 * settings of nodes and clients. Confined to the thread that started it.
 */
final class ClusterGround implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofSeconds(100);

  /** Where clusters are in ZooKeeper unless a node is configured otherwise. */
  private static final String ROOT = "/vdfs";

  private final ClusterSpec spec;
  private final WorkDirectory directory;
  private Optional<TestingServer> zooKeeper;
  private int wipes;

  private ClusterGround(
      ClusterSpec spec, WorkDirectory directory, Optional<TestingServer> zooKeeper) {
    this.spec = spec;
    this.directory = directory;
    this.zooKeeper = zooKeeper;
  }

  /**
   * Makes the data directories, in which no group may rename a segment, and a cluster key, and
   * starts ZooKeeper unless one is given.
   */
  static ClusterGround start(ClusterSpec spec) throws Exception {
    WorkDirectory directory = WorkDirectory.create(spec.name());
    for (int node = 0; node < spec.hosts().size(); node++) {
      directory.directory(dataName(node));
      for (Path volume : volumes(spec, directory, node)) {
        directory.directory(directory.path().relativize(volume).toString());
      }
    }
    new ClusterKeyFile(keyFile(directory)).create(ClusterKey.generate(new SecureRandom()));
    Optional<TestingServer> zooKeeper =
        spec.zooKeeper().isPresent()
            ? Optional.empty()
            : Optional.of(new TestingServer(-1, directory.directory("zookeeper").toFile()));
    return new ClusterGround(spec, directory, zooKeeper);
  }

  /** Writes the cluster into ZooKeeper. */
  void format() throws IOException {
    int nodes = spec.hosts().size();
    ClusterProperties properties =
        new ClusterProperties(
            UUID.randomUUID(),
            spec.geometry(),
            ClusterSpec.REPLICATION,
            nodes,
            0,
            System.getProperty("user.name"),
            "supergroup",
            spec.minimumSplitBytes(),
            Placement.TURN);
    ClusterFormat.format(zooKeeperSettings(), spec.name(), properties, clusterKey(), false);
  }

  /** Deletes all data in ZooKeeper, which is back at its address when this returns. */
  void wipeZooKeeper() throws Exception {
    int port = ownZooKeeper().getPort();
    ownZooKeeper().close();
    wipes++;
    zooKeeper =
        Optional.of(new TestingServer(port, directory.directory("zookeeper-" + wipes).toFile()));
  }

  /** Ends ZooKeeper and starts it again, at its address and with its data. */
  void restartZooKeeper() throws Exception {
    ownZooKeeper().restart();
  }

  private TestingServer ownZooKeeper() {
    return zooKeeper.orElseThrow(
        () -> new IllegalStateException("not this cluster's own: ZooKeeper=" + spec.zooKeeper()));
  }

  /** Deletes a znode of the cluster and all below it; with an empty name all of the cluster. */
  void deleteZnode(String name) throws Exception {
    try (ClusterDirectory cluster = asNode()) {
      ZKUtil.deleteRecursive(
          cluster.curator().getZookeeperClient().getZooKeeper(),
          ZKPaths.makePath(cluster.paths().root(), name));
    }
  }

  private ClusterDirectory asNode() throws VdfsException {
    return ClusterDirectory.openAsNode(
        zooKeeperSettings(), spec.name(), clusterKey(), Optional.empty());
  }

  ClusterSpec spec() {
    return spec;
  }

  WorkDirectory directory() {
    return directory;
  }

  String zooKeeperAddress() {
    return spec.zooKeeper().orElseGet(() -> ownZooKeeper().getConnectString());
  }

  Path dataDirectory(int node) {
    return directory.path().resolve(dataName(node));
  }

  /** Where the node's volumes are: its data directory, or directories in it if there are many. */
  List<Path> volumes(int node) {
    return volumes(spec, directory, node);
  }

  private static List<Path> volumes(ClusterSpec spec, WorkDirectory directory, int node) {
    Path data = directory.path().resolve(dataName(node));
    return spec.volumes() == 1
        ? List.of(data)
        : IntStream.range(0, spec.volumes())
            .mapToObj(number -> data.resolve("volume" + number))
            .toList();
  }

  /** The key by which nodes recognize each other. */
  ClusterKey clusterKey() throws VdfsException {
    return new ClusterKeyFile(keyFile(directory)).load();
  }

  private static Path keyFile(WorkDirectory directory) {
    return directory.path().resolve("cluster.key");
  }

  private static String dataName(int node) {
    return "data" + node;
  }

  /** All {@code vdfs.*} keys of a node. */
  Map<String, String> nodeProperties(int node) {
    Map<String, String> properties = new TreeMap<>();
    properties.put("vdfs.cluster.name", spec.name());
    properties.put("vdfs.cluster.key.file", keyFile(directory).toString());
    properties.put("vdfs.zookeeper", zooKeeperAddress());
    properties.put("vdfs.zookeeper.session.timeout", ClusterSpec.SESSION_TIMEOUT.toMillis() + "ms");
    properties.put("vdfs.node.host", spec.hosts().get(node));
    properties.put("vdfs.node.cores", Integer.toString(spec.cores()));
    properties.put(
        "vdfs.data.dirs",
        volumes(node).stream().map(Path::toString).collect(Collectors.joining(",")));
    properties.put("vdfs.delivery.segment.directory", dataDirectory(node).toString());
    properties.put("vdfs.control.port", "0");
    properties.put("vdfs.data.port", "0");
    properties.put("vdfs.raft.port", "0");
    properties.putAll(spec.nodeProperties());
    return properties;
  }

  /** The settings that a client needs: where ZooKeeper is. */
  Map<String, String> clientProperties() {
    return Map.of(
        "fs.vdfs.impl",
        VdfsFileSystem.class.getName(),
        "fs.AbstractFileSystem.vdfs.impl",
        VdfsAbstractFileSystem.class.getName(),
        "fs.vdfs.cluster." + spec.name() + ".zookeeper",
        zooKeeperAddress());
  }

  URI uri() {
    return URI.create("vdfs://" + spec.name() + "/");
  }

  /** A client's configuration, with the cluster as its default filesystem. */
  Configuration configuration() {
    Configuration conf = new Configuration();
    clientProperties().forEach(conf::set);
    conf.set("fs.defaultFS", uri().toString());
    return conf;
  }

  /** Waits until just these nodes are alive, there is a ring map and metadata is served. */
  void awaitServing(Collection<Integer> nodes) throws Exception {
    Map<Integer, Instant> launched = new TreeMap<>();
    nodes.forEach(node -> launched.put(node, Instant.EPOCH));
    awaitServing(launched);
  }

  /**
   * As above.
   *
   * @param launched when each node was launched: records of its earlier process, whose session goes
   *     on for a while, do not count
   */
  void awaitServing(Map<Integer, Instant> launched) throws Exception {
    Map<String, Instant> hosts = new TreeMap<>();
    launched.forEach((node, since) -> hosts.put(spec.hosts().get(node), since));
    try (ClusterDirectory cluster = ClusterDirectory.open(zooKeeperSettings(), spec.name())) {
      cluster.await(
          "a ring map and live nodes " + hosts,
          state ->
              state.ringMap().isPresent() && areAlive(hosts, state.liveNodes().values())
                  ? Optional.of(true)
                  : Optional.empty(),
          START_LIMIT);
    }
    try (FileSystem fileSystem = FileSystem.newInstance(uri(), configuration())) {
      fileSystem.getFileStatus(new org.apache.hadoop.fs.Path("/"));
    }
  }

  private static boolean areAlive(Map<String, Instant> hosts, Collection<LiveNode> live) {
    return live.size() == hosts.size()
        && live.stream()
            .allMatch(
                node ->
                    hosts.containsKey(node.node().host())
                        && !node.started().isBefore(hosts.get(node.node().host())));
  }

  /** The id of a node that is alive. */
  NodeId nodeId(int node) throws IOException {
    String host = spec.hosts().get(node);
    try (ClusterDirectory cluster = ClusterDirectory.open(zooKeeperSettings(), spec.name())) {
      return cluster.await(
          "a node at " + host,
          state ->
              state.liveRingNodes().stream()
                  .filter(candidate -> candidate.host().equals(host))
                  .map(RingNode::id)
                  .findFirst(),
          START_LIMIT);
    }
  }

  /** The session behind the record of a node; empty if there is none. */
  OptionalLong session(int node) throws Exception {
    ZooKeeper client = connect();
    try {
      return session(client, spec.hosts().get(node));
    } finally {
      client.close();
    }
  }

  /**
   * Ends the session of a node.
   *
   * @return the session that ended
   */
  long expireSession(int node) throws Exception {
    long session = session(node).orElseThrow();
    SessionThief.end(zooKeeperAddress(), session);
    return session;
  }

  private ZooKeeper connect() throws Exception {
    return SessionThief.connected(
        new ZooKeeper(zooKeeperAddress(), SessionThief.TIMEOUT_MILLIS, event -> {}));
  }

  private OptionalLong session(ZooKeeper client, String host) throws Exception {
    String parent = ClusterPaths.of(ROOT, spec.name()).nodes();
    for (String child : client.getChildren(parent, false)) {
      Stat stat = new Stat();
      if (record(client, parent + "/" + child, stat).contains(host)) {
        return OptionalLong.of(stat.getEphemeralOwner());
      }
    }
    return OptionalLong.empty();
  }

  /** Empty for a record that went away since the records were listed. */
  private static String record(ZooKeeper client, String path, Stat stat) throws Exception {
    try {
      return new String(client.getData(path, false, stat), StandardCharsets.ISO_8859_1);
    } catch (KeeperException.NoNodeException e) {
      return "";
    }
  }

  private ZooKeeperSettings zooKeeperSettings() {
    return ZooKeeperSettings.of(zooKeeperAddress(), "vdfs.zookeeper");
  }

  @Override
  public void close() throws IOException {
    if (zooKeeper.isPresent()) {
      zooKeeper.get().close();
    }
    directory.close();
  }
}
