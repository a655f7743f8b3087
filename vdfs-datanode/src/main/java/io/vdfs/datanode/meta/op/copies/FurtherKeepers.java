package io.vdfs.datanode.meta.op.copies;

import com.google.protobuf.ByteString;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.GroupReplicas;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.datanode.meta.state.LeftOutNodes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The nodes that become keepers of a file's groups as its replication is raised. Groups of an arc
 * that leave the same nodes out have the same ones, which are found once where such groups follow
 * one another. Confined to one operation.
 */
public final class FurtherKeepers {
  private final int replication;
  private final InodeRecord raised;
  private final RingMap ring;
  private final LeftOutNodes leftOut;
  private final Map<Integer, List<ByteString>> byArc = new HashMap<>();

  /** The nodes that are left out of the groups that {@link #byArc} is of. */
  private Set<NodeId> without = Set.of();

  /**
   * @param replication of the file so far
   * @param raised the file with its new replication
   */
  public FurtherKeepers(int replication, InodeRecord raised, RingMap ring) {
    this.replication = replication;
    this.raised = raised;
    this.ring = ring;
    this.leftOut = new LeftOutNodes(raised.getFile());
  }

  /** In the order of the group's list; as {@link Repairs#withoutCopy}. */
  public List<ByteString> of(int group) {
    Set<NodeId> out = leftOut.of(group);
    if (!out.equals(without)) {
      byArc.clear();
      without = out;
    }
    return byArc.computeIfAbsent(
        ring.arcOf(raised.getId(), group), arc -> ofArc(ring.arcs().get(arc).serving(), group));
  }

  private List<ByteString> ofArc(List<NodeId> serving, int group) {
    Set<NodeId> holders = Set.copyOf(GroupReplicas.of(serving, replication, without).keepers());
    return Repairs.withoutCopy(raised, group, serving, holders, leftOut);
  }
}
