package io.vdfs.common.cluster;

import io.vdfs.common.error.VdfsException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.random.RandomGenerator;
import org.apache.zookeeper.KeeperException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A single look at some of a cluster's live nodes, for those who do not follow it: what it costs
 * ZooKeeper does not grow with the cluster, but for the list of names. Stateless.
 */
public final class LiveNodeSample {
  private static final Logger LOG = LoggerFactory.getLogger(LiveNodeSample.class);

  private LiveNodeSample() {}

  /**
   * Connects, reads and closes the connection. A znode that does not hold what it should is
   * reported in the log and passed over.
   *
   * @param name the cluster's name, as in {@code vdfs://NAME/}
   * @param most nodes to return, in no order; where there are more, those are picked at random
   * @throws VdfsException as {@link ClusterDirectory#open}
   */
  public static List<LiveNode> take(
      ZooKeeperSettings settings, String name, int most, RandomGenerator random)
      throws VdfsException {
    ClusterPaths paths = ClusterPaths.of(settings.prefix(), name);
    try (ZooKeeperConnection connection = ZooKeeperConnection.open(settings)) {
      ClusterDirectory.readProperties(connection, paths, name);
      List<LiveNode> sample = new ArrayList<>();
      List<String> names = shuffled(names(connection, paths), random);
      for (int i = 0; i < names.size() && sample.size() < most; i++) {
        read(connection, paths, names.get(i), sample);
      }
      return sample;
    }
  }

  private static List<String> names(ZooKeeperConnection connection, ClusterPaths paths)
      throws VdfsException {
    try {
      return connection.curator().getChildren().forPath(paths.nodes());
    } catch (KeeperException.NoNodeException e) {
      return List.of();
    } catch (Exception e) {
      throw connection.failure("list " + paths.nodes(), e);
    }
  }

  private static List<String> shuffled(List<String> names, RandomGenerator random) {
    List<String> shuffled = new ArrayList<>(names);
    for (int i = shuffled.size(); i > 1; i--) {
      Collections.swap(shuffled, i - 1, random.nextInt(i));
    }
    return shuffled;
  }

  private static void read(
      ZooKeeperConnection connection, ClusterPaths paths, String name, List<LiveNode> sample)
      throws VdfsException {
    String path = paths.nodes() + "/" + name;
    byte[] data;
    try {
      data = connection.curator().getData().forPath(path);
    } catch (KeeperException.NoNodeException e) {
      return;
    } catch (Exception e) {
      throw connection.failure("read " + path, e);
    }
    try {
      sample.add(ClusterCodec.decodeNode(name, data));
    } catch (VdfsException e) {
      LOG.warn("Ignoring what ZooKeeper holds: path={}, error={}", path, e.getMessage());
    }
  }
}
