package io.vdfs.datanode.report;

import io.vdfs.common.metrics.CounterName;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import java.util.Optional;

/** A node's part of the ring. */
public enum ArcLevel implements CounterName {
  EPOCH("epoch of the ring map; 0 before there is one"),
  OWNED_ARCS("arcs that this node owns: the first of those that serve them"),
  SERVED_ARCS("arcs whose blocks this node keeps and serves, its own among them"),
  JOINING_ARCS("arcs that this node still copies, to serve them later");

  private final String label;

  ArcLevel(String label) {
    this.label = label;
  }

  public long of(Optional<RingMap> ring, NodeId node) {
    return ring.map(map -> count(map, node)).orElse(0L);
  }

  private long count(RingMap ring, NodeId node) {
    return switch (this) {
      case EPOCH -> ring.epoch();
      case OWNED_ARCS -> ring.arcs().stream().filter(arc -> arc.owner().equals(node)).count();
      case SERVED_ARCS -> ring.arcs().stream().filter(arc -> arc.serving().contains(node)).count();
      case JOINING_ARCS -> ring.arcs().stream().filter(arc -> arc.joining().contains(node)).count();
    };
  }

  @Override
  public String label() {
    return label;
  }

  @Override
  public boolean isLevel() {
    return true;
  }
}
