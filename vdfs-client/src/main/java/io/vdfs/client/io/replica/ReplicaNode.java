package io.vdfs.client.io.replica;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;

/**
 * A node that should hold a group. Immutable.
 *
 * @param live hint: false where the node is known to be down; it may be wrong either way
 * @param local whether the node runs on this machine
 */
public record ReplicaNode(NodeId id, DataAddress address, boolean live, boolean local) {
  @Override
  public String toString() {
    return id + "@" + address;
  }
}
