package io.vdfs.datanode.meta.state;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.GroupReplicas;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.FileRecord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** The nodes that a file leaves out of its groups, by its exclusions. Immutable. */
public final class LeftOutNodes {
  /** The ranges of each node, by their first groups. */
  private final Map<NodeId, NavigableMap<Integer, Range>> ranges = new TreeMap<>();

  private record Range(int end, int epoch) {}

  public LeftOutNodes(FileRecord file) {
    for (ExclusionProto range : file.getExclusionsList()) {
      ranges
          .computeIfAbsent(node(range), id -> new TreeMap<>(Integer::compareUnsigned))
          .put(range.getFirstGroup(), new Range(range.getEndGroup(), range.getEpoch()));
    }
  }

  /** Each id was checked before it was recorded. */
  private static NodeId node(ExclusionProto range) {
    try {
      return WireIds.nodeId(range.getNode());
    } catch (VdfsException e) {
      throw new IllegalStateException("an exclusion of no node: " + range, e);
    }
  }

  /** The nodes that hold no good copy of a group. */
  public Set<NodeId> of(int group) {
    return new HashSet<>(epochs(group).keySet());
  }

  /**
   * The nodes that hold no good copy of a group, each with the last write epoch that began without
   * it; 0 where it is not known to lack the group.
   */
  public SortedMap<NodeId, Integer> epochs(int group) {
    SortedMap<NodeId, Integer> epochs = new TreeMap<>();
    for (NodeId node : ranges.keySet()) {
      range(node, group).ifPresent(range -> epochs.put(node, range.epoch()));
    }
    return epochs;
  }

  public boolean contains(NodeId node, int group) {
    return range(node, group).isPresent();
  }

  private Optional<Range> range(NodeId node, int group) {
    NavigableMap<Integer, Range> own = ranges.getOrDefault(node, Collections.emptyNavigableMap());
    return Optional.ofNullable(own.floorEntry(group))
        .map(Map.Entry::getValue)
        .filter(range -> Integer.compareUnsigned(group, range.end()) < 0);
  }

  /**
   * The nodes of a list that have to get a copy of a group again, so that as many hold it as the
   * file asks for: of those left out, the first ones. None where spares stepped in for all.
   *
   * @param serving nodes of the group's arc in their order
   * @param replication of the file
   */
  public List<NodeId> lacking(int group, List<NodeId> serving, int replication) {
    Set<NodeId> leftOut = of(group);
    GroupReplicas replicas = GroupReplicas.of(serving, replication, leftOut);
    int missing = replicas.factor() - replicas.keepers().size();
    List<NodeId> lacking = new ArrayList<>();
    for (NodeId node : serving) {
      if (lacking.size() < missing && leftOut.contains(node)) {
        lacking.add(node);
      }
    }
    return lacking;
  }

  /** The groups below {@code groups} that leave a node out, ascending. */
  public List<Integer> groups(int groups) {
    Set<Integer> all = new TreeSet<>();
    for (NavigableMap<Integer, Range> own : ranges.values()) {
      own.forEach(
          (first, range) -> {
            int last = Integer.compareUnsigned(range.end(), groups) < 0 ? range.end() : groups;
            for (int group = first; group >= 0 && group < last; group++) {
              all.add(group);
            }
          });
    }
    return List.copyOf(all);
  }
}
