package io.vdfs.common.cluster;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the lasting znodes of a cluster in line with the key of a node that starts: the rights to
 * change them, and the generation that signs them. So each node that is restarted while the key is
 * rotated does its part. Stateless; usable on any thread.
 */
final class RecordUpkeep {
  private static final Logger LOG = LoggerFactory.getLogger(RecordUpkeep.class);

  private RecordUpkeep() {}

  /**
   * @throws VdfsException MISCONFIGURED if nodes may not change their cluster's znodes
   */
  static void run(ZooKeeperConnection connection, ClusterPaths paths, SignedRecords records)
      throws VdfsException {
    CuratorFramework curator = connection.curator();
    ZooKeeperAccess access = connection.access();
    for (String path :
        List.of(
            paths.root(),
            paths.cluster(),
            paths.nodes(),
            paths.ring(),
            paths.gone(),
            paths.metadata(),
            paths.controller())) {
      try {
        protect(curator, access, path);
      } catch (KeeperException.NoNodeException e) {
        LOG.debug("Nothing to protect: path={}", path, e);
      } catch (KeeperException.NoAuthException e) {
        throw new VdfsException(
            ErrorCode.MISCONFIGURED,
            ("ZooKeeper does not let this node change what is its cluster's: path=%s; has it another"
                    + " cluster key? If the znode is somebody else's, an administrator of ZooKeeper"
                    + " must delete it, then %s")
                .formatted(path, ClusterRestore.CURE),
            e);
      } catch (Exception e) {
        throw connection.failure("protect " + path, e);
      }
    }
    for (String path : List.of(paths.cluster(), paths.ring(), paths.gone(), paths.metadata())) {
      try {
        sign(curator, records, path);
      } catch (KeeperException.NoNodeException | KeeperException.BadVersionException e) {
        LOG.debug("Nothing to sign, or signed by another node: path={}", path, e);
      } catch (VdfsException e) {
        LOG.warn("Ignoring what ZooKeeper holds: path={}, error={}", path, e.getMessage());
      } catch (Exception e) {
        throw connection.failure("sign " + path, e);
      }
    }
  }

  private static void protect(CuratorFramework curator, ZooKeeperAccess access, String path)
      throws Exception {
    List<ACL> wanted = access.getAclForPath(path);
    Set<ACL> found = new HashSet<>(curator.getACL().forPath(path));
    if (!found.equals(new HashSet<>(wanted))) {
      curator.setACL().withACL(wanted).forPath(path);
      LOG.info("Only nodes of this cluster may change a znode now: path={}", path);
    }
  }

  private static void sign(CuratorFramework curator, SignedRecords records, String path)
      throws Exception {
    Stat stat = new Stat();
    byte[] data = curator.getData().storingStatIn(stat).forPath(path);
    if (records.isOfOlderKey(path, data)) {
      byte[] signed = records.seal(path, records.open(path, data));
      curator.setData().withVersion(stat.getVersion()).forPath(path, signed);
      LOG.info("Signed a record with the newer cluster key: path={}", path);
    }
  }
}
