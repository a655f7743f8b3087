package io.vdfs.datanode.meta.ring;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Which nodes found that they hold all they are listed for, by which map. Not thread-safe. */
public final class Confirmations {
  private final Map<NodeId, Long> epochs = new HashMap<>();

  /** A node found that it holds what it should by the map of this epoch. */
  public void onConfirmed(NodeId node, long epoch) {
    epochs.put(node, epoch);
  }

  /** Forgets what nodes said that are not alive: what they hold when they are back is not known. */
  public void onLook(Collection<RingNode> live) {
    Set<NodeId> alive = new HashSet<>();
    live.forEach(node -> alive.add(node.id()));
    epochs.keySet().retainAll(alive);
  }

  /** The nodes that confirmed by this very map; forgets what nodes said that it does not know. */
  public Set<NodeId> of(RingMap map) {
    epochs.keySet().retainAll(map.nodes().keySet());
    Set<NodeId> confirmed = new TreeSet<>();
    epochs.forEach(
        (node, epoch) -> {
          if (epoch == map.epoch()) {
            confirmed.add(node);
          }
        });
    return confirmed;
  }
}
