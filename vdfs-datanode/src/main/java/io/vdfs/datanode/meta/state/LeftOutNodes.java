package io.vdfs.datanode.meta.state;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.GroupReplicas;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.FileRecord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Which nodes a file leaves out of which of its groups, by its exclusions. Immutable. */
public final class LeftOutNodes {
  /** Of each node the first group of each range, and the end of the range. */
  private final Map<NodeId, NavigableMap<Integer, Integer>> ranges = new TreeMap<>();

  /** The same of exclusions of epoch 0. */
  private final Map<NodeId, NavigableMap<Integer, Integer>> doubts = new TreeMap<>();

  public LeftOutNodes(FileRecord file) {
    for (ExclusionProto range : file.getExclusionsList()) {
      add(range, ranges);
      if (range.getEpoch() == 0) {
        add(range, doubts);
      }
    }
  }

  private static void add(
      ExclusionProto range, Map<NodeId, NavigableMap<Integer, Integer>> ranges) {
    ranges
        .computeIfAbsent(node(range), id -> new TreeMap<>(Integer::compareUnsigned))
        .put(range.getFirstGroup(), range.getEndGroup());
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
    return of(group, ranges);
  }

  /** Those of the nodes left out of a group that may have a good copy: nobody knows. */
  public Set<NodeId> doubted(int group) {
    return of(group, doubts);
  }

  private static Set<NodeId> of(int group, Map<NodeId, NavigableMap<Integer, Integer>> ranges) {
    Set<NodeId> nodes = new HashSet<>();
    for (NodeId node : ranges.keySet()) {
      if (contains(node, group, ranges)) {
        nodes.add(node);
      }
    }
    return nodes;
  }

  public boolean contains(NodeId node, int group) {
    return contains(node, group, ranges);
  }

  private static boolean contains(
      NodeId node, int group, Map<NodeId, NavigableMap<Integer, Integer>> ranges) {
    NavigableMap<Integer, Integer> own = ranges.get(node);
    Map.Entry<Integer, Integer> range = own == null ? null : own.floorEntry(group);
    return range != null && Integer.compareUnsigned(group, range.getValue()) < 0;
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
    for (NavigableMap<Integer, Integer> own : ranges.values()) {
      own.forEach(
          (first, end) -> {
            int last = Integer.compareUnsigned(end, groups) < 0 ? end : groups;
            for (int group = first; group >= 0 && group < last; group++) {
              all.add(group);
            }
          });
    }
    return List.copyOf(all);
  }
}
