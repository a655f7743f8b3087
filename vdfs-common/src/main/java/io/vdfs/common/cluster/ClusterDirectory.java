package io.vdfs.common.cluster;

import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.cluster.record.ClusterCopy;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.cluster.record.DeclaredGone;
import io.vdfs.common.cluster.record.LiveNode;
import io.vdfs.common.cluster.record.MetadataGroup;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.security.ClusterKey;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One cluster as ZooKeeper shows it: its properties, and its ring map, live nodes and metadata
 * group as they change. While ZooKeeper is away the last state stays. Everything read is checked;
 * what is damaged is reported in the log and the last good value stays.
 *
 * <p>Thread-safe. Changes are followed on one thread of the directory, which also calls listeners;
 * {@link #close} ends it, the connection and all its threads.
 */
public final class ClusterDirectory implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterDirectory.class);

  private final String name;
  private final ClusterPaths paths;
  private final ZooKeeperConnection connection;
  private final SignedRecords records;
  private final ClusterProperties properties;
  private final Executor thread;
  private final CuratorCache cache;
  private final List<ClusterListener> listeners = new CopyOnWriteArrayList<>();
  private volatile ClusterSnapshot snapshot = ClusterSnapshot.EMPTY;

  private ClusterDirectory(
      String name,
      ClusterPaths paths,
      ZooKeeperConnection connection,
      SignedRecords records,
      ClusterProperties properties) {
    this.name = name;
    this.records = records;
    this.paths = paths;
    this.connection = connection;
    this.properties = properties;
    this.thread = connection.thread();
    this.cache = CuratorCache.build(connection.curator(), paths.root());
  }

  /**
   * Connects and reads the cluster, within about twice the connection timeout at most; for a
   * process without the cluster key: the authors of records are not checked.
   *
   * @param name the cluster's name, as in {@code vdfs://NAME/}
   * @throws VdfsException UNAVAILABLE if ZooKeeper does not answer, MISCONFIGURED if its address
   *     cannot be one, NOT_FOUND if there is no such cluster, INVALID_ARGUMENT if the name or the
   *     stored properties are invalid; the message is one line and names the cure
   */
  public static ClusterDirectory open(ZooKeeperSettings settings, String name)
      throws VdfsException {
    ClusterPaths paths = ClusterPaths.of(settings.prefix(), name);
    ZooKeeperConnection connection = ZooKeeperConnection.open(settings);
    try {
      SignedRecords records = SignedRecords.unchecked();
      ClusterProperties properties = readProperties(connection, paths, name, records);
      return followed(name, paths, connection, records, properties, Optional.empty());
    } catch (VdfsException e) {
      connection.close();
      throw e;
    }
  }

  /**
   * As above, for a node, which may write and believes only nodes. A record that no node wrote is
   * reported in the log and counts as missing.
   *
   * @param key of the cluster
   * @param known what the node remembers of a cluster that it was in: the directory never shows an
   *     older ring map or metadata group, and does without the stored properties where no node
   *     wrote them
   * @throws VdfsException as above; NOT_FOUND, also where ZooKeeper has lost the cluster, and
   *     MISCONFIGURED where it shows another one than is known, or one of another key
   */
  public static ClusterDirectory openAsNode(
      ZooKeeperSettings settings, String name, ClusterKey key, Optional<ClusterCopy> known)
      throws VdfsException {
    ClusterPaths paths = ClusterPaths.of(settings.prefix(), name);
    ZooKeeperConnection connection = ZooKeeperConnection.open(settings, Optional.of(key));
    try {
      SignedRecords records = SignedRecords.by(key);
      ClusterProperties properties = ownProperties(connection, paths, name, records, known);
      if (known.isPresent()) {
        requireSame(known.get(), properties, paths);
      }
      RecordUpkeep.run(connection, paths, records);
      return followed(name, paths, connection, records, properties, known);
    } catch (VdfsException e) {
      connection.close();
      throw known.isPresent() && e.code() == ErrorCode.NOT_FOUND ? lost(known.get(), e) : e;
    }
  }

  private static ClusterDirectory followed(
      String name,
      ClusterPaths paths,
      ZooKeeperConnection connection,
      SignedRecords records,
      ClusterProperties properties,
      Optional<ClusterCopy> known)
      throws VdfsException {
    ClusterDirectory directory = new ClusterDirectory(name, paths, connection, records, properties);
    directory.follow(known.map(ClusterCopy::snapshot).orElse(ClusterSnapshot.EMPTY));
    return directory;
  }

  private static ClusterProperties ownProperties(
      ZooKeeperConnection connection,
      ClusterPaths paths,
      String name,
      SignedRecords records,
      Optional<ClusterCopy> known)
      throws VdfsException {
    try {
      return readProperties(connection, paths, name, records);
    } catch (VdfsException e) {
      if (e.code() != ErrorCode.INVALID_ARGUMENT) {
        throw e;
      }
      if (known.isPresent()) {
        LOG.error(
            "Ignoring what ZooKeeper holds, and going on with what this node remembers: path={},"
                + " error={}",
            paths.cluster(),
            e.getMessage());
        return known.get().properties();
      }
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          ("%s; if the cluster was formatted with another key, give this node that key file;"
                  + " if the record was overwritten, %s")
              .formatted(e.getMessage(), ClusterRestore.REPLACE),
          e);
    }
  }

  private static VdfsException lost(ClusterCopy known, VdfsException notFound) {
    return new VdfsException(
        ErrorCode.NOT_FOUND,
        "ZooKeeper lost the cluster that this node belongs to: id=%s; %s; it says: %s"
            .formatted(known.properties().clusterId(), ClusterRestore.CURE, notFound.getMessage()),
        notFound);
  }

  private static void requireSame(ClusterCopy known, ClusterProperties shown, ClusterPaths paths)
      throws VdfsException {
    if (!known.properties().equals(shown)) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "ZooKeeper shows another cluster than the one that this node belongs to: path=%s, id=%s,"
                  .formatted(paths.root(), shown.clusterId())
              + " this node's=%s; if it was formatted by mistake, stop its nodes and "
                  .formatted(known.properties().clusterId())
              + ClusterRestore.REPLACE);
    }
  }

  static ClusterProperties readProperties(
      ZnodeReader znodes, ClusterPaths paths, String name, SignedRecords records)
      throws VdfsException {
    Optional<byte[]> properties = znodes.data(paths.cluster());
    if (properties.isPresent()) {
      return ClusterCodec.decodeProperties(records.open(paths.cluster(), properties.get()));
    }
    String cure =
        isDamaged(znodes, paths)
            ? "; other records of it stand there, so its properties were lost; %s"
                .formatted(ClusterRestore.CURE)
            : "; create it with: vdfs format";
    throw new VdfsException(
        ErrorCode.NOT_FOUND,
        "no such cluster: name=%s, existing=%s, zookeeper=%s%s"
            .formatted(name, ClusterNames.list(znodes, paths), znodes.settings().connect(), cure));
  }

  /** Whether ZooKeeper holds other records of a cluster, so that missing properties mean damage. */
  static boolean isDamaged(ZnodeReader znodes, ClusterPaths paths) throws VdfsException {
    return znodes.exists(paths.ring()) || znodes.exists(paths.metadata());
  }

  private void follow(ClusterSnapshot known) throws VdfsException {
    CompletableFuture<Void> initialized = new CompletableFuture<>();
    int arcs = properties.geometry().arcs();
    SnapshotFollower follower =
        new SnapshotFollower(
            paths, records, arcs, known, this::publish, () -> initialized.complete(null));
    cache.listenable().addListener(new Relay(thread, follower));
    cache.start();
    await(initialized, connection.settings().connectionTimeout(), "reading " + paths.root());
  }

  private void publish(ClusterSnapshot next) {
    snapshot = next;
    listeners.forEach(listener -> listener.onChange(next));
  }

  public String name() {
    return name;
  }

  public ClusterProperties properties() {
    return properties;
  }

  public ClusterSnapshot snapshot() {
    return snapshot;
  }

  /** The latest ring map seen; its epoch never falls. Empty until the first one is published. */
  public Optional<RingMap> ringMap() {
    return snapshot.ringMap();
  }

  public Map<NodeId, LiveNode> liveNodes() {
    return snapshot.liveNodes();
  }

  /** Empty until the group is founded. */
  public Optional<MetadataGroup> metadataGroup() {
    return snapshot.metadataGroup();
  }

  /**
   * What operators declared gone, as the metadata leader published it last; asks ZooKeeper. A
   * record that no node wrote is reported in the log and names nothing.
   *
   * @throws VdfsException UNAVAILABLE if ZooKeeper does not answer
   */
  public DeclaredGone gone() throws VdfsException {
    Optional<byte[]> data = connection.data(paths.gone());
    if (data.isEmpty()) {
      return DeclaredGone.NONE;
    }
    try {
      return ClusterCodec.decodeGone(records.open(paths.gone(), data.get()));
    } catch (VdfsException e) {
      LOG.error("Ignoring what ZooKeeper holds: path={}, error={}", paths.gone(), e.getMessage());
      return DeclaredGone.NONE;
    }
  }

  /** The listener first hears of the present state, then of every change. */
  public void addListener(ClusterListener listener) {
    thread.execute(
        () -> {
          listeners.add(listener);
          listener.onChange(snapshot);
        });
  }

  /** The listener may still be running, or run once more, when this returns. */
  public void removeListener(ClusterListener listener) {
    thread.execute(() -> listeners.remove(listener));
  }

  /**
   * Waits until the cluster shows something. Not to be called by a listener.
   *
   * @param what what is waited for, for the message: {@code "the metadata group"}
   * @param view returns it, or empty as long as it is not there
   * @throws VdfsException UNAVAILABLE if it does not come in time or the thread is interrupted
   */
  public <T> T await(String what, Function<ClusterSnapshot, Optional<T>> view, Duration limit)
      throws VdfsException {
    CompletableFuture<T> seen = new CompletableFuture<>();
    ClusterListener listener =
        state -> {
          Optional<T> value = view.apply(state);
          value.ifPresent(seen::complete);
        };
    addListener(listener);
    try {
      return await(seen, limit, what);
    } finally {
      removeListener(listener);
    }
  }

  /**
   * Waits for a ring map of at least that epoch, such as the one a node named that called the
   * caller's map stale.
   *
   * @throws VdfsException UNAVAILABLE if it does not come in time
   */
  public RingMap awaitRingMap(long minEpoch, Duration limit) throws VdfsException {
    return await(
        "a ring map of epoch " + minEpoch,
        state -> state.ringMap().filter(map -> map.epoch() >= minEpoch),
        limit);
  }

  private <T> T await(CompletableFuture<T> future, Duration limit, String what)
      throws VdfsException {
    try {
      return future.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE,
          "timed out waiting for %s: cluster=%s, waitedMs=%s, liveNodes=%s, expectedNodes=%s"
              .formatted(
                  what,
                  name,
                  limit.toMillis(),
                  snapshot.liveNodes().size(),
                  properties.expectedNodes()),
          e);
    } catch (InterruptedException | ExecutionException e) {
      throw connection.failure("wait for " + what, e);
    }
  }

  /** The connection, for the daemon that also writes; closed with the directory. */
  public CuratorFramework curator() {
    return connection.curator();
  }

  public ClusterPaths paths() {
    return paths;
  }

  /** How records stand in ZooKeeper. */
  public SignedRecords records() {
    return records;
  }

  /** Turns an error of {@link #curator} into one that names address and action. */
  public VdfsException failure(String action, Exception cause) {
    return connection.failure(action, cause);
  }

  /** Idempotent. Ends the session: what this process published there disappears. */
  @Override
  public void close() {
    cache.close();
    connection.close();
  }

  /** Hands what the connection's threads report to the directory's own thread, in order. */
  private record Relay(Executor thread, SnapshotFollower follower) implements CuratorCacheListener {
    @Override
    public void event(Type type, ChildData oldData, ChildData data) {
      if (type == Type.NODE_DELETED) {
        thread.execute(() -> follower.onDeleted(oldData.getPath()));
      } else {
        thread.execute(() -> follower.onData(data.getPath(), data.getData()));
      }
    }

    @Override
    public void initialized() {
      thread.execute(follower::onInitialized);
    }
  }
}
