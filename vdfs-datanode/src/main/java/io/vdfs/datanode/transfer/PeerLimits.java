package io.vdfs.datanode.transfer;

import java.net.InetAddress;
import java.time.Duration;
import java.util.function.Predicate;

/**
 * Limits of what one peer, one host and all together may take of a node's data plane. Immutable.
 *
 * @param frame how long a frame may be on its way after its first byte, and a new connection
 *     without one
 * @param idle how long a connection that nothing depends on may be silent
 * @param crowdedStall how long a peer may take up nothing of what was sent to it while others wait
 *     for memory that it would give back
 * @param hostConnections of one host; this machine and those that are unlimited do not count
 * @param connections of all together
 * @param unlimited tells the hosts whose connections and memory are not counted; must not block
 */
public record PeerLimits(
    Duration frame,
    Duration idle,
    Duration crowdedStall,
    int hostConnections,
    int connections,
    Predicate<InetAddress> unlimited) {
  /** Twenty connections for each of two hundred containers behind one address. */
  public static final int DEFAULT_HOST_CONNECTIONS = 4_000;

  public static final PeerLimits DEFAULT =
      new PeerLimits(
          Duration.ofSeconds(30),
          Duration.ofMinutes(10),
          Duration.ofSeconds(10),
          DEFAULT_HOST_CONNECTIONS,
          16_000,
          host -> false);

  public PeerLimits {
    if (hostConnections < 1 || connections < 1) {
      throw new IllegalArgumentException(
          "limits must be positive: hostConnections=%s, connections=%s"
              .formatted(hostConnections, connections));
    }
  }
}
