package io.vdfs.datanode.membership;

import io.vdfs.common.cluster.ClusterDirectory;
import io.vdfs.common.cluster.ClusterRestore;
import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.cluster.record.LiveNode;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process's ephemeral record. A record under the same id belongs to this process, to an
 * earlier session of it, or to another process; the incarnation in it tells which. Stateless but
 * for its arguments; {@link #register} is called before the membership's thread starts, everything
 * else on it.
 */
final class NodeRegistration {
  private static final Logger LOG = LoggerFactory.getLogger(NodeRegistration.class);
  private static final int MOST_ATTEMPTS = 20;
  private static final Duration MAX_PATIENCE = Duration.ofMinutes(2);

  private final ClusterDirectory directory;
  private final CuratorFramework curator;
  private final LiveNode self;
  private final String path;

  NodeRegistration(ClusterDirectory directory, LiveNode self) {
    this.directory = directory;
    this.curator = directory.curator();
    this.self = self;
    this.path = directory.paths().node(self.id());
  }

  /**
   * Creates the record. One left by a process that is known to be over is replaced at once; where
   * that can't be told it is waited out: twice its session timeout, two minutes at most.
   *
   * @throws VdfsException ALREADY_EXISTS if another process keeps it alive
   */
  void register() throws VdfsException {
    try {
      Optional<LiveNode> other = claim();
      if (other.isPresent() && removeIfOver(other.get())) {
        other = claim();
      }
      if (other.isPresent()) {
        LOG.info("Waiting for the session of another process to end: {}", other.get());
        waitOut(other.get());
      }
    } catch (Exception e) {
      throw directory.failure("register " + path, e);
    }
  }

  private boolean removeIfOver(LiveNode other) throws Exception {
    if (!EarlierProcess.isOver(other.node(), self.node())) {
      return false;
    }
    LOG.info("Taking the place of a process of this machine that is over: {}", other);
    remove(other);
    return true;
  }

  private void waitOut(LiveNode first) throws Exception {
    Optional<LiveNode> other = Optional.of(first);
    while (other.isPresent()) {
      if (!awaitEvent(patience(other.get()))) {
        throw taken(other.get());
      }
      other = claim();
    }
  }

  private static Duration patience(LiveNode other) {
    Duration twice = other.sessionTimeout().multipliedBy(2);
    return twice.compareTo(MAX_PATIENCE) < 0 ? twice : MAX_PATIENCE;
  }

  /** Whether the record went away, or the connection broke so that it has to be looked at again. */
  private boolean awaitEvent(Duration limit) throws Exception {
    CountDownLatch changed = new CountDownLatch(1);
    CuratorWatcher watcher = event -> changed.countDown();
    boolean gone = curator.checkExists().usingWatcher(watcher).forPath(path) == null;
    return gone || changed.await(limit.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * Makes sure the record stands, also after the session was lost.
   *
   * @throws VdfsException ALREADY_EXISTS if a later process has taken the id, FENCED if the cluster
   *     was formatted anew: this process must stop
   */
  void renew() throws Exception {
    checkCluster();
    Optional<LiveNode> other = claim();
    while (other.isPresent() && other.get().started().isBefore(self.started())) {
      // an older process has to stop, or is only a record that was kept
      LOG.warn("Replacing the record of an earlier process: {}", other.get());
      remove(other.get());
      other = claim();
    }
    if (other.isPresent()) {
      throw taken(other.get());
    }
  }

  private void checkCluster() throws Exception {
    String cluster = directory.paths().cluster();
    byte[] data;
    try {
      data = curator.getData().forPath(cluster);
    } catch (KeeperException.NoNodeException e) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE,
          "ZooKeeper lost the cluster: name=%s, id=%s; %s"
              .formatted(directory.name(), directory.properties().clusterId(), ClusterRestore.CURE),
          e);
    }
    Optional<byte[]> signed = signed(cluster, data);
    if (signed.isPresent()
        && !ClusterCodec.decodeProperties(signed.get()).equals(directory.properties())) {
      throw new VdfsException(
          ErrorCode.FENCED,
          ("the cluster was formatted anew, with the same key, while this node was away:"
                  + " name=%s, id=%s; if that was a mistake, stop its nodes and %s")
              .formatted(
                  directory.name(), directory.properties().clusterId(), ClusterRestore.REPLACE));
    }
  }

  /** Empty where no node of this cluster wrote the record: then it proves nothing. */
  private Optional<byte[]> signed(String at, byte[] data) {
    try {
      return Optional.of(directory.records().open(at, data));
    } catch (VdfsException e) {
      LOG.error("Ignoring what ZooKeeper holds: path={}, error={}", at, e.getMessage());
      return Optional.empty();
    }
  }

  /**
   * Creates the record, or returns the one of another process that is in its place.
   *
   * @throws VdfsException UNAVAILABLE if another process keeps putting something else there
   */
  private Optional<LiveNode> claim() throws Exception {
    byte[] data = directory.records().seal(path, ClusterCodec.encode(self));
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      try {
        curator.create().withMode(CreateMode.EPHEMERAL).forPath(path, data);
        LOG.info("Registered: {}", self);
        return Optional.empty();
      } catch (KeeperException.NodeExistsException e) {
        LOG.debug("There is a record of this node already: path={}", path, e);
      }
      Optional<Found> found = look();
      if (found.isPresent()) {
        if (found.get().isOthers(self)) {
          return found.get().node();
        }
        if (found.get().isStanding(session())) {
          return Optional.empty();
        }
        deleteVersion(found.get().stat().getVersion());
      }
    }
    throw new VdfsException(
        ErrorCode.UNAVAILABLE,
        "the record of this node does not stay: path=%s, attempts=%d"
            .formatted(path, MOST_ATTEMPTS));
  }

  /**
   * The record found in the place of this process's own.
   *
   * @param node empty where no node of this cluster wrote it
   */
  private record Found(Optional<LiveNode> node, Stat stat) {
    /** No process keeps a record alive that lasts beyond its session. */
    boolean isOthers(LiveNode self) {
      return node.isPresent()
          && !node.get().incarnation().equals(self.incarnation())
          && stat.getEphemeralOwner() != 0;
    }

    boolean isStanding(long session) {
      return node.isPresent() && stat.getEphemeralOwner() == session;
    }
  }

  private Optional<Found> look() throws Exception {
    Stat stat = new Stat();
    try {
      byte[] data = curator.getData().storingStatIn(stat).forPath(path);
      Optional<byte[]> signed = signed(path, data);
      return Optional.of(
          new Found(
              signed.isPresent()
                  ? Optional.of(ClusterCodec.decodeNode(signed.get()))
                  : Optional.empty(),
              stat));
    } catch (KeeperException.NoNodeException e) {
      return Optional.empty();
    }
  }

  /** Removes a record if it is still the one that was seen. */
  private void remove(LiveNode seen) throws Exception {
    Optional<Found> found = look();
    if (found.isPresent() && found.get().node().equals(Optional.of(seen))) {
      deleteVersion(found.get().stat().getVersion());
    }
  }

  private void deleteVersion(int version) throws Exception {
    try {
      curator.delete().withVersion(version).forPath(path);
    } catch (KeeperException.NoNodeException | KeeperException.BadVersionException e) {
      LOG.debug("The record of an earlier session is gone: path={}", path, e);
    }
  }

  /** Takes the record away if it is this process's. */
  void withdraw() throws Exception {
    remove(self);
  }

  private long session() throws Exception {
    return curator.getZookeeperClient().getZooKeeper().getSessionId();
  }

  private VdfsException taken(LiveNode other) {
    return new VdfsException(
        ErrorCode.ALREADY_EXISTS,
        ("another process runs with the id of this node: node=%s, host=%s, controlPort=%s,"
                + " started=%s; stop it, or give this one data directories of its own")
            .formatted(
                self.id(), other.node().host(), other.node().controlPort(), other.started()));
  }
}
