package io.vdfs.common.cluster.record;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.UUID;

/**
 * A node with a session in ZooKeeper. Immutable.
 *
 * @param incarnation the process: a restarted daemon is the same node in another incarnation
 * @param started when the process began to publish the node, in whole milliseconds
 * @param sessionTimeout after which the record disappears when the process dies
 * @param knowsFoundation whether the node had seen the cluster's metadata group and ring map before
 *     the process started, so that neither can be missing except by damage
 */
public record LiveNode(
    RingNode node,
    UUID incarnation,
    Instant started,
    Duration sessionTimeout,
    boolean knowsFoundation) {
  public LiveNode {
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(incarnation, "incarnation");
    started = started.truncatedTo(ChronoUnit.MILLIS);
    Objects.requireNonNull(sessionTimeout, "sessionTimeout");
  }

  public NodeId id() {
    return node.id();
  }
}
