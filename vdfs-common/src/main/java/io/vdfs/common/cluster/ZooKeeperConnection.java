package io.vdfs.common.cluster;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryUntilElapsed;
import org.apache.zookeeper.client.ConnectStringParser;

/**
 * A connection to ZooKeeper that was up once, and the translation of its errors. Thread-safe;
 * {@link #close} ends the session and its threads.
 */
final class ZooKeeperConnection implements AutoCloseable {
  private static final int RETRY_MILLIS = 200;

  private final ZooKeeperSettings settings;
  private final CuratorFramework curator;
  private final ExecutorService thread;

  private ZooKeeperConnection(
      ZooKeeperSettings settings, CuratorFramework curator, ExecutorService thread) {
    this.settings = settings;
    this.curator = curator;
    this.thread = thread;
  }

  /**
   * Waits up to the connection timeout.
   *
   * @throws VdfsException MISCONFIGURED if the address cannot be one, UNAVAILABLE if nothing
   *     answers there; both name address and key
   */
  static ZooKeeperConnection open(ZooKeeperSettings settings) throws VdfsException {
    checkAddress(settings);
    int connectionMillis = Math.toIntExact(settings.connectionTimeout().toMillis());
    int sessionMillis = Math.toIntExact(settings.sessionTimeout().toMillis());
    ExecutorService thread = newThread();
    CuratorFramework curator =
        CuratorFrameworkFactory.builder()
            .connectString(settings.connect())
            .sessionTimeoutMs(sessionMillis)
            // Curator warns of a longer one; the retries make up for it
            .connectionTimeoutMs(Math.min(connectionMillis, sessionMillis))
            .retryPolicy(new RetryUntilElapsed(connectionMillis, RETRY_MILLIS))
            .ensembleTracker(false)
            .dontUseContainerParents()
            // Curator would never end one of its own
            .runSafeService(thread)
            .build();
    curator.start();
    ZooKeeperConnection connection = new ZooKeeperConnection(settings, curator, thread);
    try {
      if (curator.blockUntilConnected(connectionMillis, TimeUnit.MILLISECONDS)) {
        return connection;
      }
    } catch (InterruptedException e) {
      connection.close();
      throw connection.failure("connect", e);
    }
    connection.close();
    throw new VdfsException(
        ErrorCode.UNAVAILABLE,
        "cannot reach ZooKeeper: address="
            + settings.connect()
            + ", waitedMs="
            + connectionMillis
            + "; is it running? The address comes from "
            + settings.connectKey());
  }

  private static ExecutorService newThread() {
    return new ThreadPoolExecutor(
        1,
        1,
        0,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(),
        task -> {
          Thread thread = new Thread(task, "vdfs-zookeeper");
          thread.setDaemon(true);
          return thread;
        },
        // events that arrive during close
        new ThreadPoolExecutor.DiscardPolicy());
  }

  private static void checkAddress(ZooKeeperSettings settings) throws VdfsException {
    try {
      if (settings.connect().chars().anyMatch(c -> c <= ' ' || c == 0x7f)) {
        throw new IllegalArgumentException("blanks or control characters");
      }
      if (new ConnectStringParser(settings.connect()).getServerAddresses().isEmpty()) {
        throw new IllegalArgumentException("no address");
      }
    } catch (IllegalArgumentException e) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "not an address of ZooKeeper: "
              + settings.connectKey()
              + "="
              + settings.connect()
              + "; give host:port,host:port,...",
          e);
    }
  }

  CuratorFramework curator() {
    return curator;
  }

  /** The one thread for what ZooKeeper reports; what comes after {@link #close} is dropped. */
  Executor thread() {
    return thread;
  }

  ZooKeeperSettings settings() {
    return settings;
  }

  /**
   * What a caller is told when ZooKeeper fails during {@code action}; restores the interrupt flag
   * where that was the cause.
   */
  VdfsException failure(String action, Exception cause) {
    if (cause instanceof VdfsException vdfsException) {
      return vdfsException;
    }
    if (cause instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    return new VdfsException(
        ErrorCode.UNAVAILABLE,
        "ZooKeeper failed: action="
            + action
            + ", address="
            + settings.connect()
            + ", error="
            + cause,
        cause);
  }

  @Override
  public void close() {
    curator.close();
    thread.shutdownNow();
  }
}
