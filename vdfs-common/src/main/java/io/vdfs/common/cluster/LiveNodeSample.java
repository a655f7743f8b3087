package io.vdfs.common.cluster;

import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.cluster.record.LiveNode;
import io.vdfs.common.error.VdfsException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A single look at some of a cluster's live nodes, for a process that does not follow it: the cost
 * for ZooKeeper does not grow with the cluster, except for the list of names. Stateless.
 */
public final class LiveNodeSample {
  private static final Logger LOG = LoggerFactory.getLogger(LiveNodeSample.class);

  /** The caller has no key; it asks the nodes that it finds. */
  private static final SignedRecords RECORDS = SignedRecords.unchecked();

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
    try (ZooKeeperLook znodes = ZooKeeperLook.open(settings)) {
      ClusterDirectory.readProperties(znodes, paths, name, RECORDS);
      List<LiveNode> sample = new ArrayList<>();
      List<String> names = shuffled(znodes.children(paths.nodes()).orElse(List.of()), random);
      for (int i = 0; i < names.size() && sample.size() < most; i++) {
        read(znodes, paths, names.get(i), sample);
      }
      return sample;
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
      ZnodeReader znodes, ClusterPaths paths, String name, List<LiveNode> sample)
      throws VdfsException {
    String path = paths.nodes() + "/" + name;
    Optional<byte[]> data = znodes.data(path);
    if (data.isEmpty()) {
      return;
    }
    try {
      sample.add(ClusterCodec.decodeNode(name, RECORDS.open(path, data.get())));
    } catch (VdfsException e) {
      LOG.warn("Ignoring what ZooKeeper holds: path={}, error={}", path, e.getMessage());
    }
  }
}
