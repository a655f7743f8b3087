package io.vdfs.it.cluster;

import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.DataNode;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/**
 * A cluster whose DataNodes run in this JVM, which needs the arguments in {@code
 * conf/daemon-jvm.args}. Confined to the thread that started it; its filesystems are thread-safe.
 */
public final class VdfsTestCluster implements AutoCloseable {
  private final ClusterGround ground;
  private final Map<Integer, DataNode> running = new TreeMap<>();

  private VdfsTestCluster(ClusterGround ground) {
    this.ground = ground;
  }

  /** Starts ZooKeeper and all nodes; returns when files can be written. */
  public static VdfsTestCluster start(ClusterSpec spec) throws Exception {
    VdfsTestCluster cluster = new VdfsTestCluster(ClusterGround.start(spec));
    boolean serving = false;
    try {
      cluster.ground.format();
      for (int node : spec.nodes()) {
        cluster.startNode(node);
      }
      cluster.awaitServing();
      serving = true;
      return cluster;
    } finally {
      if (!serving) {
        cluster.close();
      }
    }
  }

  private void startNode(int node) throws Exception {
    running.put(node, DataNode.start(ground.nodeProperties(node)));
  }

  /** The cluster's root. */
  public URI uri() {
    return ground.uri();
  }

  /** The settings with which a client finds the cluster by its name. */
  public Map<String, String> clientProperties() {
    return ground.clientProperties();
  }

  /** A client's configuration, with the cluster as its default filesystem. */
  public Configuration configuration() {
    return ground.configuration();
  }

  /** A client of its own; the caller closes it. */
  public FileSystem newFileSystem() throws IOException {
    return FileSystem.newInstance(uri(), configuration());
  }

  public NodeId nodeId(int node) {
    return running.get(node).id();
  }

  public String host(int node) {
    return ground.spec().hosts().get(node);
  }

  public int controlPort(int node) {
    return running.get(node).controlPort();
  }

  public ClusterGeometry geometry() {
    return ground.spec().geometry();
  }

  /** The directory of all the node's data. */
  public Path dataDirectory(int node) {
    return ground.dataDirectory(node);
  }

  public String zooKeeperAddress() {
    return ground.zooKeeperAddress();
  }

  /**
   * Stops a node in good order; only a node with a process of its own can vanish without notice.
   */
  public void stop(int node) throws Exception {
    DataNode stopped = running.remove(node);
    if (stopped == null) {
      throw new IllegalStateException("not running: node=" + node);
    }
    stopped.close();
  }

  /** Starts a stopped node on its old directories. */
  public void restart(int node) throws Exception {
    startNode(node);
    awaitServing();
  }

  /** Waits until all running nodes are known and metadata is served. */
  public void awaitServing() throws Exception {
    ground.awaitServing(running.keySet());
  }

  @Override
  public void close() throws IOException {
    List<AutoCloseable> parts = new ArrayList<>(running.values());
    running.clear();
    parts.add(ground);
    Closing.all(parts);
  }
}
