package io.vdfs.common.cluster;

import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.cluster.record.ClusterCopy;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.cluster.record.MetadataGroup;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.security.ClusterKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives ZooKeeper back what it lost of a founded cluster, from a node's copy. A record there is
 * replaced only by a newer one, so that copies may be given back in any order and more than once.
 * Stateless; usable on any thread.
 */
public final class ClusterRestore {
  /** What to do where a record is missing, for messages. */
  public static final String CURE =
      "give it back from a node's copy: vdfs-daemon cluster-restore, see"
          + " docs/operations/failures.md";

  /** What to do where another record stands than it should, for messages. */
  public static final String REPLACE =
      "give back the right one from a node's copy: vdfs-daemon cluster-restore --replace, see"
          + " docs/operations/failures.md";

  private static final Logger LOG = LoggerFactory.getLogger(ClusterRestore.class);
  private static final int MOST_ATTEMPTS = 5;

  private ClusterRestore() {}

  /**
   * Writes what is missing or older, the properties first: they say that the cluster was founded,
   * so that no node founds it a second time in between.
   *
   * @param key of the cluster; a record not signed with it counts as missing, except the
   *     properties, which may be another cluster's
   * @param replace whether to remove first the records of another cluster, or those that no node
   *     wrote
   * @return what was written, in words; empty if everything stood there
   * @throws VdfsException ALREADY_EXISTS if nodes of the cluster that is to be replaced are alive;
   *     MISCONFIGURED, before anything is written, if another cluster has the name, and if a record
   *     there contradicts the copy; UNAVAILABLE as {@link ClusterDirectory#open}
   */
  public static List<String> restore(
      ZooKeeperSettings settings, String name, ClusterCopy copy, ClusterKey key, boolean replace)
      throws VdfsException {
    SignedRecords records = SignedRecords.by(key);
    ClusterPaths paths = ClusterPaths.of(settings.prefix(), name);
    try (ZooKeeperConnection connection = ZooKeeperConnection.open(settings, Optional.of(key))) {
      try {
        List<String> written = new ArrayList<>();
        if (replace) {
          removeOthers(connection.curator(), paths, records, copy.properties(), written);
        }
        for (int attempt = 1;
            !tryRestore(connection.curator(), paths, records, copy, written);
            attempt++) {
          if (attempt == MOST_ATTEMPTS) {
            throw new VdfsException(
                ErrorCode.UNAVAILABLE,
                "others change the cluster's records all the time, try again: path=%s"
                    .formatted(paths.root()));
          }
        }
        return written;
      } catch (KeeperException.NotEmptyException e) {
        throw new VdfsException(
            ErrorCode.ALREADY_EXISTS,
            "nodes of the cluster that is to be replaced are alive: path=%s; stop them first"
                .formatted(paths.root()),
            e);
      } catch (KeeperException.NoAuthException e) {
        throw new VdfsException(
            ErrorCode.MISCONFIGURED,
            "what stands there is of another cluster key: path=%s; have an administrator of ZooKeeper"
                    .formatted(paths.root())
                + " delete it",
            e);
      } catch (Exception e) {
        throw connection.failure("restore " + paths.root(), e);
      }
    }
  }

  /** Deleting the parent of the nodes fails as long as one of them is alive. */
  private static void removeOthers(
      CuratorFramework curator,
      ClusterPaths paths,
      SignedRecords records,
      ClusterProperties own,
      List<String> written)
      throws Exception {
    if (curator.checkExists().forPath(paths.cluster()) == null) {
      return;
    }
    Optional<byte[]> signed =
        signed(records, paths.cluster(), curator.getData().forPath(paths.cluster()));
    if (signed.isPresent() && ClusterCodec.decodeProperties(signed.get()).equals(own)) {
      return;
    }
    List<CuratorOp> operations = new ArrayList<>();
    for (String path :
        List.of(paths.nodes(), paths.ring(), paths.gone(), paths.metadata(), paths.cluster())) {
      if (curator.checkExists().forPath(path) != null) {
        operations.add(curator.transactionOp().delete().forPath(path));
      }
    }
    curator.transaction().forOperations(operations);
    written.add("its place, which another cluster had");
  }

  /** False where another process, such as the metadata leader, wrote a record first. */
  private static boolean tryRestore(
      CuratorFramework curator,
      ClusterPaths paths,
      SignedRecords records,
      ClusterCopy copy,
      List<String> written)
      throws Exception {
    try {
      restoreProperties(curator, paths, records, copy.properties(), written);
      written.addAll(complete(curator, paths, records, copy));
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
      CuratorFramework curator, ClusterPaths paths, SignedRecords records, ClusterCopy copy)
      throws Exception {
    List<String> written = new ArrayList<>();
    restoreRing(curator, paths.ring(), records, copy.ring(), written);
    restoreGroup(curator, paths.metadata(), records, copy.group(), written);
    return written;
  }

  private static void restoreProperties(
      CuratorFramework curator,
      ClusterPaths paths,
      SignedRecords records,
      ClusterProperties properties,
      List<String> written)
      throws Exception {
    curator.checkExists().creatingParentsIfNeeded().forPath(paths.nodes());
    byte[] founded = records.seal(paths.cluster(), ClusterCodec.encodeFounded(properties));
    try {
      Stat stat = new Stat();
      byte[] data =
          requireSigned(
              records,
              paths.cluster(),
              curator.getData().storingStatIn(stat).forPath(paths.cluster()));
      ClusterProperties present = ClusterCodec.decodeProperties(data);
      if (!present.equals(properties)) {
        throw new VdfsException(
            ErrorCode.MISCONFIGURED,
            "another cluster has the name: path=%s, its id=%s, id of the copy=%s; if it was"
                    .formatted(paths.root(), present.clusterId(), properties.clusterId())
                + " formatted by mistake, stop its nodes and repeat the command with --replace");
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

  private static byte[] requireSigned(SignedRecords records, String path, byte[] data)
      throws VdfsException {
    try {
      return records.open(path, data);
    } catch (VdfsException e) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          e.getMessage()
              + "; unless another cluster has the name, repeat the command with --replace",
          e);
    }
  }

  private static void restoreRing(
      CuratorFramework curator,
      String path,
      SignedRecords records,
      RingMap ring,
      List<String> written)
      throws Exception {
    byte[] record = records.seal(path, RingCodec.encode(ring));
    try {
      Stat stat = new Stat();
      Optional<byte[]> signed =
          signed(records, path, curator.getData().storingStatIn(stat).forPath(path));
      if (signed.isPresent()) {
        RingMap present = RingCodec.decode(signed.get());
        if (present.epoch() == ring.epoch() && !present.equals(ring)) {
          throw contradiction("ring maps of one epoch", path, "epoch=" + ring.epoch());
        }
        if (present.epoch() >= ring.epoch()) {
          return;
        }
      }
      curator.setData().withVersion(stat.getVersion()).forPath(path, record);
    } catch (KeeperException.NoNodeException e) {
      curator.create().forPath(path, record);
    }
    written.add("ring map, epoch=" + ring.epoch());
  }

  private static void restoreGroup(
      CuratorFramework curator,
      String path,
      SignedRecords records,
      MetadataGroup group,
      List<String> written)
      throws Exception {
    byte[] record = records.seal(path, ClusterCodec.encode(group));
    try {
      Stat stat = new Stat();
      Optional<byte[]> signed =
          signed(records, path, curator.getData().storingStatIn(stat).forPath(path));
      if (signed.isPresent()) {
        MetadataGroup present = ClusterCodec.decodeMetadataGroup(signed.get());
        if (present.equals(group) || present.isNewerThan(group)) {
          return;
        }
        if (!group.isNewerThan(present)) {
          throw contradiction(
              "metadata groups", path, "there=%s, copy=%s".formatted(present, group));
        }
      }
      curator.setData().withVersion(stat.getVersion()).forPath(path, record);
    } catch (KeeperException.NoNodeException e) {
      curator.create().forPath(path, record);
    }
    written.add("metadata group, version=" + group.version() + ", members=" + group.members());
  }

  /** Empty where no node of this cluster wrote it, which is as bad as if it were lost. */
  private static Optional<byte[]> signed(SignedRecords records, String path, byte[] data) {
    try {
      return Optional.of(records.open(path, data));
    } catch (VdfsException e) {
      LOG.warn("Replacing what ZooKeeper holds: path={}, error={}", path, e.getMessage());
      return Optional.empty();
    }
  }

  private static VdfsException contradiction(String what, String path, String values) {
    return new VdfsException(
        ErrorCode.MISCONFIGURED,
        "two different %s: path=%s, %s; delete that path in ZooKeeper if the node's copy is right"
            .formatted(what, path, values));
  }
}
