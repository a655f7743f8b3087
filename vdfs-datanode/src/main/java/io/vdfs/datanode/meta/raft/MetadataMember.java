package io.vdfs.datanode.meta.raft;

import io.vdfs.common.model.NodeId;
import java.util.Objects;

/**
 * A member of the metadata group. Immutable.
 *
 * @param host name or address at which the others reach it
 * @param port of its Raft server; fixed for the member's life
 */
public record MetadataMember(NodeId id, String host, int port) {
  public MetadataMember {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(host, "host");
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("not a Raft port: member=" + id + ", port=" + port);
    }
  }

  String address() {
    return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
  }
}
