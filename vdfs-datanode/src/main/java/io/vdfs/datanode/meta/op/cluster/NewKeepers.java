package io.vdfs.datanode.meta.op.cluster;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.GroupReplicas;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.datanode.meta.op.copies.Repairs;
import io.vdfs.datanode.meta.state.LeftOutNodes;
import io.vdfs.datanode.meta.state.MetaContext;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The nodes that a change of the ring map makes keepers of groups. Such a node has no copy, as far
 * as is known, so it is left out until it has made one. So is a spare of a file with few copies
 * when the nodes before it in the list change. Confined to one operation.
 */
final class NewKeepers {
  private final RingMap before;
  private final RingMap after;
  private final Optional<NodeId> promoted;
  private final MetaContext context;
  private final BitSet changed;

  /**
   * @param promoted a node that has the copies of the new map, except those that it may lack
   */
  NewKeepers(RingMap before, RingMap after, Optional<NodeId> promoted, MetaContext context) {
    this.before = before;
    this.after = after;
    this.promoted = promoted;
    this.context = context;
    this.changed = new BitSet(after.arcCount());
    for (int arc = 0; arc < after.arcCount(); arc++) {
      changed.set(arc, !before.arcs().get(arc).serving().equals(after.arcs().get(arc).serving()));
    }
  }

  /** Whether the list of any arc changes. */
  boolean possible() {
    return !changed.isEmpty();
  }

  /**
   * The file with new keepers left out; empty if it has none. A file that could not take so many
   * exclusions stays as it is: the nodes find out by themselves.
   */
  Optional<InodeRecord> leftOutOf(InodeRecord file) throws VdfsException {
    int groups = context.settings().geometry().groupCount(file.getFile().getLength());
    LeftOutNodes leftOut = null;
    List<ExclusionProto> added = new ArrayList<>();
    for (int group = 0; group < groups; group++) {
      int arc = after.arcOf(file.getId(), group);
      if (changed.get(arc) && mayMatter(file, arc)) {
        leftOut = leftOut == null ? new LeftOutNodes(file.getFile()) : leftOut;
        for (ByteString node : ofGroup(file, group, arc, leftOut)) {
          added.add(Repairs.doubt(node, group));
        }
        if (Repairs.areTooMany(added, context)) {
          return Optional.empty();
        }
      }
    }
    return added.isEmpty() ? Optional.empty() : Repairs.with(file, added, context);
  }

  /** Without exclusions it is enough to compare the first nodes of both lists. */
  private boolean mayMatter(InodeRecord file, int arc) {
    if (file.getFile().getExclusionsCount() > 0) {
      return true;
    }
    Set<NodeId> known = new HashSet<>(first(file, before, arc));
    promoted.ifPresent(known::add);
    return !known.containsAll(first(file, after, arc));
  }

  private static List<NodeId> first(InodeRecord file, RingMap ring, int arc) {
    List<NodeId> serving = ring.arcs().get(arc).serving();
    return serving.subList(
        0, GroupReplicas.effectiveFactor(file.getFile().getReplication(), serving.size()));
  }

  private List<ByteString> ofGroup(InodeRecord file, int group, int arc, LeftOutNodes leftOut) {
    Set<NodeId> holders =
        new HashSet<>(
            GroupReplicas.of(
                    before.arcs().get(arc).serving(),
                    file.getFile().getReplication(),
                    leftOut.of(group))
                .keepers());
    promoted.ifPresent(holders::add);
    return Repairs.withoutCopy(file, group, after.arcs().get(arc).serving(), holders, leftOut);
  }
}
