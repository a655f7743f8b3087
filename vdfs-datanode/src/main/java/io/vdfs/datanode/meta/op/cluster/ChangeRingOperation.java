package io.vdfs.datanode.meta.op.cluster;

import com.google.protobuf.ByteString;
import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.GroupReplicas;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.ring.RingPlan;
import io.vdfs.common.ring.RingPlanner;
import io.vdfs.common.ring.RingTerms;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ChangeRingOp;
import io.vdfs.common.wire.proto.ChangeRingResult;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.RingNodeProto;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Checks;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.LeftOutNodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;
import io.vdfs.datanode.meta.state.nodes.NodeMarks;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Records the ring map that the planner makes of the recorded one and the nodes present. A node
 * that is present keeps its place while it is a keeper of any group in the place of a node that the
 * group leaves out, whatever the leader knows. A node that becomes a keeper by the new map is left
 * out of the groups that it was no keeper of. The mark of a node that is gone ends when the map
 * does not know it any more, or the leader saw it alive.
 */
final class ChangeRingOperation implements Operation {
  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    context.access().requireSuperuser("change of the ring");
    changes.countOnly();
    ChangeRingOp op = request.getChangeRing();
    RingMap ring = RecordedRing.require(context);
    if (op.getKnownEpoch() != ring.epoch()) {
      throw new VdfsException(
          ErrorCode.STALE_RING,
          "the ring map changed meanwhile: recorded=%d, known=%s"
              .formatted(ring.epoch(), Long.toUnsignedString(op.getKnownEpoch())));
    }
    Set<NodeId> confirmed = nodes(op.getConfirmedList(), "confirmed");
    Set<NodeId> back = nodes(op.getBackList(), "back");
    NodeMarks marks = NodeMarks.of(context.cluster());
    List<RingNode> present = present(op);
    RingTerms terms =
        new RingTerms(
            marks.leaving(),
            confirmed,
            needed(ring, present, marks.leaving(), context),
            op.getAcceptMassLoss());
    RingPlan plan = plan(ring, present, terms, context);
    NodeMarks after = marks.after(plan.map(), back);
    if (!plan.map().equals(ring)) {
      leaveOutNewKeepers(
          new NewKeepers(ring, plan.map(), Optional.empty(), context), context, changes);
    }
    if (!plan.map().equals(ring) || !after.equals(marks)) {
      changes.recordCluster(after.in(RecordedRing.with(plan.map(), context)));
    }
    return MetaResponse.newBuilder()
        .setChangeRing(
            ChangeRingResult.newBuilder()
                .setEpoch(plan.map().epoch())
                .setMoved(plan.movedReplicas())
                .setOutcome(plan.outcome().name()))
        .build();
  }

  private static void leaveOutNewKeepers(NewKeepers keepers, MetaContext context, Changes changes)
      throws VdfsException {
    Iterator<InodeRecord> inodes = context.namespace().after(0);
    while (keepers.possible() && inodes.hasNext()) {
      InodeRecord inode = inodes.next();
      if (!Inodes.isDirectory(inode) && context.namespace().isAttached(inode)) {
        keepers.leftOutOf(inode).ifPresent(changes::put);
      }
    }
  }

  private static Set<NodeId> nodes(List<ByteString> ids, String name) throws VdfsException {
    Set<NodeId> nodes = new HashSet<>();
    for (ByteString id : ids) {
      nodes.add(WireIds.nodeId(Checks.id(id, name)));
    }
    return nodes;
  }

  private static List<RingNode> present(ChangeRingOp op) throws VdfsException {
    List<RingNode> present = new ArrayList<>();
    for (RingNodeProto node : op.getPresentList()) {
      present.add(RingCodec.fromProto(node));
    }
    return present;
  }

  private static RingPlan plan(
      RingMap ring, List<RingNode> present, RingTerms terms, MetaContext context)
      throws VdfsException {
    int replication = ClusterCodec.fromProto(context.cluster().getCluster()).replication();
    try {
      return RingPlanner.plan(ring, present, replication, terms);
    } catch (IllegalArgumentException e) {
      throw Refusals.invalid("no ring map can be planned so: " + e.getMessage());
    }
  }

  /**
   * By arc, the nodes behind the first that are keepers of a group as others are left out. Missing
   * nodes are no keepers: the same plan drops them.
   */
  private static Map<Integer, Set<NodeId>> needed(
      RingMap ring, List<RingNode> present, Set<NodeId> leaving, MetaContext context) {
    Map<Integer, Set<NodeId>> needed = new HashMap<>();
    boolean anyLeaves =
        ring.arcs().stream().anyMatch(arc -> arc.serving().size() > ring.replication());
    if (anyLeaves) {
      Set<NodeId> there = new HashSet<>();
      present.forEach(node -> there.add(node.id()));
      for (long id : context.namespace().lacking()) {
        InodeRecord file = context.namespace().inode(id);
        if (context.namespace().isAttached(file)) {
          addNeeded(file, ring, there, leaving, context, needed);
        }
      }
    }
    return needed;
  }

  private static void addNeeded(
      InodeRecord file,
      RingMap ring,
      Set<NodeId> present,
      Set<NodeId> leaving,
      MetaContext context,
      Map<Integer, Set<NodeId>> needed) {
    long length =
        Inodes.isOpen(file) ? context.settings().maxFileLength() : file.getFile().getLength();
    long whole = file.getFile().getLength() / context.settings().geometry().groupSize();
    LeftOutNodes leftOut = new LeftOutNodes(file.getFile());
    for (int group : leftOut.groups(context.settings().geometry().groupCount(length))) {
      int number = ring.arcOf(file.getId(), group);
      List<NodeId> serving = ring.arcs().get(number).serving(present);
      List<NodeId> behind =
          serving.subList(Math.min(ring.replication(), serving.size()), serving.size());
      if (behind.isEmpty()) {
        continue;
      }
      GroupReplicas replicas =
          GroupReplicas.of(serving, file.getFile().getReplication(), leftOut.of(group));
      Set<NodeId> keepers = new TreeSet<>(replicas.keepers());
      if (Inodes.isOpen(file) && group >= whole) {
        letLeave(keepers, leaving, replicas.requiredCopies());
      }
      keepers.retainAll(behind);
      if (!keepers.isEmpty()) {
        needed.computeIfAbsent(number, key -> new TreeSet<>()).addAll(keepers);
      }
    }
  }

  /**
   * A group that is being written is not copied before it is whole or the file is closed, which may
   * take for ever. A node that leaves does not wait for that where enough others have it.
   */
  private static void letLeave(Set<NodeId> keepers, Set<NodeId> leaving, int required) {
    if (keepers.stream().filter(node -> !leaving.contains(node)).count() >= required) {
      keepers.removeAll(leaving);
    }
  }
}
