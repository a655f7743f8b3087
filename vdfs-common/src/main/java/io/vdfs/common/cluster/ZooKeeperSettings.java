package io.vdfs.common.cluster;

import java.time.Duration;
import java.util.Objects;

/**
 * How to reach ZooKeeper. Immutable.
 *
 * @param connect addresses as in {@code host:port,host:port}
 * @param connectKey configuration key that {@code connect} was read from; errors name it
 * @param prefix znode below which all clusters lie; {@code /vdfs} by default
 * @param sessionTimeout after which a silent node counts as dead
 * @param connectionTimeout limit for the first connection and for each later request
 */
public record ZooKeeperSettings(
    String connect,
    String connectKey,
    String prefix,
    Duration sessionTimeout,
    Duration connectionTimeout) {
  public static final String DEFAULT_PREFIX = "/vdfs";
  public static final Duration DEFAULT_SESSION_TIMEOUT = Duration.ofSeconds(10);
  public static final Duration DEFAULT_CONNECTION_TIMEOUT = Duration.ofSeconds(15);

  /**
   * @throws IllegalArgumentException if a duration is not positive or above an hour
   */
  public ZooKeeperSettings {
    Objects.requireNonNull(connect, "connect");
    Objects.requireNonNull(connectKey, "connectKey");
    Objects.requireNonNull(prefix, "prefix");
    checkDuration("sessionTimeout", sessionTimeout);
    checkDuration("connectionTimeout", connectionTimeout);
  }

  /** Settings with the defaults for everything but the address. */
  public static ZooKeeperSettings of(String connect, String connectKey) {
    return new ZooKeeperSettings(
        connect, connectKey, DEFAULT_PREFIX, DEFAULT_SESSION_TIMEOUT, DEFAULT_CONNECTION_TIMEOUT);
  }

  private static void checkDuration(String field, Duration duration) {
    if (duration.toMillis() < 1 || duration.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException(
          "a time limit lies between 1 ms and 1 hour: " + field + "=" + duration);
    }
  }
}
