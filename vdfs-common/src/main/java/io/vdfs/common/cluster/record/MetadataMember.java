package io.vdfs.common.cluster.record;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import java.util.Objects;

/**
 * A member of the metadata group, with the address it had when it became one; the ring map knows
 * the present one. Immutable.
 */
public record MetadataMember(NodeId id, String host, int raftPort) {
  private static final int MAX_HOST = 255;

  /**
   * @throws IllegalArgumentException if host or port is impossible
   */
  public MetadataMember {
    Objects.requireNonNull(id, "id");
    if (host.isEmpty() || host.length() > MAX_HOST || host.chars().anyMatch(c -> c <= ' ')) {
      throw new IllegalArgumentException(
          "a host has 1 to 255 characters and no blanks: host=%s"
              .formatted(host.replaceAll("\\p{Cntrl}", "?")));
    }
    if (raftPort < 1 || raftPort > 65_535) {
      throw new IllegalArgumentException("a port lies between 1 and 65535: raftPort=" + raftPort);
    }
  }

  /** Where Raft finds it, as in {@code host:port}. */
  public String address() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + raftPort;
  }

  public static MetadataMember of(RingNode node) {
    return new MetadataMember(node.id(), node.host(), node.raftPort());
  }
}
