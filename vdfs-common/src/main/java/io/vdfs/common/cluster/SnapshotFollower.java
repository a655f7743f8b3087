package io.vdfs.common.cluster;

import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.cluster.record.LiveNode;
import io.vdfs.common.cluster.record.MetadataGroup;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns the events of a cache over a cluster's znodes into snapshots. A znode that does not hold
 * what it should is reported and passed over, and so is one that is older than what was known: the
 * last good value stays. Confined to the thread of the directory.
 */
final class SnapshotFollower {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotFollower.class);

  private final ClusterPaths paths;
  private final SignedRecords records;
  private final int arcs;
  private final Consumer<ClusterSnapshot> publisher;
  private final Runnable firstPublished;

  /** The last process seen of each node, also of those that went. */
  private final Map<NodeId, LiveNode> newestNodes = new HashMap<>();

  private ClusterSnapshot snapshot;
  private boolean initialized;

  /**
   * @param records how they stand in ZooKeeper; those that no node wrote are left out
   * @param arcs number of arcs that the cluster was formatted with
   * @param known from before
   * @param publisher is given every new snapshot
   * @param firstPublished is run after the first one
   */
  SnapshotFollower(
      ClusterPaths paths,
      SignedRecords records,
      int arcs,
      ClusterSnapshot known,
      Consumer<ClusterSnapshot> publisher,
      Runnable firstPublished) {
    this.paths = paths;
    this.records = records;
    this.arcs = arcs;
    this.snapshot = known;
    this.publisher = publisher;
    this.firstPublished = firstPublished;
  }

  /** A znode of the cluster came or changed. */
  void onData(String path, byte[] data) {
    try {
      show(read(path, data));
    } catch (VdfsException e) {
      LOG.warn("Ignoring what ZooKeeper holds: path={}, error={}", path, e.getMessage());
    }
  }

  /** A znode of the cluster went. */
  void onDeleted(String path) {
    Optional<String> name = paths.nodeName(path);
    if (name.isPresent()) {
      show(withoutNode(name.get()));
    } else if (List.of(paths.ring(), paths.metadata(), paths.cluster()).contains(path)) {
      LOG.warn(
          "A record of the cluster was deleted; the last one stays in force: path={}; {}",
          path,
          ClusterRestore.CURE);
    }
  }

  /** All that was there has been reported. */
  void onInitialized() {
    if (!initialized) {
      initialized = true;
      publisher.accept(snapshot);
      firstPublished.run();
    }
  }

  private void show(ClusterSnapshot next) {
    if (!next.equals(snapshot)) {
      snapshot = next;
      if (initialized) {
        publisher.accept(snapshot);
      }
    }
  }

  private ClusterSnapshot read(String path, byte[] data) throws VdfsException {
    Optional<String> node = paths.nodeName(path);
    if (node.isPresent()) {
      return withNode(ClusterCodec.decodeNode(node.get(), records.open(path, data)));
    }
    if (path.equals(paths.ring())) {
      return withRing(RingCodec.decode(records.open(path, data)));
    }
    if (path.equals(paths.cluster()) && ClusterCodec.isFounded(records.open(path, data))) {
      return snapshot.withFoundation();
    }
    if (path.equals(paths.metadata())) {
      return withGroup(ClusterCodec.decodeMetadataGroup(records.open(path, data)));
    }
    return snapshot;
  }

  /** Ignores the record of a process whose successor was seen: anybody may have kept it. */
  private ClusterSnapshot withNode(LiveNode node) {
    LiveNode newest = newestNodes.getOrDefault(node.id(), node);
    if (node.started().isBefore(newest.started())) {
      LOG.warn(
          "Ignoring the record of a node that is older than the known one: shown={}, known={}",
          node,
          newest);
      return snapshot;
    }
    newestNodes.put(node.id(), node);
    return snapshot.withLiveNode(node);
  }

  private ClusterSnapshot withGroup(MetadataGroup group) {
    Optional<MetadataGroup> newer =
        snapshot.metadataGroup().filter(known -> known.isNewerThan(group));
    if (newer.isPresent()) {
      LOG.warn(
          "Ignoring a metadata group that is older than the known one: shown={}, known={}",
          group,
          newer.get());
      return snapshot;
    }
    return snapshot.withMetadataGroup(group);
  }

  private ClusterSnapshot withRing(RingMap map) {
    long known = snapshot.ringMap().map(RingMap::epoch).orElse(0L);
    if (map.arcCount() != arcs || map.epoch() < known) {
      LOG.warn(
          "Ignoring a ring map that cannot follow: arcs={}, expected={}, epoch={}, known={}",
          map.arcCount(),
          arcs,
          map.epoch(),
          known);
      return snapshot;
    }
    return snapshot.withRingMap(map);
  }

  private ClusterSnapshot withoutNode(String name) {
    Optional<NodeId> node =
        snapshot.liveNodes().keySet().stream().filter(id -> id.toString().equals(name)).findFirst();
    return node.map(snapshot::withoutLiveNode).orElse(snapshot);
  }
}
