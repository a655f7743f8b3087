package io.vdfs.common.cluster;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/**
 * Gives ZooKeeper back what it lost of a founded cluster, from a node's copy. What stands there is
 * only replaced by what is newer, so that copies may be given back in any order, and again.
 * Stateless; usable on any thread.
 */
public final class ClusterRestore {
  /** What to do where a record is missing, for messages. */
  public static final String CURE =
      "give it back from a node's copy: vdfs-daemon cluster-restore, see docs/operations.md";

  private static final int MOST_ATTEMPTS = 5;

  private ClusterRestore() {}

  /**
   * Writes what is missing or older, the properties first: they say that the cluster was founded,
   * so that nobody founds it a second time in between.
   *
   * @return what was written, in words; empty if everything stood there
   * @throws VdfsException MISCONFIGURED, before anything is written, if another cluster has the
   *     name, and if a record there contradicts the copy; UNAVAILABLE as {@link
   *     ClusterDirectory#open}
   */
  public static List<String> restore(ZooKeeperSettings settings, String name, ClusterCopy copy)
      throws VdfsException {
    ClusterPaths paths = ClusterPaths.of(settings.prefix(), name);
    try (ZooKeeperConnection connection = ZooKeeperConnection.open(settings)) {
      try {
        List<String> written = new ArrayList<>();
        for (int attempt = 1; !tryRestore(connection.curator(), paths, copy, written); attempt++) {
          if (attempt == MOST_ATTEMPTS) {
            throw new VdfsException(
                ErrorCode.UNAVAILABLE,
                "others change the cluster's records all the time, try again: path="
                    + paths.root());
          }
        }
        return written;
      } catch (Exception e) {
        throw connection.failure("restore " + paths.root(), e);
      }
    }
  }

  /** False where somebody else, such as the metadata leader, was quicker with a record. */
  private static boolean tryRestore(
      CuratorFramework curator, ClusterPaths paths, ClusterCopy copy, List<String> written)
      throws Exception {
    try {
      restoreProperties(curator, paths, copy.properties(), written);
      written.addAll(complete(curator, paths, copy));
      return true;
    } catch (KeeperException.NodeExistsException | KeeperException.BadVersionException e) {
      return false;
    }
  }

  /**
   * As {@link #restore}, of a cluster whose properties stand there.
   *
   * @return what was written, in words
   */
  public static List<String> complete(
      CuratorFramework curator, ClusterPaths paths, ClusterCopy copy) throws Exception {
    List<String> written = new ArrayList<>();
    restoreRing(curator, paths.ring(), copy.ring(), written);
    restoreGroup(curator, paths.metadata(), copy.group(), written);
    return written;
  }

  private static void restoreProperties(
      CuratorFramework curator,
      ClusterPaths paths,
      ClusterProperties properties,
      List<String> written)
      throws Exception {
    curator.checkExists().creatingParentsIfNeeded().forPath(paths.nodes());
    byte[] founded = ClusterCodec.encodeFounded(properties);
    try {
      Stat stat = new Stat();
      byte[] data = curator.getData().storingStatIn(stat).forPath(paths.cluster());
      ClusterProperties present = ClusterCodec.decodeProperties(data);
      if (!present.equals(properties)) {
        throw new VdfsException(
            ErrorCode.MISCONFIGURED,
            "another cluster has the name: path=%s, its id=%s, id of the copy=%s; if it was"
                    .formatted(paths.root(), present.clusterId(), properties.clusterId())
                + " formatted by mistake, stop its nodes and delete that path in ZooKeeper first");
      }
      if (!ClusterCodec.isFounded(data)) {
        curator.setData().withVersion(stat.getVersion()).forPath(paths.cluster(), founded);
        written.add("that the cluster was founded");
      }
    } catch (KeeperException.NoNodeException e) {
      curator.create().forPath(paths.cluster(), founded);
      written.add("properties of the cluster, id=" + properties.clusterId());
    }
    if (curator.checkExists().forPath(paths.nodes()) == null) {
      curator.create().forPath(paths.nodes(), new byte[0]);
    }
  }

  private static void restoreRing(
      CuratorFramework curator, String path, RingMap ring, List<String> written) throws Exception {
    try {
      Stat stat = new Stat();
      RingMap present = RingCodec.decode(curator.getData().storingStatIn(stat).forPath(path));
      if (present.epoch() == ring.epoch() && !present.equals(ring)) {
        throw contradiction("ring maps of one epoch", path, "epoch=" + ring.epoch());
      }
      if (present.epoch() >= ring.epoch()) {
        return;
      }
      curator.setData().withVersion(stat.getVersion()).forPath(path, RingCodec.encode(ring));
    } catch (KeeperException.NoNodeException e) {
      curator.create().forPath(path, RingCodec.encode(ring));
    }
    written.add("ring map, epoch=" + ring.epoch());
  }

  private static void restoreGroup(
      CuratorFramework curator, String path, MetadataGroup group, List<String> written)
      throws Exception {
    try {
      Stat stat = new Stat();
      MetadataGroup present =
          ClusterCodec.decodeMetadataGroup(curator.getData().storingStatIn(stat).forPath(path));
      if (present.equals(group) || present.isNewerThan(group)) {
        return;
      }
      if (!group.isNewerThan(present)) {
        throw contradiction("metadata groups", path, "there=%s, copy=%s".formatted(present, group));
      }
      curator.setData().withVersion(stat.getVersion()).forPath(path, ClusterCodec.encode(group));
    } catch (KeeperException.NoNodeException e) {
      curator.create().forPath(path, ClusterCodec.encode(group));
    }
    written.add("metadata group, version=" + group.version() + ", members=" + group.members());
  }

  private static VdfsException contradiction(String what, String path, String values) {
    return new VdfsException(
        ErrorCode.MISCONFIGURED,
        "two different %s: path=%s, %s; delete that path in ZooKeeper if the node's copy is right"
            .formatted(what, path, values));
  }
}
