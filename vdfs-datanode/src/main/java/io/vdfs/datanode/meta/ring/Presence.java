package io.vdfs.datanode.meta.ring;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The nodes present at one moment. Immutable.
 *
 * @param present nodes to plan with, in the order of their ids: those alive, and those missing that
 *     are waited for
 * @param live nodes that are alive
 * @param missing nodes of the ring map that are not alive
 * @param massLossAccepted whether more than a third may be left out
 * @param heldUpBy why the ring map does not follow missing or new nodes; empty if it does
 */
public record Presence(
    List<RingNode> present,
    Set<NodeId> live,
    Map<NodeId, Missing> missing,
    boolean massLossAccepted,
    Optional<String> heldUpBy) {
  /**
   * A missing node.
   *
   * @param since how long it has been missing, as far as it was seen
   * @param limit after which others take its places; empty for never
   */
  public record Missing(Duration since, Optional<Duration> limit) {
    /** Whether others take its places. */
    public boolean isOverdue() {
      return limit.filter(longest -> since.compareTo(longest) >= 0).isPresent();
    }

    /** Time until others take its places; empty for never. */
    public Optional<Duration> left() {
      return limit.map(longest -> isOverdue() ? Duration.ZERO : longest.minus(since));
    }
  }

  public Presence {
    present = List.copyOf(present);
    live = Collections.unmodifiableSet(new TreeSet<>(live));
    missing = Collections.unmodifiableMap(new TreeMap<>(missing));
  }
}
