package io.vdfs.datanode.meta.op.cluster;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingPlanner;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.PromoteOp;
import io.vdfs.common.wire.proto.PromoteResult;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Checks;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;
import io.vdfs.datanode.meta.state.nodes.NodeMarks;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Lets a joining node serve, and records it as left out of the groups that it may lack: those of
 * files that are open, or that changed since it looked. Arcs with groups of a file that could not
 * take so many exclusions are left as they are.
 */
final class PromoteOperation implements Operation {
  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    context.access().requireSuperuser("promotion of a node");
    changes.countOnly();
    PromoteOp op = request.getPromote();
    ByteString node = Checks.id(op.getNode(), "node");
    RingMap ring = RecordedRing.require(context);
    checkSequence(op.getSequence(), context);
    Set<NodeId> leaving = NodeMarks.of(context.cluster()).leaving();
    Set<Integer> arcs = joining(op.getArcsList(), WireIds.nodeId(node), ring);
    RingMap promoted = ring;
    while (!arcs.isEmpty()) {
      promoted = RingPlanner.promote(ring, arcs, WireIds.nodeId(node), leaving);
      PossibleLacks lacks = new PossibleLacks(node, arcs, promoted, op.getSequence(), context);
      if (lacks.tooMany().isEmpty()) {
        put(
            lacks,
            new NewKeepers(ring, promoted, Optional.of(WireIds.nodeId(node)), context),
            context,
            changes);
        changes.recordCluster(RecordedRing.with(promoted, context));
        break;
      }
      arcs.removeAll(lacks.tooMany());
    }
    RingMap result = arcs.isEmpty() ? ring : promoted;
    return MetaResponse.newBuilder()
        .setPromote(PromoteResult.newBuilder().setEpoch(result.epoch()).setPromoted(arcs.size()))
        .build();
  }

  private static void put(
      PossibleLacks lacks, NewKeepers keepers, MetaContext context, Changes changes)
      throws VdfsException {
    Map<Long, InodeRecord> lacking = new HashMap<>();
    lacks.files().forEach(file -> lacking.put(file.getId(), file));
    Iterator<InodeRecord> inodes = context.namespace().after(0);
    while (inodes.hasNext()) {
      InodeRecord inode = inodes.next();
      if (Inodes.isDirectory(inode) || !context.namespace().isAttached(inode)) {
        continue;
      }
      InodeRecord file = lacking.getOrDefault(inode.getId(), inode);
      InodeRecord settled = keepers.leftOutOf(file).orElse(file);
      if (!settled.equals(inode)) {
        changes.put(settled);
      }
    }
  }

  private static void checkSequence(long sequence, MetaContext context) throws VdfsException {
    long last = context.namespace().lastChangeSequence();
    if (sequence < 0 || sequence > last) {
      throw Refusals.invalid(
          "no change has this sequence yet: sequence=%s, last=%s"
              .formatted(Long.toUnsignedString(sequence), last));
    }
  }

  private static Set<Integer> joining(List<Integer> named, NodeId node, RingMap ring)
      throws VdfsException {
    Set<Integer> arcs = new TreeSet<>();
    for (int arc : named) {
      if (arc < 0 || arc >= ring.arcCount()) {
        throw Refusals.invalid(
            "no such arc: arc=" + Integer.toUnsignedString(arc) + ", arcs=" + ring.arcCount());
      }
      if (ring.arcs().get(arc).joining().contains(node)) {
        arcs.add(arc);
      }
    }
    return arcs;
  }
}
