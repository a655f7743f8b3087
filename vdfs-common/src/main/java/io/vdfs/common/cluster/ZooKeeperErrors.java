package io.vdfs.common.cluster;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.net.InetSocketAddress;
import java.util.List;
import org.apache.zookeeper.client.ConnectStringParser;

/** The exceptions that callers get where ZooKeeper fails. Stateless. */
final class ZooKeeperErrors {
  private ZooKeeperErrors() {}

  /**
   * @throws VdfsException MISCONFIGURED if the address cannot be one
   */
  static void checkAddress(ZooKeeperSettings settings) throws VdfsException {
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
          "not an address of ZooKeeper: %s=%s; give host:port,host:port,..."
              .formatted(settings.connectKey(), settings.connect()),
          e);
    }
  }

  /** Nothing answered within the connection timeout. */
  static VdfsException unreachable(ZooKeeperSettings settings) {
    return new VdfsException(
        ErrorCode.UNAVAILABLE,
        ("cannot reach ZooKeeper: address=%s, waitedMs=%s%s; check that it runs there, and"
                + " host and port in %s")
            .formatted(
                settings.connect(),
                settings.connectionTimeout().toMillis(),
                unknownHosts(settings),
                settings.connectKey()));
  }

  /**
   * Names of the address that no name service knows, as part of a message; empty if there are none.
   */
  static String unknownHosts(ZooKeeperSettings settings) {
    List<String> unknown =
        new ConnectStringParser(settings.connect())
            .getServerAddresses().stream()
                .map(InetSocketAddress::getHostString)
                .filter(host -> new InetSocketAddress(host, 0).isUnresolved())
                .toList();
    return unknown.isEmpty() ? "" : ", unknownHosts=" + unknown;
  }

  /**
   * ZooKeeper failed during {@code action}; restores the interrupt flag where that was the cause.
   */
  static VdfsException failure(ZooKeeperSettings settings, String action, Exception cause) {
    if (cause instanceof VdfsException vdfsException) {
      return vdfsException;
    }
    if (cause instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    return new VdfsException(
        ErrorCode.UNAVAILABLE,
        "ZooKeeper failed: action=%s, address=%s, error=%s"
            .formatted(action, settings.connect(), cause),
        cause);
  }
}
