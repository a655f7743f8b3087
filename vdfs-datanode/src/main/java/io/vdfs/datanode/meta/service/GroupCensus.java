package io.vdfs.datanode.meta.service;

import io.vdfs.common.model.NodeId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Who holds how much of one group of a file in recovery. Immutable.
 *
 * <p>Bytes that a writer was told of are on every node that was in the pipeline, and nodes were
 * recorded as excluded before anything was acknowledged without them. So the shortest holder has
 * all of them. A node with nothing at all, where others have something, was not in the pipeline (or
 * nothing was acknowledged): it is left out rather than taken as proof that nothing is there. A
 * node with less than the recorded length lost acknowledged bytes and is left out too.
 *
 * @param asked nodes that should hold the group
 * @param extents of those that answered
 * @param recorded bytes of the group that the metadata knows to be acknowledged
 * @param size bytes of a whole group
 */
record GroupCensus(
    int group, List<NodeId> asked, Map<NodeId, Long> extents, long recorded, long size) {
  GroupCensus {
    asked = List.copyOf(asked);
    extents = Map.copyOf(extents);
  }

  /** Whether the group's end can be told from the answers. */
  boolean isDecidable() {
    return !extents.isEmpty() && (recorded == 0 || !holders().isEmpty());
  }

  boolean isEmptyEverywhere() {
    return extents.values().stream().allMatch(length -> length == 0);
  }

  /** Some hold the whole group and some don't: whether it is whole shows in the next group. */
  boolean isTornAtTheEnd() {
    Collection<Long> lengths = holders().values();
    return lengths.contains(size) && lengths.stream().anyMatch(length -> length < size);
  }

  /** All that was acknowledged, at least. */
  Verdict shortest() {
    Map<NodeId, Long> holders = holders();
    Optional<Long> length = holders.values().stream().min(Long::compare);
    return length
        .map(least -> verdict(least, holders.keySet()))
        .orElseGet(() -> verdict(0, extents.keySet()));
  }

  /** As if a later group had been written, which happens only after this one was complete. */
  Verdict whole() {
    Map<NodeId, Long> full = holders();
    full.values().removeIf(length -> length < size);
    return verdict(size, full.keySet());
  }

  private Map<NodeId, Long> holders() {
    Map<NodeId, Long> holders = new TreeMap<>(extents);
    holders.values().removeIf(length -> length == 0 || length < recorded);
    return holders;
  }

  private Verdict verdict(long length, Set<NodeId> kept) {
    Set<NodeId> left = new TreeSet<>(asked);
    left.removeAll(kept);
    Set<NodeId> longer = new TreeSet<>(kept);
    longer.removeIf(node -> extents.get(node) <= length);
    return new Verdict(group, length, new TreeSet<>(kept), longer, left);
  }

  /**
   * @param kept nodes that hold the group up to {@code length}
   * @param longer those of them that hold more
   * @param excluded nodes that don't hold it, or didn't answer
   */
  record Verdict(
      int group, long length, Set<NodeId> kept, Set<NodeId> longer, Set<NodeId> excluded) {
    Verdict {
      kept = Set.copyOf(kept);
      longer = Set.copyOf(longer);
      excluded = Set.copyOf(excluded);
    }

    /** The same without {@code failed}, which could not be cut to length. */
    Verdict without(Set<NodeId> failed) {
      Set<NodeId> stay = new TreeSet<>(kept);
      stay.removeAll(failed);
      Set<NodeId> out = new TreeSet<>(excluded);
      out.addAll(failed);
      return new Verdict(group, length, stay, Set.of(), out);
    }
  }
}
