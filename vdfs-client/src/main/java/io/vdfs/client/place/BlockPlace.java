package io.vdfs.client.place;

import io.vdfs.common.ring.RingNode;
import java.util.List;

/**
 * Where a stretch of a file lies. Immutable.
 *
 * @param nodes that hold it, in ring order: owner, successor, predecessor
 */
public record BlockPlace(long offset, long length, List<RingNode> nodes) {
  public BlockPlace {
    nodes = List.copyOf(nodes);
  }
}
