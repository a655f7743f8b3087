package io.vdfs.datanode.meta.state.nodes;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ClusterRecordProto;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The decisions of operators about nodes, as the cluster's record has them. No node has both marks.
 * Immutable.
 *
 * @param leaving nodes that give their places up; kept until the operator takes it back, as such a
 *     node would join again otherwise
 * @param gone nodes that are missing and not waited for
 */
public record NodeMarks(Set<NodeId> leaving, Set<NodeId> gone) {
  public static final NodeMarks NONE = new NodeMarks(Set.of(), Set.of());

  public NodeMarks {
    leaving = Collections.unmodifiableSet(new TreeSet<>(leaving));
    gone = Collections.unmodifiableSet(new TreeSet<>(gone));
  }

  public static NodeMarks of(ClusterRecordProto record) {
    return record.getLeavingCount() + record.getGoneCount() == 0
        ? NONE
        : new NodeMarks(decoded(record.getLeavingList()), decoded(record.getGoneList()));
  }

  /** Each id was checked before it was recorded. */
  private static Set<NodeId> decoded(List<ByteString> ids) {
    Set<NodeId> nodes = new TreeSet<>();
    for (ByteString id : ids) {
      try {
        nodes.add(WireIds.nodeId(id));
      } catch (VdfsException e) {
        throw new IllegalStateException("a mark of no node: " + ids, e);
      }
    }
    return nodes;
  }

  /** The record with these marks. */
  public ClusterRecordProto in(ClusterRecordProto record) {
    ClusterRecordProto.Builder marked = record.toBuilder().clearLeaving().clearGone();
    leaving.forEach(node -> marked.addLeaving(WireIds.encode(node)));
    gone.forEach(node -> marked.addGone(WireIds.encode(node)));
    return marked.build();
  }

  public NodeMarks withLeaving(Collection<NodeId> nodes) {
    NodeMarks without = without(nodes);
    return new NodeMarks(union(without.leaving, nodes), without.gone);
  }

  public NodeMarks withGone(Collection<NodeId> nodes) {
    NodeMarks without = without(nodes);
    return new NodeMarks(without.leaving, union(without.gone, nodes));
  }

  public NodeMarks without(Collection<NodeId> nodes) {
    return new NodeMarks(difference(leaving, nodes), difference(gone, nodes));
  }

  /**
   * The marks once this ring map is in force: a node is gone until the map does not know it any
   * more, or it is there again.
   *
   * @param back nodes that were seen alive
   */
  public NodeMarks after(RingMap map, Collection<NodeId> back) {
    Set<NodeId> still = new TreeSet<>(gone);
    still.retainAll(map.nodes().keySet());
    still.removeAll(Set.copyOf(back));
    return still.equals(gone) ? this : new NodeMarks(leaving, still);
  }

  private static Set<NodeId> union(Set<NodeId> some, Collection<NodeId> others) {
    Set<NodeId> all = new TreeSet<>(some);
    all.addAll(others);
    return all;
  }

  private static Set<NodeId> difference(Set<NodeId> some, Collection<NodeId> others) {
    Set<NodeId> rest = new TreeSet<>(some);
    rest.removeAll(Set.copyOf(others));
    return rest;
  }
}
