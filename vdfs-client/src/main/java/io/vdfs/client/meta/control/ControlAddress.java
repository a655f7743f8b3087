package io.vdfs.client.meta.control;

import io.vdfs.common.ring.RingNode;
import java.util.Objects;

/** Where a DataNode's control port listens. Immutable. */
public record ControlAddress(String host, int port) {
  private static final int MAX_PORT = 65_535;

  public ControlAddress {
    Objects.requireNonNull(host, "host");
    if (host.isEmpty() || port < 1 || port > MAX_PORT) {
      throw new IllegalArgumentException(
          "a control address is host:port with a port from 1 to 65535: host=%s, port=%s"
              .formatted(host, port));
    }
  }

  /** Where a node's own port listens. */
  public static ControlAddress of(RingNode node) {
    return new ControlAddress(node.host(), node.controlPort());
  }

  /**
   * @param text {@code host:port}
   * @throws IllegalArgumentException if it is not of that form; the message names it
   */
  public static ControlAddress parse(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 1) {
      throw new IllegalArgumentException("expected host:port: address=" + text);
    }
    try {
      return new ControlAddress(
          text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("expected host:port: address=" + text, e);
    }
  }

  // written by hand as that makes JVMs start faster, as in NodeId

  @Override
  public boolean equals(Object other) {
    return other instanceof ControlAddress address
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
