package io.vdfs.datanode.membership;

import io.vdfs.common.cluster.ClusterDirectory;
import io.vdfs.common.cluster.ClusterPaths;
import io.vdfs.common.cluster.SignedRecords;
import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import java.util.List;
import java.util.Optional;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The work of the elected node: founds the cluster once, metadata group and first ring map
 * together. Later ring maps are the metadata leader's. {@link FoundationPolicy} decides when to
 * found by what the directory shows, which is looked at again in ZooKeeper before anything is
 * written. Missing parts of a founded cluster are reported, never made anew. Confined to the thread
 * of the membership.
 */
final class RingController {
  private static final Logger LOG = LoggerFactory.getLogger(RingController.class);

  private final CuratorFramework curator;
  private final ClusterPaths paths;
  private final SignedRecords records;
  private final ClusterProperties properties;
  private final FoundationPolicy foundationPolicy;
  private Optional<String> reported = Optional.empty();

  RingController(ClusterDirectory directory) {
    this.curator = directory.curator();
    this.paths = directory.paths();
    this.records = directory.records();
    this.properties = directory.properties();
    this.foundationPolicy = new FoundationPolicy(properties);
  }

  /**
   * Brings ZooKeeper in line with the snapshot. Losing a race against another controller is no
   * failure: its change arrives as the next snapshot.
   */
  void onChange(ClusterSnapshot snapshot) throws Exception {
    Optional<Foundation> foundation = foundationPolicy.foundation(snapshot);
    if (foundation.isPresent()) {
      found(foundation.get());
      return;
    }
    report(confirmed(foundationPolicy.damage(snapshot)));
  }

  /** All of it or nothing: what is missing later is damage. */
  private void found(Foundation foundation) throws Exception {
    Stat stat = new Stat();
    byte[] record =
        records.open(
            paths.cluster(), curator.getData().storingStatIn(stat).forPath(paths.cluster()));
    if (ClusterCodec.isFounded(record)
        || !ClusterCodec.decodeProperties(record).equals(properties)) {
      LOG.debug("The cluster is founded already, or another one");
      return;
    }
    List<CuratorOp> operations =
        List.of(
            curator
                .transactionOp()
                .setData()
                .withVersion(stat.getVersion())
                .forPath(
                    paths.cluster(),
                    records.seal(paths.cluster(), ClusterCodec.encodeFounded(properties))),
            curator
                .transactionOp()
                .create()
                .forPath(
                    paths.metadata(),
                    records.seal(paths.metadata(), ClusterCodec.encode(foundation.group()))),
            curator
                .transactionOp()
                .create()
                .forPath(
                    paths.ring(), records.seal(paths.ring(), RingCodec.encode(foundation.ring()))));
    try {
      curator.transaction().forOperations(operations);
      LOG.info("Founded the metadata group: {}", foundation.group());
      logPublished(foundation.ring());
    } catch (KeeperException.BadVersionException | KeeperException.NodeExistsException e) {
      LOG.debug("Another controller founded the cluster", e);
    }
  }

  private static void logPublished(RingMap map) {
    LOG.info(
        "Published a ring map: epoch={}, nodes={}, replication={}, rackViolations={}",
        map.epoch(),
        map.nodes().values(),
        map.replication(),
        map.rackViolations().size());
  }

  /** Just after the foundation a snapshot shows a part of it: its records arrive one by one. */
  private Optional<String> confirmed(Optional<String> damage) throws Exception {
    boolean whole = damage.isPresent() && stands(paths.ring()) && stands(paths.metadata());
    return whole ? Optional.empty() : damage;
  }

  /** Whether ZooKeeper holds what a node of this cluster wrote there. */
  private boolean stands(String path) throws Exception {
    try {
      return records.open(path, curator.getData().forPath(path)).length > 0;
    } catch (KeeperException.NoNodeException e) {
      return false;
    } catch (VdfsException e) {
      LOG.debug("Nobody of this cluster wrote a record: path={}", path, e);
      return false;
    }
  }

  /** The parts of the cluster last reported as missing; empty if nothing is missing. */
  Optional<String> reported() {
    return reported;
  }

  /** Reports damage once, however often it is looked at. */
  private void report(Optional<String> damage) {
    if (!damage.equals(reported)) {
      damage.ifPresent(LOG::error);
      reported = damage;
    }
  }
}
