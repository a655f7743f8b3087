package io.vdfs.client.meta.finder;

import io.vdfs.client.meta.control.ControlAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Some nodes of a cluster as the configuration lists them, in another order at each look, so that
 * clients spread over them. Thread-safe.
 */
public final class ListedNodes implements NodeFinder {
  private final List<ControlAddress> nodes;
  private final String key;
  private final RandomGenerator random;

  /**
   * @param key configuration key they come from
   * @param random thread-safe
   */
  public ListedNodes(List<ControlAddress> nodes, String key, RandomGenerator random) {
    this.nodes = List.copyOf(nodes);
    this.key = key;
    this.random = random;
  }

  @Override
  public List<ControlAddress> find() {
    List<ControlAddress> shuffled = new ArrayList<>(nodes);
    for (int last = shuffled.size() - 1; last > 0; last--) {
      Collections.swap(shuffled, last, random.nextInt(last + 1));
    }
    return shuffled;
  }

  @Override
  public String describe() {
    return "the nodes of " + key;
  }
}
