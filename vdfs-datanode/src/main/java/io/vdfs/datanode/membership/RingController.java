package io.vdfs.datanode.membership;

import io.vdfs.common.cluster.ClusterCodec;
import io.vdfs.common.cluster.ClusterDirectory;
import io.vdfs.common.cluster.ClusterPaths;
import io.vdfs.common.cluster.ClusterProperties;
import io.vdfs.common.cluster.ClusterRestore;
import io.vdfs.common.cluster.ClusterSnapshot;
import io.vdfs.common.cluster.SignedRecords;
import io.vdfs.common.error.ErrorCode;
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
 * What the elected node does: founds the cluster once, metadata group and first ring map together,
 * then publishes ring maps that follow new addresses. Decisions are made by {@link
 * FoundationPolicy} and {@link RingPolicy} on what the directory shows, and made again on what
 * ZooKeeper holds before anything is written. What is missing of a founded cluster is reported,
 * never made anew. Confined to the thread of the membership.
 */
final class RingController {
  private static final Logger LOG = LoggerFactory.getLogger(RingController.class);

  private final CuratorFramework curator;
  private final ClusterPaths paths;
  private final SignedRecords records;
  private final ClusterProperties properties;
  private final RingPolicy ringPolicy;
  private final FoundationPolicy foundationPolicy;
  private Optional<String> reported = Optional.empty();

  RingController(ClusterDirectory directory) {
    this.curator = directory.curator();
    this.paths = directory.paths();
    this.records = directory.records();
    this.properties = directory.properties();
    this.ringPolicy = new RingPolicy(properties);
    this.foundationPolicy = new FoundationPolicy(properties);
  }

  /**
   * Brings ZooKeeper in line with the snapshot. Losing a race against another controller is no
   * failure: its change arrives as the next snapshot.
   *
   * @throws VdfsException UNAVAILABLE, to be tried again, while ZooKeeper lacks the ring map that
   *     is to be followed: no snapshot tells that it is back
   */
  void onChange(ClusterSnapshot snapshot) throws Exception {
    Optional<Foundation> foundation = foundationPolicy.foundation(snapshot);
    if (foundation.isPresent()) {
      found(foundation.get());
      return;
    }
    report(confirmed(foundationPolicy.damage(snapshot)));
    if (snapshot
        .ringMap()
        .flatMap(map -> ringPolicy.successor(map, snapshot.liveRingNodes()))
        .isPresent()) {
      publish(snapshot);
    }
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

  private void publish(ClusterSnapshot snapshot) throws Exception {
    Stat stat = new Stat();
    Optional<RingMap> current = read(stat);
    long newest = snapshot.ringMap().map(RingMap::epoch).orElse(0L);
    if (current.isEmpty() || current.get().epoch() < newest) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE,
          "ZooKeeper lost the newest ring map, which no other one may follow: epoch=%s, known=%d;"
                  .formatted(current.map(RingMap::epoch), newest)
              + " the metadata group's leader gives it back, or else "
              + ClusterRestore.CURE);
    }
    Optional<RingMap> next = ringPolicy.successor(current.get(), snapshot.liveRingNodes());
    if (next.isEmpty()) {
      return;
    }
    try {
      curator
          .setData()
          .withVersion(stat.getVersion())
          .forPath(paths.ring(), records.seal(paths.ring(), RingCodec.encode(next.get())));
      logPublished(next.get());
    } catch (KeeperException.BadVersionException | KeeperException.NoNodeException e) {
      LOG.debug("Another controller published a ring map", e);
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

  /** What was last said to be missing of the cluster; empty if nothing is. */
  Optional<String> reported() {
    return reported;
  }

  /** Says once what is wrong, however often it is looked at. */
  private void report(Optional<String> damage) {
    if (!damage.equals(reported)) {
      damage.ifPresent(LOG::error);
      reported = damage;
    }
  }

  private Optional<RingMap> read(Stat stat) throws Exception {
    try {
      return Optional.of(
          RingCodec.decode(
              records.open(
                  paths.ring(), curator.getData().storingStatIn(stat).forPath(paths.ring()))));
    } catch (KeeperException.NoNodeException e) {
      return Optional.empty();
    }
  }
}
