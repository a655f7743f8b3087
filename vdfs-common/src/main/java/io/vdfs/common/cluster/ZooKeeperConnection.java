package io.vdfs.common.cluster;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
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

  private ZooKeeperConnection(ZooKeeperSettings settings, CuratorFramework curator) {
    this.settings = settings;
    this.curator = curator;
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
    CuratorFramework curator =
        CuratorFrameworkFactory.builder()
            .connectString(settings.connect())
            .sessionTimeoutMs(Math.toIntExact(settings.sessionTimeout().toMillis()))
            .connectionTimeoutMs(connectionMillis)
            .retryPolicy(new RetryUntilElapsed(connectionMillis, RETRY_MILLIS))
            .ensembleTracker(false)
            .dontUseContainerParents()
            .build();
    curator.start();
    ZooKeeperConnection connection = new ZooKeeperConnection(settings, curator);
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

  private static void checkAddress(ZooKeeperSettings settings) throws VdfsException {
    try {
      if (settings.connect().isBlank()) {
        throw new IllegalArgumentException("empty");
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
            + cause.getMessage(),
        cause);
  }

  @Override
  public void close() {
    curator.close();
  }
}
