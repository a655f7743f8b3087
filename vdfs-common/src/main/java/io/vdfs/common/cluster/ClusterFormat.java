package io.vdfs.common.cluster;

import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.cluster.record.LiveNode;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.security.ClusterKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.zookeeper.KeeperException;

/** Creates the record of a cluster in ZooKeeper. Stateless; usable on any thread. */
public final class ClusterFormat {
  private ClusterFormat() {}

  /**
   * Writes the properties of a new cluster, in one transaction: all of it is there or nothing.
   *
   * @param key of the new cluster, whose nodes alone may change what is written
   * @param force start an existing cluster over: its ring map and metadata group are forgotten, and
   *     the data directories of its nodes no longer fit
   * @throws VdfsException ALREADY_EXISTS if the name is taken and {@code force} is false, or if
   *     nodes of the cluster are alive; UNAVAILABLE or MISCONFIGURED as {@link
   *     ClusterDirectory#open}
   */
  public static void format(
      ZooKeeperSettings settings,
      String name,
      ClusterProperties properties,
      ClusterKey key,
      boolean force)
      throws VdfsException {
    ClusterPaths paths = ClusterPaths.of(settings.prefix(), name);
    try (ZooKeeperConnection connection = ZooKeeperConnection.open(settings, Optional.of(key))) {
      byte[] record = SignedRecords.by(key).seal(paths.cluster(), ClusterCodec.encode(properties));
      CuratorFramework curator = connection.curator();
      try {
        boolean damaged =
            curator.checkExists().forPath(paths.cluster()) == null
                && ClusterDirectory.isDamaged(connection, paths);
        if (damaged && !force) {
          throw new VdfsException(
              ErrorCode.ALREADY_EXISTS,
              ("records of a founded cluster stand there without its properties: path=%s; %s; or"
                      + " start it over empty with --force")
                  .formatted(paths.root(), ClusterRestore.CURE));
        }
        if (damaged || (force && curator.checkExists().forPath(paths.cluster()) != null)) {
          replace(curator, paths, record);
        } else {
          create(curator, paths, record);
        }
      } catch (KeeperException.NodeExistsException e) {
        throw taken(connection, paths, name, e);
      } catch (KeeperException.NotEmptyException e) {
        throw new VdfsException(
            ErrorCode.ALREADY_EXISTS,
            ("nodes of the cluster are alive: name=%s, nodes=%s; stop them before formatting"
                    + " with --force")
                .formatted(name, aliveNodes(connection, paths)),
            e);
      } catch (KeeperException.NoAuthException e) {
        throw new VdfsException(
            ErrorCode.ALREADY_EXISTS,
            "the name is somebody else's, whose cluster key this is not: name=%s, path=%s; choose"
                    .formatted(name, paths.root())
                + " another name, use that cluster's key file to start it over, or have an"
                + " administrator of ZooKeeper delete the path",
            e);
      } catch (Exception e) {
        throw connection.failure("format " + paths.root(), e);
      }
    }
  }

  private static void create(CuratorFramework curator, ClusterPaths paths, byte[] record)
      throws Exception {
    curator.checkExists().creatingParentsIfNeeded().forPath(paths.nodes());
    List<CuratorOp> operations = new ArrayList<>();
    if (curator.checkExists().forPath(paths.nodes()) == null) {
      operations.add(curator.transactionOp().create().forPath(paths.nodes(), new byte[0]));
    }
    operations.add(curator.transactionOp().create().forPath(paths.cluster(), record));
    curator.transaction().forOperations(operations);
  }

  /** Deleting the parent of the nodes fails as long as one of them is alive. */
  private static void replace(CuratorFramework curator, ClusterPaths paths, byte[] record)
      throws Exception {
    List<CuratorOp> operations = new ArrayList<>();
    for (String path :
        List.of(paths.nodes(), paths.ring(), paths.gone(), paths.metadata(), paths.cluster())) {
      if (curator.checkExists().forPath(path) != null) {
        operations.add(curator.transactionOp().delete().forPath(path));
      }
    }
    operations.add(curator.transactionOp().create().forPath(paths.nodes(), new byte[0]));
    operations.add(curator.transactionOp().create().forPath(paths.cluster(), record));
    curator.transaction().forOperations(operations);
  }

  private static VdfsException taken(
      ZooKeeperConnection connection, ClusterPaths paths, String name, Exception cause) {
    return new VdfsException(
        ErrorCode.ALREADY_EXISTS,
        ("the cluster is formatted already: name=%s, id=%s, zookeeper=%s; choose another"
                + " name, or start it over empty with --force")
            .formatted(name, existingId(connection, paths), connection.settings().connect()),
        cause);
  }

  private static String existingId(ZooKeeperConnection connection, ClusterPaths paths) {
    try {
      byte[] data = connection.curator().getData().forPath(paths.cluster());
      return ClusterCodec.decodeProperties(SignedRecords.unchecked().open(paths.cluster(), data))
          .clusterId()
          .toString();
    } catch (Exception e) {
      return "unreadable (" + connection.failure("read", e).getMessage() + ")";
    }
  }

  private static List<String> aliveNodes(ZooKeeperConnection connection, ClusterPaths paths)
      throws VdfsException {
    try {
      List<String> alive = new ArrayList<>();
      for (String child : connection.curator().getChildren().forPath(paths.nodes())) {
        String path = paths.nodes() + "/" + child;
        byte[] data = connection.curator().getData().forPath(path);
        LiveNode node = ClusterCodec.decodeNode(SignedRecords.unchecked().open(path, data));
        alive.add(node.node().host() + "/" + child);
      }
      return alive;
    } catch (Exception e) {
      throw connection.failure("list " + paths.nodes(), e);
    }
  }
}
