package io.vdfs.client.meta.finder;

import io.vdfs.client.meta.control.ControlAddress;
import java.util.Objects;
import java.util.UUID;

/**
 * A node to ask before anything else is known of the cluster. It may be gone by now, and its port
 * that of another cluster. Immutable.
 *
 * @param clusterId of the cluster that is meant
 */
public record NodeHint(UUID clusterId, ControlAddress node) {
  public NodeHint {
    Objects.requireNonNull(clusterId, "clusterId");
    Objects.requireNonNull(node, "node");
  }
}
