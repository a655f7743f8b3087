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

/**
 * Which nodes found that they hold all they are listed for, by which map. A node begins a series
 * whenever what it said may not be so any more, and names it when it confirms: what it sent before
 * may come after and counts for nothing. Not thread-safe.
 */
public final class Confirmations {
  private static final long NOT_CONFIRMED = 0;
  private static final int SERIES_BITS = 32;

  private final Map<NodeId, Said> said = new HashMap<>();
  private long series;

  /**
   * What a node said last.
   *
   * @param ringEpoch by which it confirmed
   */
  private record Said(long series, long ringEpoch) {}

  /**
   * @param term of the leader, so that no two leaders give the same series
   */
  public Confirmations(long term) {
    this.series = term << SERIES_BITS;
  }

  /**
   * A node may not hold what it said.
   *
   * @return the series that it begins
   */
  public long begin(NodeId node) {
    series++;
    said.put(node, new Said(series, NOT_CONFIRMED));
    return series;
  }

  /**
   * A node found that it holds what it should by the map of this epoch.
   *
   * @return whether that counts: the series is the node's last
   */
  public boolean confirm(NodeId node, long inSeries, long epoch) {
    Said last = said.get(node);
    if (last == null || last.series() != inSeries) {
      return false;
    }
    said.put(node, new Said(inSeries, epoch));
    return true;
  }

  /** Forgets what nodes said that are not alive: what they hold when they are back is not known. */
  public void onLook(Collection<RingNode> live) {
    Set<NodeId> alive = new HashSet<>();
    live.forEach(node -> alive.add(node.id()));
    said.keySet().retainAll(alive);
  }

  /** The nodes that confirmed by this very map; forgets what nodes said that it does not know. */
  public Set<NodeId> of(RingMap map) {
    said.keySet().retainAll(map.nodes().keySet());
    Set<NodeId> confirmed = new TreeSet<>();
    said.forEach(
        (node, last) -> {
          if (last.ringEpoch() == map.epoch()) {
            confirmed.add(node);
          }
        });
    return confirmed;
  }
}
