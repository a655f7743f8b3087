package io.vdfs.client.meta.finder;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Where to look for a cluster that nothing is known of yet. Immutable.
 *
 * @param name of the cluster that is meant, where the user gave one; nodes of others are passed
 *     over
 * @param hint asked first
 * @param finders each asked if none of the nodes before it answers
 */
public record ClusterSources(
    Optional<String> name, Optional<NodeHint> hint, List<NodeFinder> finders) {
  public ClusterSources {
    finders = List.copyOf(finders);
  }

  /** Whatever cluster the nodes that are found belong to. */
  public static ClusterSources of(NodeFinder finder) {
    return new ClusterSources(Optional.empty(), Optional.empty(), List.of(finder));
  }

  /** Where it is looked for, for error messages. */
  public String describe() {
    return finders.stream().map(NodeFinder::describe).collect(Collectors.joining(", "));
  }
}
