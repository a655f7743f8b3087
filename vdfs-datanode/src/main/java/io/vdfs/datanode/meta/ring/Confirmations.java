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
 * Knows which nodes found that they hold all they are listed for, and by which map. A node begins a
 * series whenever an earlier confirmation may be wrong by now, and names the series when it
 * confirms: confirmations of an earlier series that arrive late do not count. Not thread-safe.
 */
public final class Confirmations {
  private static final long NOT_CONFIRMED = 0;
  private static final int SERIES_BITS = 32;

  private final Map<NodeId, Said> said = new HashMap<>();
  private long series;

  /**
   * The last confirmation of a node.
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
   * A node may no longer hold what it confirmed.
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

  /**
   * Forgets the confirmations of nodes that are not alive: what they hold when they are back is not
   * known.
   */
  public void onLook(Collection<RingNode> live) {
    Set<NodeId> alive = new HashSet<>();
    live.forEach(node -> alive.add(node.id()));
    said.keySet().retainAll(alive);
  }

  /**
   * The nodes that confirmed by this very map; forgets the confirmations of nodes that it does not
   * know.
   */
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
