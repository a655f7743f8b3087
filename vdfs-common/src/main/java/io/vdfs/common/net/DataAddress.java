package io.vdfs.common.net;

import java.util.Objects;

/** Host and port of a node's data plane. Immutable. */
public record DataAddress(String host, int port) {
  public DataAddress {
    Objects.requireNonNull(host, "host");
    if (host.isEmpty() || port < 1 || port > 65_535) {
      throw new IllegalArgumentException(
          "a data address needs a host and a port from 1 to 65535: host=%s, port=%s"
              .formatted(host, port));
    }
  }

  // written out for the sake of a quick start, as in NodeId

  @Override
  public boolean equals(Object other) {
    return other instanceof DataAddress address
        && port == address.port
        && host.equals(address.host);
  }

  @Override
  public int hashCode() {
    return 31 * host.hashCode() + port;
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
