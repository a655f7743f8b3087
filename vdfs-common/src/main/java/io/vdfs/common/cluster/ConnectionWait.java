package io.vdfs.common.cluster;

import io.vdfs.common.error.VdfsException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits until ZooKeeper answers for the first time. A user who gave a wrong address need not wait
 * for the timeout: an early warning names the address where nothing answers. Stateless.
 */
final class ConnectionWait {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionWait.class);

  /** A running ZooKeeper answers sooner, and an election of its own seldom takes longer. */
  private static final Duration QUIET = Duration.ofSeconds(3);

  private ConnectionWait() {}

  /** A connection that is being made. */
  @FunctionalInterface
  interface Connection {
    /**
     * @return whether it is there within the time given
     */
    boolean isThereWithin(long millis) throws InterruptedException;
  }

  /**
   * Returns once the connection is there.
   *
   * @throws VdfsException UNAVAILABLE if it is not within the connection timeout
   */
  static void await(ZooKeeperSettings settings, Connection connection)
      throws VdfsException, InterruptedException {
    long limit = settings.connectionTimeout().toMillis();
    long quiet = Math.min(limit, QUIET.toMillis());
    if (connection.isThereWithin(quiet)) {
      return;
    }
    if (limit > quiet) {
      LOG.warn(
          "ZooKeeper does not answer so far: address={}, waitedMs={}, limitMs={}{}; check that it"
              + " runs there, and host and port in {}",
          settings.connect(),
          quiet,
          limit,
          ZooKeeperErrors.unknownHosts(settings),
          settings.connectKey());
      if (connection.isThereWithin(limit - quiet)) {
        return;
      }
    }
    throw ZooKeeperErrors.unreachable(settings);
  }
}
