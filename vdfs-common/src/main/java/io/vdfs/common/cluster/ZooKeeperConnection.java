package io.vdfs.common.cluster;

import io.vdfs.common.concurrent.DaemonThreads;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.security.ClusterKey;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryUntilElapsed;
import org.apache.zookeeper.KeeperException;

/**
 * A lasting connection to ZooKeeper that was up once. Thread-safe; {@link #close} ends the session
 * and its threads.
 */
final class ZooKeeperConnection implements ZnodeReader, AutoCloseable {
  private static final int RETRY_MILLIS = 200;

  private final ZooKeeperSettings settings;
  private final CuratorFramework curator;
  private final ExecutorService thread;
  private final Optional<ZooKeeperAccess> access;

  private ZooKeeperConnection(
      ZooKeeperSettings settings,
      CuratorFramework curator,
      ExecutorService thread,
      Optional<ZooKeeperAccess> access) {
    this.settings = settings;
    this.access = access;
    this.curator = curator;
    this.thread = thread;
  }

  /** A connection that only reads. Waits as {@link #open(ZooKeeperSettings, Optional)}. */
  static ZooKeeperConnection open(ZooKeeperSettings settings) throws VdfsException {
    return open(settings, Optional.empty());
  }

  /**
   * Waits up to the connection timeout.
   *
   * @param key of the cluster, for its nodes: no other process may change what they write
   * @throws VdfsException MISCONFIGURED if the address cannot be one, UNAVAILABLE if nothing
   *     answers there; both name address and key
   */
  static ZooKeeperConnection open(ZooKeeperSettings settings, Optional<ClusterKey> key)
      throws VdfsException {
    ZooKeeperErrors.checkAddress(settings);
    int connectionMillis = Math.toIntExact(settings.connectionTimeout().toMillis());
    int sessionMillis = Math.toIntExact(settings.sessionTimeout().toMillis());
    ExecutorService thread = newThread();
    Optional<ZooKeeperAccess> access =
        key.map(secret -> new ZooKeeperAccess(settings.prefix(), secret));
    CuratorFrameworkFactory.Builder builder =
        CuratorFrameworkFactory.builder()
            .connectString(settings.connect())
            .sessionTimeoutMs(sessionMillis)
            // Curator warns of a longer one; the retries make up for it
            .connectionTimeoutMs(Math.min(connectionMillis, sessionMillis))
            .retryPolicy(new RetryUntilElapsed(connectionMillis, RETRY_MILLIS))
            .ensembleTracker(false)
            .dontUseContainerParents()
            // Curator would never end one of its own
            .runSafeService(thread);
    access.ifPresent(node -> builder.authorization(node.proofs()).aclProvider(node));
    CuratorFramework curator = builder.build();
    curator.start();
    ZooKeeperConnection connection = new ZooKeeperConnection(settings, curator, thread, access);
    boolean done = false;
    try {
      ConnectionWait.await(
          settings,
          millis -> curator.blockUntilConnected(Math.toIntExact(millis), TimeUnit.MILLISECONDS));
      done = true;
      return connection;
    } catch (InterruptedException e) {
      throw connection.failure("connect", e);
    } finally {
      if (!done) {
        connection.close();
      }
    }
  }

  private static ExecutorService newThread() {
    return new ThreadPoolExecutor(
        1,
        1,
        0,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(),
        DaemonThreads.named("vdfs-zookeeper"),
        // events that arrive during close
        new ThreadPoolExecutor.DiscardPolicy());
  }

  /** What a node may do; only where it was opened with a key. */
  ZooKeeperAccess access() {
    return access.orElseThrow();
  }

  CuratorFramework curator() {
    return curator;
  }

  /** The one thread for events of ZooKeeper; those after {@link #close} are dropped. */
  Executor thread() {
    return thread;
  }

  @Override
  public ZooKeeperSettings settings() {
    return settings;
  }

  @Override
  public Optional<byte[]> data(String path) throws VdfsException {
    try {
      return Optional.of(curator.getData().forPath(path));
    } catch (KeeperException.NoNodeException e) {
      return Optional.empty();
    } catch (Exception e) {
      throw failure("read " + path, e);
    }
  }

  @Override
  public Optional<List<String>> children(String path) throws VdfsException {
    try {
      return Optional.of(curator.getChildren().forPath(path));
    } catch (KeeperException.NoNodeException e) {
      return Optional.empty();
    } catch (Exception e) {
      throw failure("list " + path, e);
    }
  }

  @Override
  public boolean exists(String path) throws VdfsException {
    try {
      return curator.checkExists().forPath(path) != null;
    } catch (Exception e) {
      throw failure("look at " + path, e);
    }
  }

  /**
   * The exception for callers when ZooKeeper fails during {@code action}; restores the interrupt
   * flag where that was the cause.
   */
  VdfsException failure(String action, Exception cause) {
    return ZooKeeperErrors.failure(settings, action, cause);
  }

  @Override
  public void close() {
    curator.close();
    thread.shutdownNow();
  }
}
